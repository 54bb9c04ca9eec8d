"""Pieces: the plain values that a format yields, and that `init` joins to a collection.

A format yields as many pieces as it likes, in any order, each of a part of a file: a large table is
never held whole.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from dashboard.errors import Unsure
from dashboard.plugins.importers.naming import name_part
from dashboard.plugins.importers.source import BROKEN, Columns, Side, Source, find_stem
from dashboard.storage.vector_ids import Arrays
from dashboard.tables import AnyArray, Names, Row, Texts
from dashboard.texts import parse_number, split_cells

Result = tuple[str, str, float]
"""Query, item and score, or grade."""


class Items(NamedTuple):
    """Items, and what is known of each.

    Attributes:
        file: File of the source that they come from, for the answer and for messages.
        ids: Id of each; an item may come again with further cells.
        columns: Cells by column: `file` and `poster` (paths below the source), `caption`, `kind`,
            `span_start`, `span_end`, and any further column under its own name. Without `file` the
            ids are looked for among the pictures and clips.
        labels: Columns that the format itself declares to be classes; others are guessed by name.
        contents: Bytes of the picture or clip of each, where the source holds them inside.
        is_whole: Whether further pictures of the source are no items of this collection.
        cells: What names each in the file itself, where its picture or clip is not there.
    """

    file: str
    ids: Names
    columns: Mapping[str, Names] = {}
    labels: Names = ()
    contents: Sequence[bytes | None] = ()
    is_whole: bool = False
    cells: Names = ()


class Queries(NamedTuple):
    """Queries: `text`, `item_id` or `image` of each, and any further column."""

    file: str
    ids: Names
    columns: Mapping[str, Names]


class ClassNames(NamedTuple):
    """Names of classes by the codes that cells hold."""

    file: str
    names: Texts


class Judgements(NamedTuple):
    """Query, item and grade of judged pairs; None: nobody judged it, "" for an item: no pair."""

    file: str
    rows: Sequence[tuple[str, str, float | None]]


class Captions(NamedTuple):
    """Item, text and id of texts that belong to items, any number to each; "" for no id."""

    file: str
    rows: Sequence[tuple[str, str, str]]


class Vectors(NamedTuple):
    """Some rows of the vectors of a version. [rows, dimension].

    Attributes:
        name: Name of the version.
        side: Whether they are vectors of items, or of texts (captions or queries).
        ids: Id of each row; None where the source does not say, which `init` refuses without
            --by-position.
        columns: Id of each column, if they are similarities of rows and columns.
        of_pictures: Whether the ids of texts are those of their pictures.
        key: Name of the array in its file.
    """

    file: str
    name: str
    side: Side
    rows: AnyArray
    ids: Names | None
    columns: Names = ()
    of_pictures: bool = False
    key: str = ""


class RunLines(NamedTuple):
    """Query, item and score of the results of a version."""

    file: str
    name: str
    rows: Sequence[Result]


class Copied(NamedTuple):
    """A table that a protocol reads by its name, and settings of the collection that name it."""

    file: str
    name: str
    rows: int
    settings: Row


LABEL = re.compile(r"^label(_id)?$|^choices$|^taxonomy$|labels$")
"""Keys of labels in JSON."""
OF_REGIONS = re.compile("labels$|choices$|taxonomy$")
"""Keys of Label Studio, whose labels are cells of the column itself."""
MIN_WIDE = 8
"""Fractions in columns or lists that are a vector; fewer are scores, boxes and places."""
RESULTS = re.compile("result|hits|ranking|retrieved|(?<!unrated_)docs$|children$", re.I)
RELEVANT = re.compile(r"(?<!ir)(?<!non)(?<!no[nt][_ -])relevant|(?<!false[_ -])positive", re.I)
ASKED = ("query", "q", "query_id", "qid")
LISTED = re.compile(rf"^(?!n_|num|true).*({RELEVANT.pattern})\w*s$", re.I)
"""Names of a query, and of lists of the ids that it found, or should find."""
Piece = Copied | Items | ClassNames | Queries | Judgements | Captions | Vectors | RunLines
Pieces = Iterator[Piece]


class Format(NamedTuple):
    """A form in which people keep their data.

    Attributes:
        name: Name in the answer.
        recognise: Returns the files that it reads, of `source.left`: those that no format before it
            has taken.
        read: Yields the pieces of these files.
    """

    name: str
    recognise: Callable[[Source], Names]
    read: Callable[[Source, Names], Iterable[Piece]]


def read_each(
    read: Callable[[Source, str], Iterable[Piece]], source: Source, files: Names
) -> Pieces:
    """Yield the pieces of each file; a file that cannot be read is said, the others are read."""
    for name in files:
        try:
            yield from read(source, name)
        except BROKEN as error:
            source.leave_out(name, error)


def match_lines(
    source: Source, name: str, pattern: re.Pattern[str], wanted: str
) -> list[re.Match[str]]:
    """Return the lines of a file that have a form; the others are said."""
    lines = enumerate(map(str.strip, source.read_text(name).split("\n")), 1)
    found = {at: pattern.fullmatch(each) for at, each in lines if each and each[0] != "#"}
    odd = [at for at, match in found.items() if match is None]
    source.count(name, odd, "lines of another form than most", f"{wanted}; left out")
    return list(filter(None, found.values()))


def rises(rows: Iterable[tuple[str, float, float]]) -> bool:
    """Return whether numbers of nearly all results rise with the rank, as distances do.

    Args:
        rows: Query, rank and number of each result.
    """
    moves = [b[2] - a[2] for a, b in pairwise(sorted(rows)) if a[0] == b[0] and a[1] < b[1]]
    return sum(move > 0 for move in moves) > 0.9 * len(moves)


def list_lines(file: str, item: str, text: str) -> Captions:
    """Return the captions of an item in a text: a line each, as in CUB and clip_benchmark."""
    lines = map(str.split, text.splitlines())
    return Captions(file, [(item, " ".join(words), "") for words in lines if words])


def make_text(value: Any) -> str:
    """Return a value as the text of a cell; lists and objects as JSON, whole numbers as such.

    Bytes with a NUL, as pictures have, are no text.
    """
    if isinstance(value, bytes):
        value = None if b"\0" in value else value.decode("utf-8", "replace")
    if value is None or value != value:  # not a number
        return ""
    if isinstance(value, (bool, list, dict, tuple)):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).replace("\0", "").strip()


def write_list(parts: Iterable[str]) -> str:
    """Return the cell of several classes, each once; "" for none."""
    names = list(dict.fromkeys(filter(None, parts)))
    return json.dumps(names, ensure_ascii=False) if names else ""


def list_options(option: str, values: Iterable[str]) -> list[str]:
    """Return the lines to type that state one of some values."""
    return [f"{option} {shlex.quote(each)}" for each in values]


def find_labels(value: Any, classes: Sequence[Any] = (), is_label: object = False) -> Names:
    """Return the labels in a value of JSON: those below keys that say so, of a path its end.

    Args:
        value: An object, a list, a name, or the number of a class.
        classes: ClassNames of classes by their numbers.
        is_label: Whether the key above it says that it is one.

    >>> find_labels({"box": {"label": 1}, "taxonomy": [["pet", "cat"]], "id": 7}, ["x", "dog"])
    ['dog', 'cat']
    """
    if isinstance(value, dict):
        parts = [
            find_labels(own, classes, LABEL.search(key))
            for key, own in value.items()
            if key != "attributes"
        ]
    elif isinstance(value, list):
        parts = [
            find_labels(
                own[-1] if is_label and own and isinstance(own, list) else own, classes, is_label
            )
            for own in value
        ]
    else:
        is_place = isinstance(value, int) and 0 <= value < len(classes)
        own = str(classes[value] if is_place else value)
        parts = [[own]] if is_label and value not in (None, "") else []
    return list(chain(*parts))


def holds_objects(cell: Any) -> bool:
    """Return whether a value is a list of objects alone."""
    return isinstance(cell, list) and {*map(type, cell)} == {dict}


def flatten(row: Row, before: str = "") -> Row:
    """Return the cells of a row, those of objects inside it as NAME.NAME.

    Label Studio's choices are a list, and the stars of an item its rating.
    """
    found: Row = {}
    for key, value in row.items():
        name = f"{before}{key}"
        if isinstance(value, str) and value.startswith(('{"', '[{"rating"')):  # in a table's cell
            with suppress(ValueError):
                value = json.loads(value)
        if holds_objects(value) and value[0].keys() == {"rating"}:
            found[name if "rating" in found else "rating"] = value[0]["rating"]
        elif not isinstance(value, dict):
            found[name] = value
        elif value.keys() == {"choices"}:
            found[name] = value["choices"]
        else:
            found |= flatten(value, f"{name}.")
    return found


def list_inside(row: Row) -> Row:
    """Return the cells of a row, with the texts of objects in lists as NAME.NAME, a list each.

    >>> list_inside({"x": [{"y": {"z": "a"}}, {"y": {"z": "b"}}]})["x.y.z"]
    ['a', 'b']
    """
    if not any(isinstance(e, dict | list) or str(e)[:1] in ("{", "[") for e in row.values()):
        return row  # as nearly all
    cells = flatten(row)
    for column, own in list(cells.items()):
        for each in own if holds_objects(own) else ():
            for key, value in list_inside(each).items():
                every = value if isinstance(value, list) else [value]
                texts = [text for text in every if isinstance(text, str)]
                if texts and not OF_REGIONS.search(key):
                    cells.setdefault(f"{column}.{key}", []).extend(texts)
    return cells


def part_results(row: Row) -> list[Row]:
    """Return a row for each result, relevant item or rating that a query lists; else the row."""
    if row.keys() >= {"request", "ratings"}:  # Elasticsearch
        row = {"query": row["id"], "ratings": row["ratings"]}
    query = row.get("query", row.get("query_text"))
    if query and isinstance(ratings := row.get("ratings"), dict):
        pairs = ratings.items() or [("", None)]
        return [{"query": query, "docid": doc, "rating": grade} for doc, grade in pairs]
    cells = {
        name: split_cells([own])[own] if isinstance(own, str) and LISTED.search(name) else own
        for name, own in flatten(row).items()
    }
    asked = [own for name, own in cells.items() if name.rpartition(".")[2] in ASKED]
    lists = {name: own for name, own in cells.items() if asked and isinstance(own, list) and own}
    if list in map(type, chain(*lists.values())):
        return [row]  # QVHighlights' windows are no items
    stated = [name for name in lists if RELEVANT.search(name) or RESULTS.search(name)]
    left = {name for name, own in lists.items() if name in stated or {*map(type, own)} != {str}}
    others = {name: own for name, own in cells.items() if name not in left and "." not in name}
    rows = []
    for name in stated or [e for e, own in lists.items() if holds_objects(own) and "query" in row]:
        for rank, each in enumerate(lists[name], start=1):
            hit = dict(each) if isinstance(each, dict) else {"item_id": each}
            if "." in name and "relevance" in hit:  # of a response, as Vespa's, and of nobody
                hit["score"] = hit.pop("relevance")
            if name != "ratings":
                hit = {"grade": 1} | hit if RELEVANT.search(name) else {"rank": rank} | hit
            rows.append({"query": asked[0]} | others | hit)
    return rows or [row]


def join_wide(columns: Columns) -> Arrays:
    """Take numbered columns of fractions out of some columns; return them as vectors.

    >>> columns = {f"dim_{at}": ["0.5"] for at in range(8)} | {"id": ["a"]}
    >>> join_wide(columns)["dim"].shape, list(columns)
    ((1, 8), ['id'])
    """
    groups: dict[str, dict[int, str]] = {}
    for name in columns:
        if match := re.fullmatch(r"(.*?)[_.\- ]?(\d+)", name):
            groups.setdefault(match[1], {})[int(match[2])] = name
    found = {}
    for stem, named in groups.items():
        names = [named[at] for at in sorted(named)]
        if len(names) >= MIN_WIDE and any("." in columns[name][0] for name in names):
            found[stem] = np.array(
                [list(map(parse_number, columns.pop(name))) for name in names], dtype=np.float32
            ).T
    return found


def choose_part(source: Source, files: Names, parts: Names, what: str) -> str:
    """Return the file that counts: the one named, or the only one of the best part.

    Args:
        source: Where the files are; gains a note of the others.
        files: The files, one a part.
        parts: Words in their names, the best one first.
        what: What each file holds.

    Raises:
        Unsure: If several are as good.
    """
    words = {name: list(map(name_part, find_stem(name).split("."))) for name in files}
    ranked = [[name for name in files if part in words[name]] for part in parts]
    best = next(filter(None, [source.list_stated(files), *ranked]), files)
    if len(best) > 1:
        raise Unsure(
            best[0], f"{len(best):,} {what}", "one a collection", list_options("--judgements", best)
        )
    others = [name for name in files if name != best[0]]
    wanted = f"one; {best[0]} counts. Another one: --judgements {''.join(others[:1])}"
    source.count(best[0], others, f"further {what}", wanted, "note")
    return best[0]
