"""A planned collection written into a folder beside its place, checked, and then moved there."""

import csv
import json
import os
import shlex
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import repeat
from pathlib import Path

from dashboard.errors import list_names
from dashboard.plugins.importers.deciding import KEYWORDS
from dashboard.plugins.importers.gathering import Gathered, Line, Rows
from dashboard.plugins.importers.placing import match_queries
from dashboard.plugins.importers.source import Ordered
from dashboard.storage.drafts import DRAFT, claim
from dashboard.storage.versions import MADE_FOR
from dashboard.tables import Names, Row, Texts, read_table

RECORD = ".init.json"
"""What `init` made of the source alone: files, settings and tables. All else is of people."""
TABLES = {
    "items.csv": ("item_id",),
    "queries.csv": ("query_id",),
    "qrels.csv": ("query_id", "item_id"),
    "unified_annotation.csv": ("slice_id",),
}
"""Tables in which people change rows, and the columns that name a row."""
Cells = dict[Line, Texts]
"""The filled cells of each row of a table, by its key."""


@contextmanager
def open_draft(place: Path, keep: bool) -> Iterator[Path]:
    """Yield a new folder; it takes its place, or is removed after an error and if not to `keep`.

    What a call left that was killed is removed by the next one.

    Raises:
        DataError: If another call is at work, or nothing can be written.
    """
    home = place.parent / ".drafts" / place.name  # nobody sees a half made collection there
    draft, before = home / place.name, home / f"{place.name}.old"
    with claim(home, place.name, "another init at work"):
        try:
            _restore(before, place)
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            yield draft
            if keep:
                if place.exists():
                    place.rename(before)
                draft.rename(place)
        finally:
            _restore(before, place)
            shutil.rmtree(home)
            with suppress(OSError):  # another call is at work on another collection
                home.parent.rmdir()


def _restore(before: Path, place: Path) -> None:
    """Put a collection back that was moved away, and that no other one took the place of."""
    if before.exists() and not place.exists():
        before.rename(place)


def list_tables(found: Gathered) -> None:
    """Make the header and the rows of each table of the collection, by its file."""
    tables = found.tables = {
        "items.csv": _list_rows("item_id", found.items),
        "queries.csv": _list_rows("query_id", found.queries),
        "qrels.csv": [
            ("query_id", "item_id", "grade"),
            *[(query, item, f"{grade:g}") for query, item, grade in found.qrels],
        ],
    }
    head, *keywords = _list_rows("slice_id", found.items, is_keyword=True)
    used = (row for row in keywords if found.basis == "keywords" and any(row[1:]))
    tables["unified_annotation.csv"] = [head, *used]
    for name, run in found.runs.items():
        names = found.match_items((item for _, item, _ in run.rows), run.file)
        asked = match_queries(found, run, names.values())
        rows = [(asked.get(q, q), names.get(i, i), repr(score)) for q, i, score in run.rows]
        tables[f"runs/{name}.csv"] = [("query_id", "item_id", "score"), *rows]


def write_files(found: Gathered) -> list[Row]:
    """Write tables and copies, beside vectors and media; return a row a file: rows, origin."""
    draft, tables = found.folder, found.tables
    taken: dict[str, Iterable[str]] = {**found.taken, "qrels.csv": found.files}
    taken |= {f"runs/{name}.csv": [run.file] for name, run in found.runs.items()}
    numbers = {file: len(rows) - 1 for file, rows in tables.items()}
    for name, number in numbers.items():
        if number:
            (draft / name).parent.mkdir(exist_ok=True)
            with (draft / name).open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(tables[name])
    for version in found.placed:
        numbers |= version.rows
        taken |= dict.fromkeys(version.rows, version.said)
    for name in ("media", "posters"):
        numbers[f"{name}/"] = len(list_files(draft / name))
    for name, each in found.copied.items():
        shutil.copyfile(found.source.find_path(each.file), draft / name)
        numbers[name] = each.rows
    return [
        {
            "file": name,
            "rows": number,
            "taken_from": list_names(taken.get(name, ())) or "the source",
            "guessed": name == "queries.csv" and found.of_queries or None,
        }
        for name, number in numbers.items()
        if number
    ]


def _list_rows(key: str, rows: Rows, is_keyword: bool = False) -> list[Line]:
    """Return the header and the rows of a table: of columns of keywords, or of all others."""
    shown = [
        name
        for name, cells in rows.columns.items()
        if name != key and any(cells) and name.startswith(KEYWORDS) == is_keyword
    ]
    return [(key, *shown), *rows.list_rows(*shown)]


def read_record(place: Path) -> Row:
    """Return what `init` made the last time; nothing where no record tells it."""
    record: Row = {"files": [], "settings": {}, "tables": {}, "removed": [], "choices": {}}
    with suppress(OSError, ValueError, TypeError):
        record |= json.loads((place / RECORD).read_bytes())
    return record


def drop_versions(place: Path, found: Gathered, record: Row) -> None:
    """Leave out versions of the source whose name people removed, or gave one of their own."""
    wrote, there = (set(map(_name_version, e)) for e in (record["files"], list_files(place)))
    record["removed"] = sorted({*record["removed"], *wrote} - there)
    theirs = {name.partition("/")[2] for name in {*record["removed"], *(there - wrote)}}
    name = shlex.quote(place.name)
    found.source.count(
        place.name,
        sorted(theirs & {*(name for name, _ in found.vectors), *found.runs}),
        "versions under names that you removed, or use for your own",
        f"other names; left out. Type python -m dashboard restore {name} to have yours back, or "
        f"python -m dashboard remove {name} --version NAME --yes for the source's",
        "note",
    )
    found.vectors = {key: each for key, each in found.vectors.items() if key[0] not in theirs}
    for name in theirs & found.runs.keys():
        del found.runs[name]


