"""A planned collection written into a folder beside its place, checked, and then moved there."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dashboard.errors import DataError, list_names
from dashboard.plugins.importers.deciding import KEYWORDS
from dashboard.plugins.importers.gathering import Gathered, Rows
from dashboard.plugins.importers.placing import Placed
from dashboard.plugins.importers.planning import Plan
from dashboard.storage.drafts import hold, report_full_disk

KEPT = ("vocabulary.toml", "query_keywords.csv")
"""Files that people make in a collection, which an update keeps."""
Row = tuple[str, ...]
DRAFTS = ".drafts"
"""Folder beside the new one, in which nobody sees a half made collection."""


@contextmanager
def open_draft(place: Path, keep: bool) -> Iterator[Path]:
    """Yield a new folder; it takes its place, or is removed after an error and if not to `keep`.

    What a call left that was killed is removed by the next one.

    Raises:
        DataError: If another call is at work, or nothing can be written.
    """
    home = place.parent / DRAFTS / place.name
    draft, before = home / place.name, home / f"{place.name}.old"
    with report_full_disk(place.name):
        home.mkdir(parents=True, exist_ok=True)
        try:
            held = hold(home)
        except BlockingIOError as error:
            raise DataError(place.name, "another init at work", "one at a time") from error
        try:
            _restore(before, place)
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            yield draft
            if keep and place.exists():
                place.rename(before)
            if keep:
                draft.rename(place)
        finally:
            _restore(before, place)
            shutil.rmtree(home)
            os.close(held)
            with suppress(OSError):  # another call is at work on another collection
                home.parent.rmdir()


def _restore(before: Path, place: Path) -> None:
    """Put a collection back that was moved away, and that no other one took the place of."""
    if before.exists() and not place.exists():
        before.rename(place)


def write_collection(
    draft: Path, found: Gathered, plan: Plan, placed: Sequence[Placed]
) -> list[dict[str, Any]]:
    """Write all files of a collection; return a row a file: its rows, where they are from."""
    made: list[dict[str, Any]] = []

    def tell(file: str, rows: int, taken: Sequence[str] = (), guessed: str = "") -> None:
        told = {"taken_from": list_names(taken) or "the source", "guessed": guessed or None}
        made.extend([{"file": file, "rows": rows} | told] if rows else [])

    def write(file: str, rows: Sequence[Row], taken: Sequence[str], guessed: str = "") -> None:
        if len(rows) > 1:
            write_rows(draft / file, rows)
        tell(file, len(rows) - 1, taken, guessed)

    _link_media(draft, found, plan)
    write("items.csv", _list_rows("item_id", plan.items), found.list_files("items.csv"))
    asked = found.list_files("queries.csv")
    write("queries.csv", _list_rows("query_id", plan.queries), asked, plan.of_queries)
    grades = [(query, item, f"{grade:g}") for query, item, grade in plan.qrels]
    write("qrels.csv", [("query_id", "item_id", "grade"), *grades], plan.files)
    if plan.basis.kind == "keywords":
        rows = _list_rows("slice_id", plan.items, is_keyword=True)
        write("unified_annotation.csv", [row for row in rows if any(row[1:])], ())
    for version in placed:
        for file, number in version.rows.items():
            of_texts = [version.said.get("texts", "")]
            said = of_texts if file.endswith("/queries.npy") else list(version.said.values())
            tell(file, number, said)
    for name, run in found.runs.items():
        names = found.match_items((item for _, item, _ in run.rows), run.file)
        results = [(query, names.get(item, item), repr(score)) for query, item, score in run.rows]
        write(f"runs/{name}.csv", [("query_id", "item_id", "score"), *results], [run.file])
    for name in ("media", "posters"):
        tell(f"{name}/", sum(path.is_file() for path in (draft / name).rglob("*")))
    for name, each in found.copied.items():
        shutil.copyfile(found.source.find_path(each.file), draft / name)
        tell(name, found.taken["queries.csv", each.file])
    shutil.rmtree(draft / "vectors", ignore_errors=True)
    return made


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _list_rows(key: str, rows: Rows, is_keyword: bool = False) -> list[Row]:
    """Return the header and the rows of a table: of columns of keywords, or of all others."""
    columns = {name: rows.get(name) for name in rows.columns if name != key}
    shown = [
        name
        for name, cells in columns.items()
        if any(cells) and name.startswith(KEYWORDS) == is_keyword
    ]
    return [(key, *shown), *zip(rows.index, *(columns[name] for name in shown), strict=True)]


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


def _link_media(draft: Path, found: Gathered, plan: Plan) -> None:
    """Give each picture and clip a second place, as a hard link where that is possible."""
    known = set(found.source.media)
    shown = {"media": {*plan.items.get("file"), *plan.queries.get("image")}}
    shown["posters"] = set(plan.items.get("poster"))
    for folder, names in shown.items():
        for name in known & names:
            link_file(found.source.find_path(name), draft / folder / name)
    plan.items.add(list(found.written), {"file": list(found.written.values())})


def link_file(path: Path, target: Path) -> None:
    """Link a file, or copy it where the file system has no links; one that is not there is not."""
    if not path.is_file() or target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path.resolve(), target)
    except OSError:
        shutil.copyfile(path, target)
