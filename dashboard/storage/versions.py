"""Versions of a collection: folders of vectors below `models`, and files of results."""

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import filterfalse
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dashboard.errors import DataError, Findings, add_finding, count_odd, explain_errors
from dashboard.storage.drafts import write_file
from dashboard.storage.runs import Pairs, read_run
from dashboard.storage.settings import Settings, read_toml
from dashboard.storage.vectors import Vectors, read_vectors
from dashboard.tables import Names, Table, Texts, Ties
from dashboard.texts import read_text

if TYPE_CHECKING:
    from dashboard.storage.collection import Collection

RUNS = (".trec", ".txt", ".run", ".csv")
INPUTS = {"items": ("file", "caption", "span_start", "span_end"), "queries": ("text", "image")}
"""Columns that vectors are made of."""
DATE = re.compile(r"\d{4}-\d\d-\d\d")
Value = TypeVar("Value")
Broken = dict[str, DataError]
"""Why versions cannot be used, by name."""
MADE_FOR = "made_for.json"
"""Beside vectors, what each was made of: a digest by the id, of items and of queries."""


@dataclass(frozen=True, eq=False)
class Version:
    """A version to measure: vectors of items and of stored queries, results, or another source.

    Attributes:
        file: Where it was read, from the folder of the collection on.
        make_source: `(collection, version, ties) -> Source` of a version that a plugin has read.
        settings: Its model.toml.
    """

    name: str
    note: str = ""
    items: Vectors | None = None
    queries: Vectors | None = None
    run: Pairs | None = None
    file: str = ""
    make_source: Callable[[Any, Any, Ties], Any] | None = None
    settings: Settings = field(default_factory=dict)

    def list_arrays(self) -> list[Vectors]:
        """Return the vectors of items and of queries that there are."""
        return [each for each in (self.items, self.queries) if each]


Versions = dict[str, Version]
"""Versions by name."""


def read_versions(
    folder: Path, items: Table, queries: Table, broken: Broken, findings: Findings
) -> Versions:
    """Return the versions below `models` that can be used, by name; put others into `broken`."""
    places = (path for path in _list_folder(folder / "models") if path.is_dir())
    read = {each.name: partial(read_version, each, items, queries, findings) for each in places}
    return try_to_read_all(broken, read)


def read_version(
    place: Path, items: Table, queries: Table, findings: Findings, name: str = ""
) -> Version:
    """Return the version of a folder.

    Args:
        place: The folder.
        items: Table of the items.
        queries: Table of the queries.
        findings: Gains what was left out or repaired.
        name: Name of the version, where it is not that of the folder.

    Raises:
        DataError: If it cannot be used.
    """
    name = name or place.name
    shown = f"models/{name}"
    described = read_toml(place / "model.toml", f"{shown}/model.toml", findings)
    gallery = read_vectors(place, "items", items.ids, findings, shown)
    if gallery is None:
        raise DataError(
            f"{shown}/items.npy",
            "no such file",
            "the vectors of the items",
            do='Write them: numpy.save("items.npy", vectors).',
        )
    texts = [name for name, item in queries.list_rows("item_id") if not item]
    stored, path = None, place / "queries.txt"
    lines = read_text(path, f"{shown}/{path.name}", []) if not texts and path.is_file() else ""
    if texts or any(line.strip() in queries.index for line in lines.split("\n")):
        stored = read_vectors(place, "queries", queries.ids, findings, shown)
    if stored and stored.dimension != gallery.dimension:
        raise DataError(
            f"{shown}/queries.npy",
            f"query vectors of {stored.dimension} dimensions",
            f"{gallery.dimension}, as the items have",
        )
    for stem, vectors, wanted in (("items", gallery, items.ids), ("queries", stored, texts)):
        ids = vectors.ids if vectors else ()
        lacking = [] if ids is wanted else [*filterfalse(frozenset(ids).__contains__, wanted)]
        told = (f"of {len(wanted):,}", f"one for each of {stem}")
        findings += count_odd(f"{shown}/{stem}.npy", lacking, *told, before="no vector for ")
    note = str(described.get("note", ""))
    return Version(name, note, gallery, stored, file=shown, settings=described)


def order_versions(versions: Versions) -> Names:
    """Return the names by the dates of their settings, where all have one, else in their order.

    Of versions of the same files, such as an index, it is the first.
    """
    named: Texts = {}
    for name, version in versions.items():
        named.setdefault(version.file or name, name)
    dates = {name: str(versions[name].settings.get("date", "")) for name in named.values()}
    is_dated = all(map(DATE.match, dates.values()))
    return sorted(dates, key=dates.__getitem__) if is_dated else list(dates)


