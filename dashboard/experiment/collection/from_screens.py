"""What readers of the screens may write into collections, where the operator allows it."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dashboard.experiment.collection import checking
from dashboard.experiment.collection.collections import Collection
from dashboard.experiment.collection.initializing import MAPPED, Initialized, initialize
from dashboard.experiment.reviews import people
from dashboard.experiment.versions import adding
from dashboard.storage.files.contents import suffix
from dashboard.storage.files.json_lines import MOST_CELLS
from dashboard.storage.files.parquet import parquet_table
from dashboard.storage.sources.listing import Listing, ending, is_media
from dashboard.storage.sources.tables import LEFT_OUT as LEFT_OUT
from dashboard.storage.sources.tables import (
    TABLES,
    names_of_files,
    read_source_table,
    roles_of,
)
from dashboard.storage.versions import model_record
from dashboard.storage.versions.versions import RUN_NAME
from dashboard.tables import RUN, DataError, Findings

VARIABLE = "DASHBOARD_WRITE"
ROWS = 5
"""Rows of a table that a preview has."""
ROLES = tuple(
    name for name in MAPPED if name not in ("query_id", "text", "grade", "score", "pv_…", LEFT_OUT)
)
"""What a column of a table of items may be, beside a group of keywords."""
GROUP = "keywords"
_YES = ("1", "yes", "true", "on")


def allowed() -> bool:
    """Whether the operator lets the screens write: by `DASHBOARD_WRITE=1`; not by itself, and not
    for guests of a share link."""
    if people.actor().by == people.LINK:
        return False
    return os.environ.get(VARIABLE, "").strip().lower() in _YES


def check_allowed() -> None:
    """Raise PermissionError where the operator does not let the screens write."""
    if not allowed():
        raise PermissionError(f"The operator of this dashboard has not set {VARIABLE}=1.")


def retrained(collection: Collection, *versions: str) -> list[str]:
    """Those versions whose vectors are not those on record."""
    models = [collection.searched[name] for name in versions if name in collection.searched]
    return [model.name for model in models if model_record.is_retrained(model)]


def renew_record(collection: Collection, version: str) -> None:
    """Record a version's vectors anew. Raises PermissionError, or DataError where they are those on
    record."""
    check_allowed()
    checking.renew_record(collection, version)


@dataclass(frozen=True)
class Dropped:
    """A file that a reader dropped: its name in the reader's own folder, and its content."""

    name: str
    content: bytes


def add_version(
    collection: Collection,
    name: str,
    files: Sequence[Dropped],
    queries: Sequence[Dropped] = (),
    note: str = "",
) -> list[str]:
    """Add a version from dropped files as the command `add` does: ranked lists, or vectors of the
    items, and vectors of the text queries; beside each a .txt with the ids. Returns sentences.

    Raises PermissionError, or DataError where they cannot be used; nothing is written then.
    """
    check_allowed()
    findings = Findings()
    with _on_disk(files) as folder, _on_disk(queries) as others:
        main, ids = _main_file(folder)
        if _is_run(main):
            adding.add_run(collection, name, main, findings=findings)
        else:
            items = adding.read_given(main, ids, findings)
            given = adding.read_given(*_main_file(others), findings) if queries else None
            settings = {"note": note} if note else {}
            adding.add_vectors(collection, name, items, given, settings=settings, findings=findings)
    return findings.sentences()


def _main_file(folder: Path) -> tuple[Path, Path | None]:
    """The one file of vectors or lists among dropped ones, and the .txt of ids beside it."""
    files = sorted(folder.iterdir())
    main = [path for path in files if suffix(path) != ".txt"] or files
    ids = [path for path in files if path not in main]
    if len(main) != 1 or len(ids) > 1:
        names = ", ".join(path.name for path in files) or "no file"
        wanted = "one file of vectors or ranked lists, and at most one .txt with ids"
        raise DataError("the dropped files", names[:200], wanted)
    return main[0], ids[0] if ids else None


def _is_run(path: Path) -> bool:
    """Whether a file holds ranked lists; a Parquet file by its columns."""
    if suffix(path) == ".parquet":
        names = parquet_table(path, path.name, MOST_CELLS).column_names
        return set(list(RUN.columns)[:3]) <= set(names)
    return suffix(path) not in adding.VECTOR_FILES and bool(RUN_NAME.fullmatch(path.name))


@dataclass(frozen=True, eq=False)
class Preview:
    """The first rows of a dropped table, and what each column is taken for: column → a name of
    ROLES, or GROUP; others are not taken."""

    name: str
    rows: pd.DataFrame
    taken_for: dict[str, str]


def preview(files: Sequence[Dropped]) -> Preview | None:
    """The first table among dropped files; None without one. Raises DataError where it cannot be
    read."""
    with _on_disk(files) as folder:
        names = tuple(sorted(path.name for path in folder.iterdir()))
        name = next((each for each in names if ending(each) in TABLES), None)
        if name is None:
            return None
        table = read_source_table(Listing(folder, names, {}), name)
        roles = roles_of(table, names_of_files([each for each in names if is_media(each)]), {})
        groups = dict.fromkeys([*roles.labels, *roles.hot], GROUP)
        taken = {column: ours for ours, column in roles.of.items() if ours in ROLES}
        return Preview(name, table.cells.head(ROWS), {**groups, **taken})


def new_collection(
    name: str, files: Sequence[Dropped], columns: Mapping[str, str], *, dry_run: bool
) -> Initialized:
    """Make a collection of dropped files as the command `init` does, in the first data folder.

    columns: as of `--map`, names of ours → columns. Raises PermissionError, or DataError where it
    cannot be made; nothing is written then.
    """
    check_allowed()
    if Path(name).name != name:
        raise DataError(repr(name[:200]), "a path", "a name for a folder")
    with _on_disk(files) as folder:
        return initialize(name, str(folder), columns, dry_run=dry_run)


@contextmanager
def _on_disk(files: Sequence[Dropped]) -> Iterator[Path]:
    """A folder with dropped files for the time of the block; their names lead nowhere else."""
    with tempfile.TemporaryDirectory(prefix="dropped-") as folder:
        for file in files:
            name = re.sub(r"[^\w.+@ -]", "_", file.name.replace("\\", "/").rpartition("/")[2])
            (Path(folder) / (name.lstrip(". ")[-150:] or "file")).write_bytes(file.content)
        yield Path(folder)
