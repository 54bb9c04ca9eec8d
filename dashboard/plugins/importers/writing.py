"""A planned collection written into a folder beside its place, checked, and then moved there."""

from __future__ import annotations

import csv
import json
import os
import shlex
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dashboard.errors import DataError, list_names
from dashboard.plugins.importers.deciding import KEYWORDS
from dashboard.plugins.importers.gathering import Gathered, Rows
from dashboard.plugins.importers.placing import Placed
from dashboard.plugins.importers.planning import Plan
from dashboard.storage.drafts import DRAFT, hold, report_full_disk
from dashboard.storage.runs import list_pairs, read_qrels
from dashboard.storage.versions import MADE_FOR
from dashboard.tables import read_table

RECORD = ".init.json"
"""What `init` wrote into a collection: files, rows, columns and settings. All else is of people."""
NO_RECORD: dict[str, Any] = {
    "files": ["items.csv", "queries.csv", "qrels.csv", "unified_annotation.csv"],
    "columns": {},
    "rows": {},
    "settings": {},
}
TABLES = {"items.csv": "item_id", "queries.csv": "query_id"}
"""Tables in which people add columns, and their keys."""
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


def read_record(place: Path) -> dict[str, Any]:
    """Return what `init` wrote into a collection, the last time; little where nothing tells it."""
    with suppress(OSError, ValueError, TypeError):
        told: dict[str, Any] = json.loads((place / RECORD).read_bytes())
        return NO_RECORD | told
    return NO_RECORD


def list_files(folder: Path) -> list[str]:
    """Return the files below a folder, and links to folders as such; no drafts."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file())
    names = (path.relative_to(folder).as_posix() for path in paths)
    return [name for name in names if f"/{DRAFT}" not in name]


def keep_rows(place: Path, found: Gathered, plan: Plan, record: Mapping[str, Any]) -> list[str]:
    """Give tables the rows and columns that people added; return what they are.

    Queries that people deleted stay away; judgements of queries that they added stay.

    Args:
        place: The collection that is there.
        found: Where it is said.
        plan: The tables of the new one.
        record: What `init` wrote the last time: rows and columns by the table, and files.
    """
    kept: list[str] = []
    for (name, key), rows in zip(TABLES.items(), (plan.items, plan.queries), strict=True):
        with suppress(DataError):  # a table that cannot be read is made anew
            table, wrote = read_table(place / name, name, (key,), []), record["rows"].get(name)
            columns = set(record["columns"].get(name, ()))
            own = [] if wrote is None else [*table.index.keys() - rows.index.keys() - {*wrote}]
            own.sort(key=table.index.__getitem__)
            if rows is plan.queries and len(table):
                gone = (rows.index.keys() & {*(wrote or ())}) - table.index.keys()
                rows.drop(gone)
                plan.qrels = [each for each in plan.qrels if each[0] not in gone]
                what = "queries of the source that are not in yours"
                found.source.count(name, sorted(gone), what, "them; left out as before", "note")
                if own and "qrels.csv" in record["files"]:
                    judged = read_qrels(place / "qrels.csv", "qrels.csv", [])
                    pairs = [(*pair, grade) for pair, grade in list_pairs(judged)]
                    plan.qrels += [each for each in pairs if each[0] in own]
            kept += [f"{len(own):,} rows of {name}"] if own else []
            shown = {column: table[column] for column in rows.columns.keys() & table.columns.keys()}
            rows.add(own, {n: [cells[table.index[i]] for i in own] for n, cells in shown.items()})
            there = {id_: at for at, id_ in enumerate(table.ids) if id_ in rows.index}
            for column in [n for n in table.columns if n not in {key, *rows.columns, *columns}]:
                cells = [table[column][at] for at in there.values()]
                rows.add(list(there), {column: cells})
                kept.append(f"{column} of {name}")
    return sorted(kept)


def keep_files(place: Path, draft: Path, written: Collection[str]) -> list[str]:
    """Take over the files of people and versions that a source does not have; return their names.

    Args:
        place: The collection that is there.
        draft: The new one.
        written: Files that `init` wrote; without its record nobody knows whose versions are.

    Raises:
        DataError: If a version that people added has the name of a new one.
    """
    made = set(map(_name_version, draft.glob("*/*")))
    kept: dict[str, None] = {}
    is_known, written = RECORD in written, {*written, RECORD, "collection.toml"}
    for name in list_files(place):
        parts = name.split("/")
        is_version = len(parts) > 1 and parts[0] in ("models", "runs")
        own = "/".join(parts[:2]) if is_version else name
        is_made = _name_version(place / own) in made
        is_result = parts[0] == "runs" and not name.endswith(".json")
        if (
            is_known
            and name not in written
            and is_made
            and (is_result or parts[2:] == ["items.npy"])
        ):
            version = shlex.quote(_name_version(place / own)[1])
            do = f"python -m dashboard remove {shlex.quote(place.name)} --version {version} --yes"
            do = f"Rename the source's file, or type: {do}"
            raise DataError(own, "a version of yours, and another one of the source", "one", do=do)
        is_old = is_made if parts[0] == "runs" else name in written and (is_made or not is_version)
        if not (is_old or (draft / name).exists()):
            link_file(place / name, draft / name)
            if not (is_made and name.endswith(MADE_FOR)):  # each call writes what is new in it
                kept[name if is_made else own] = None
    return list(kept)


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
    """Link a file, or copy it where there are no links; a link to a folder is written anew."""
    if target.exists() or not (path.is_file() or path.is_symlink()):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        if path.is_file():
            os.link(path.resolve(), target)
        else:
            target.symlink_to(path.resolve())
    except OSError:
        shutil.copyfile(path, target)