def digest_inputs(table: Table, stem: str) -> Texts:
    """Return a digest of what the vector of each row is made of, by its id."""
    return {
        name: sha256(json.dumps(cells).encode()).hexdigest()[:12]
        for name, *cells in table.list_rows(*INPUTS[stem])
    }


def read_inputs(place: Path) -> dict[str, Texts]:
    """Return what the vectors of a folder were made of; nothing where that is not told."""
    try:
        told = json.loads((place / MADE_FOR).read_bytes())
        return {stem: dict(told[stem]) for stem in INPUTS if stem in told}
    except (OSError, ValueError, TypeError):
        return {}


def record_version(version: Version, collection: "Collection", place: Path) -> None:
    """Write into the folder of a version which rows of the tables its vectors were made for."""
    for stem in INPUTS:
        if vectors := getattr(version, stem):
            record_inputs(place, getattr(collection, stem), stem, vectors.ids)


def record_inputs(place: Path, table: Table, stem: str, ids: Names) -> None:
    """Write beside vectors which rows of a table some of them were made for."""
    told, now = read_inputs(place), digest_inputs(table, stem)
    told[stem] = told.get(stem, {}) | {name: now[name] for name in ids if name in now}
    write_file(place / MADE_FOR, json.dumps(told, ensure_ascii=False).encode())


def list_stale(collection: "Collection") -> Findings:
    """Return warnings for versions whose items or queries are not those that they were made for.

    Rows that are new or gone are said where vectors are read, and not again here.
    """
    findings, versions, folder = [], collection.versions, collection.folder
    told = {name: read_inputs(folder / "models" / name) for name in versions}
    for stem in INPUTS:
        before = {name: each[stem] for name, each in told.items() if stem in each}
        now = digest_inputs(getattr(collection, stem), stem) if before else {}
        for name, made in before.items():
            vectors = getattr(versions[name], stem)
            known = vectors.index if vectors else {}
            new, more = ("NEW", "") if stem == "items" else (name, " --what queries")
            typed = f"embed {folder.name} {shlex.quote(new)}{more} --encoder ENCODER"
            findings += count_odd(
                f"models/{name}/{stem}.npy",
                [n for n, each in made.items() if n in known and each != now.get(n, each)],
                f"{stem} whose {' or '.join(INPUTS[stem])} changed since it was made",
                f"those that it was made for. Type: python -m dashboard {typed}",
            )
    return findings


def read_runs(folder: Path, broken: Broken, findings: Findings) -> dict[str, Pairs]:
    """Return the results below `runs` that can be used, by name; put others into `broken`."""
    read: dict[str, partial[Pairs]] = {}
    for path in (path for path in _list_folder(folder / "runs") if path.suffix in RUNS):
        name = f"runs/{path.name}"
        if path.stem in read:
            add_finding(
                findings,
                name,
                f"a second run {path.stem!r}; {read[path.stem].args[1]} is read",
                "another name. Rename or remove one of both files.",
                "error",
            )
        read.setdefault(path.stem, partial(read_run, path, name, findings))
    return try_to_read_all(broken, read)


def _list_folder(folder: Path) -> list[Path]:
    """Return what is in a folder, but for hidden files; nothing if there is no such folder."""
    wanted = "a folder that this user may read"
    with explain_errors(folder.name, "a folder that cannot be read", wanted):
        there = folder.iterdir() if folder.is_dir() else ()
        return sorted(path for path in there if not path.name.startswith("."))


def try_to_read_all(
    broken: Broken, read: Mapping[str, Callable[[], Value | None]]
) -> dict[str, Value]:
    """Return what functions read, by name, but for None and what cannot be used."""
    found = {name: try_to_read(name, broken, each) for name, each in read.items()}
    return {name: each for name, each in found.items() if each is not None}


def try_to_read(name: str, broken: Broken, read: Callable[[], Any]) -> Any:
    """Return what a function reads; where it cannot be used, keep why and return None."""
    try:
        return read()
    except DataError as error:
        broken[name] = error
    except OSError as error:
        found = f"a file that cannot be read ({error.strerror})"
        file = f"{name}/{Path(str(error.filename)).name}"
        broken[name] = DataError(file, found, "a file that this user may read")
    return None