def list_files(folder: Path) -> Names:
    """Return the files below a folder, and links to folders as such; no drafts."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file())
    names = (path.relative_to(folder).as_posix() for path in paths)
    return [name for name in names if f"/{DRAFT}" not in name]


def keep_rows(place: Path, name: str, found: Gathered, record: Row) -> None:
    """Give a new table what people changed in the one that is there, and say what changes.

    A query that people deleted has no judgements.

    Args:
        place: The collection that is there.
        name: File of the table.
        found: The new tables.
        record: What `init` made the last time.
    """
    tables, source = found.tables, found.source
    keys, rows, path = TABLES[name], tables[name], place / name
    made = record["tables"].get(name, [])
    if not path.is_file() or max(len(rows), len(made)) < 2:
        return
    told = read_table(path, name, keys, [], unique=False).columns
    old = [tuple(told), *zip(*told.values(), strict=True)]
    new, theirs, base = (_index_rows(each, keys) for each in (rows, old, made))
    now = merge_rows(keys, new, theirs, base)
    filled = {*keys}.union(*now.values())
    columns = [each for each in dict.fromkeys((*rows[0], *old[0])) if each in filled]
    tables[name] = [tuple(columns), *(tuple(map(e.get, columns, repeat(""))) for e in now.values())]
    dropped = [key for key in theirs if key not in now]
    changed = [" ".join(key) for key in dropped if theirs[key] != base.get(key)]
    source.count(name, changed, "rows that you changed", "rows of the source; gone")
    left = [each for each in columns if made and each in made[0] and each not in rows[0]]
    wanted = "columns of the source; cells that you changed stay there, and count no more"
    source.count(name, left, "columns that the source has no more", wanted)
    other, own = (sum(a.get(k) != row for k, row in now.items()) for a in (theirs, new))
    away = new.keys() - now.keys()
    yours = f"{own:,} rows of yours stay, and {len(away):,} that you deleted stay away"
    if own and not made:
        source.say(
            name,
            f"{own:,} rows unlike the source's",
            "a record of what init wrote, so all of them stay. To make it anew, type "
            f"python -m dashboard remove {shlex.quote(place.name)} --yes, and init again",
        )
    elif other or dropped or own or away:
        source.say(
            name,
            f"{other:,} rows that are new or changed, and {len(dropped):,} that are gone",
            f"what the source has; taken in. {yours}",
            "note",
        )
    if name == "queries.csv":
        tables["qrels.csv"] = [row for row in tables["qrels.csv"] if row[:1] not in away]


def merge_rows(keys: Names, new: Cells, theirs: Cells, base: Cells) -> Cells:
    """Return the rows of a table in which cells that people changed, or whole rows, stay so.

    Args:
        keys: Columns that name a row; one that people deleted has none of them.
        new: Rows by the source.
        theirs: Those of people.
        base: Those by the source when people got them.

    >>> a, b, c = ({(name,): {"id": name, "x": "1"}} for name in "abc")
    >>> merge_rows(["id"], {("a",): {"id": "a", "x": "2"}, **b}, {**a, **c}, {**a, **b})
    {('a',): {'id': 'a', 'x': '2'}, ('c',): {'id': 'c', 'x': '1'}}
    """
    merged: Cells = {}
    for key in new | theirs:
        now, mine, before = (each.get(key, {}) for each in (new, theirs, base))
        chosen = {name: now if mine.get(name) == before.get(name) else mine for name in now | mine}
        merged[key] = {name: each[name] for name, each in chosen.items() if name in each}
    return {key: row for key, row in merged.items() if {*keys} <= row.keys()}


def _index_rows(rows: Sequence[Names], keys: Names) -> Cells:
    cells = [{n: e for n, e in zip(rows[0], row, strict=True) if e} for row in rows[1:]]
    return {tuple(row.get(key, "") for key in keys): row for row in cells}


def keep_files(place: Path, draft: Path, written: Collection[str]) -> Names:
    """Take over the files of people, and versions that a source does not have; return their names.

    Args:
        place: The collection that is there.
        draft: The new one.
        written: Files that `init` wrote.
    """
    made = set(map(_name_version, list_files(draft))) - {""}
    kept: Ordered = {}
    for name in list_files(place):
        version = _name_version(name)
        is_made = version in made
        is_of_people = name not in written or version and not is_made
        if is_of_people and not (draft / name).exists():
            link_file(place / name, draft / name)
            if not (is_made and name.endswith(MADE_FOR)):  # each call writes what is new in it
                kept[name if is_made else version or name] = None
    return list(kept)


def _name_version(name: str) -> str:
    """Return the folder and the name of the version that a file is of, or ""."""
    kind, _, inside = name.partition("/")
    if kind == "runs":
        return name.rpartition(".")[0] or name
    return f"models/{inside.partition('/')[0]}" if kind == "models" else ""


def link_media(found: Gathered) -> None:
    """Give each picture and clip a second place, as a hard link where that is possible."""
    for folder, names in {
        "media": [*found.items.get("file"), *found.queries.get("image")],
        "posters": found.items.get("poster"),
    }.items():
        for name in {*found.source.media}.intersection(names):
            link_file(found.source.find_path(name), found.folder / folder / name)
    cells = {name: own for name, own in found.written.items() if name in found.items.index}
    found.items.add(list(cells), {"file": list(cells.values())})


def link_file(path: Path, target: Path) -> None:
    """Link a file, or copy it where there are no links; a link to a folder is written anew."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        if path.is_file():
            os.link(path.resolve(), target)
        else:
            target.symlink_to(path.resolve())
    except OSError:
        shutil.copyfile(path, target)
