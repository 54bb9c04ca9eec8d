"""A planned collection written into a folder beside its place, checked, and then moved there."""

from __future__ import annotations

import csv
import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dashboard.errors import DataError, list_names
from dashboard.plugins.importers.deciding import KEYWORDS
from dashboard.plugins.importers.gathering import Gathered, Rows
from dashboard.plugins.importers.placing import Placed
from dashboard.plugins.importers.planning import Plan
from dashboard.storage.drafts import report_full_disk

KEPT = ("vocabulary.toml", "query_keywords.csv")
"""Files that people make in a collection, which an update keeps."""
DRAFTS = ".drafts"
"""Folder beside the new one, in which nobody sees a half made collection."""


@contextmanager
def open_draft(place: Path, keep: bool) -> Iterator[Path]:
    """Yield a new folder; it takes its place, or is removed after an error and if not to `keep`.

    What a call left that was killed is removed by the next one.

    Raises:
        DataError: If another call is at work, or nothing can be written.
    """
    draft, before = place.parent / DRAFTS / place.name, place.parent / DRAFTS / f"{place.name}.old"
    with report_full_disk(place.name):
        draft.parent.mkdir(parents=True, exist_ok=True)
        try:
            with (draft.parent / f"{place.name}.lock").open("w") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    raise DataError(place.name, "another init at work", "one at a time") from error
                try:
                    if before.exists() and not place.exists():
                        before.rename(place)
                    _remove(before, draft)
                    draft.mkdir()
                    yield draft
                    if keep and place.exists():
                        place.rename(before)
                    if keep:
                        draft.rename(place)
                finally:
                    _remove(*([before] if place.exists() else []), draft, Path(lock.name))
        finally:
            if not any(draft.parent.iterdir()):
                draft.parent.rmdir()


def _remove(*paths: Path) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def write_collection(
    draft: Path, found: Gathered, plan: Plan, placed: Sequence[Placed]
) -> list[dict[str, Any]]:
    """Write all files of a collection; return a row a file: its rows, where they are from."""
    made: list[dict[str, Any]] = []

    def tell(file: str, rows: int, taken: Sequence[str] = (), guessed: str = "") -> None:
        told = {"taken_from": list_names(taken) or "the source", "guessed": guessed or None}
        made.extend([{"file": file, "rows": rows} | told] if rows else [])

    _link_media(draft, found, plan)
    _write_table(draft / "items.csv", "item_id", plan.items)
    tell("items.csv", len(plan.items), found.list_files("items.csv"))
    if len(plan.queries):
        _write_table(draft / "queries.csv", "query_id", plan.queries)
    asked = found.list_files("queries.csv")
    tell("queries.csv", len(plan.queries), asked, plan.of_queries)
    if plan.qrels:
        cells = ((query, item, f"{grade:g}") for query, item, grade in plan.qrels)
        write_rows(draft / "qrels.csv", ("query_id", "item_id", "grade"), cells)
    tell("qrels.csv", len(plan.qrels), plan.files)
    if plan.basis.kind == "keywords":
        tell("unified_annotation.csv", _write_keywords(draft, plan.items))
    for version in placed:
        for file, number in version.rows.items():
            of_texts = [version.said.get("texts", "")]
            said = of_texts if file.endswith("/queries.npy") else list(version.said.values())
            tell(file, number, said)
    for name, run in found.runs.items():
        names = found.match_items((item for _, item, _ in run.rows), run.file)
        rows = ((query, names.get(item, item), repr(score)) for query, item, score in run.rows)
        write_rows(draft / "runs" / f"{name}.csv", ("query_id", "item_id", "score"), rows)
        tell(f"runs/{name}.csv", len(run.rows), [run.file])
    for name in ("media", "posters"):
        tell(f"{name}/", sum(path.is_file() for path in (draft / name).rglob("*")))
    for name, each in found.copied.items():
        shutil.copyfile(found.source.find_path(each.file), draft / name)
        tell(name, found.taken["queries.csv", each.file])
    shutil.rmtree(draft / "vectors", ignore_errors=True)
    return made


def keep_versions(place: Path, draft: Path) -> list[str]:
    """Take over versions and mappings that a source does not have; return their names."""
    there = [*place.glob("models/[!.]*"), *place.glob("runs/[!.]*"), *(place / n for n in KEPT)]
    made = set(map(_name_version, draft.glob("*/*")))
    kept = [each for each in sorted(there) if each.exists() and _name_version(each) not in made]
    for path in kept:
        for file in [path, *path.rglob("*")]:
            link_file(file, draft / file.relative_to(place))
    return [path.relative_to(place).as_posix() for path in kept]


def _name_version(path: Path) -> tuple[str, str]:
    """Return the folder and the name of a version; results have it in any form."""
    kind = path.parent.name
    return kind, path.stem if kind == "runs" else path.name


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _write_table(path: Path, key: str, rows: Rows) -> None:
    columns = [name for name in rows.columns if name != key and any(rows.columns[name])]
    columns = [name for name in columns if not name.startswith(KEYWORDS)]
    cells = zip(rows.index, *(rows.get(name) for name in columns), strict=True)
    write_rows(path, (key, *columns), cells)


def _write_keywords(draft: Path, items: Rows) -> int:
    groups = [name for name in items.columns if name.startswith(KEYWORDS)]
    every = zip(items.index, *(items.get(name) for name in groups), strict=True)
    filled = [cells for cells in every if any(cells[1:])]
    write_rows(draft / "unified_annotation.csv", ("slice_id", *groups), filled)
    return len(filled)


def _link_media(draft: Path, found: Gathered, plan: Plan) -> None:
    """Give each picture and clip a second place, as a hard link where that is possible."""
    items, source = plan.items, found.source
    known = set(source.media)
    for rows, column, folder in (
        (items, "file", "media"),
        (items, "poster", "posters"),
        (plan.queries, "image", "media"),
    ):
        for name in known.intersection(rows.get(column)):
            link_file(source.find_path(name), draft / folder / name)
    items.add(list(found.written), {"file": list(found.written.values())})


def link_file(path: Path, target: Path) -> None:
    """Link a file, or copy it where the file system has no links; one that is not there is not."""
    if not path.is_file() or target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path.resolve(), target)
    except OSError:
        shutil.copyfile(path, target)
