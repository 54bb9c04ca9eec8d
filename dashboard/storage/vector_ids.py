"""Ids of vectors: beside them in one file, or in a file beside it."""

import csv
import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from dashboard.errors import DataError, Findings, add_finding, explain_errors
from dashboard.tables import AnyArray, Names
from dashboard.texts import read_text

Arrays = Mapping[str, Any]
"""Arrays by their names: of numpy, or read from their file by slices."""
TABLES = (".csv", ".tsv")
OWN = ("{0}.txt", "{0}.ids", "{0}_ids.txt", "{0}.ids.txt", "{0}_ids.npy", "{0}.ids.npy",
       "{0}_ids.json", "{0}_names.txt", "ids_{0}.txt", "{0}_ids.csv", "{0}_ids.tsv",
       "{0}.csv", "{0}.tsv", "{0}.json", "{0}.rows.txt", "{0}.columns.txt")  # fmt: skip
SHARED = ("ids.txt", "ids.npy", "ids.json", "names.txt", "filenames.txt", "ids.csv", "ids.tsv",
          "names.csv", "filenames.csv", "idx2path.json", "path2idx.json", "idx2id.json",
          "id2idx.json", "idx2name.json", "name2idx.json")  # fmt: skip
"""Files of ids by the name of the file of vectors, and those that any file of a folder may have."""
IDS = re.compile(
    r"(^|[_.-])(ids?|uuid|sku|names?|file_?names?|image_?names?|paths?|keys?|files?)$", re.I
)
"""Names of arrays and columns that hold ids."""
TEXT_WORDS = frozenset(
    {"query", "queries", "q", "text", "texts", "txt", "topic", "topics", "caption", "captions",
     "sentence", "sentences", "title", "prompt", "prompts"}
)  # fmt: skip
LABELS = frozenset(
    {"label", "labels", "class", "classes", "class_name", "class_label", "category", "categories",
     "category_name", "ground_truth", "target", "choice"}
)  # fmt: skip
"""Names of arrays and columns that say that they are classes."""


def names_texts(name: str) -> bool:
    """Return whether a name says that vectors or ids are those of texts."""
    return bool(TEXT_WORDS & set(re.split(r"[_\-.\s/]", name.lower())))


def find_ids(lists: Arrays, count: int, is_text: bool, is_only: bool) -> Names | None:
    """Return the ids among the lists beside vectors, of as many: named so, texts, or numbers.

    Args:
        lists: The lists by their names.
        count: Number of the vectors.
        is_text: Whether they are those of texts; lists that are named so are taken first.
        is_only: Whether they are all vectors of the file; else no list of the other side is theirs.

    >>> find_ids({"labels": np.array(["x", "x"]), "fid": np.array([7, 9])}, 2, False, True)
    ['7', '9']
    """
    ranks = {
        name: (names_texts(name) != is_text, not IDS.search(name))
        for name, each in lists.items()
        if len(each) == count and name.lower() not in LABELS
        if IDS.search(name) or each.dtype.kind in "USO" or _is_numbering(each)
    }
    chosen = min(ranks, key=ranks.__getitem__, default="")
    is_theirs = chosen and (is_only or not ranks[chosen][0])
    return list_texts(lists[chosen]) if is_theirs else None


def _is_numbering(cells: AnyArray) -> bool:
    """Return whether whole numbers are all different, and not merely those of the rows."""
    is_whole = cells.dtype.kind in "iu" and len(np.unique(cells)) == len(cells)
    return is_whole and not np.array_equal(cells, np.arange(len(cells)))


def list_texts(cells: AnyArray) -> list[str]:
    """Return the values of an array as texts."""
    return [
        each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each)
        for each in cells.ravel().tolist()
    ]


def find_beside(name: str, there: Collection[str]) -> Names:
    """Return the files that may hold the ids of a file of vectors, the likeliest first."""
    path = PurePosixPath(name)
    files = [path.parent / each.format(path.stem) for each in (*OWN, *SHARED)]
    files += [path.parent.parent / each for each in SHARED if each.startswith("ids.")]
    places = dict.fromkeys(map(PurePosixPath.as_posix, files))
    return [place for place in places if place in there and place != name]


def read_beside(
    folder: Path, name: str, count: int, there: Collection[str], findings: Findings
) -> Names | None:
    """Return the ids of vectors from a file beside them; None if there is none of as many.

    Args:
        folder: Where the files are.
        name: The file of vectors.
        count: Number of its vectors.
        there: Files of the folder.
        findings: Gains the table that ids were taken from, and repairs of texts.

    Raises:
        DataError: If the only file of its own, no table, has another number.
    """
    other = ""
    for beside in find_beside(name, there):
        ids = read_id_file(folder / beside, beside, count, findings, PurePosixPath(name).stem)
        if len(ids) == count:
            if beside.endswith(TABLES):
                found = f"ids in {beside}, which has as many rows"
                add_finding(findings, name, found, "ids of its own; these are taken", "note")
            return ids
        is_said = bool(ids or IDS.search(PurePosixPath(beside).stem)) and beside[-4:] not in TABLES
        is_own = is_said and PurePosixPath(beside).name not in SHARED
        other = other or (f"{len(ids):,} ids in {beside}" if is_own else "")
    if other:
        raise DataError(
            name, f"{count:,} vectors and {other}", "one id for each vector, in the same order"
        )
    return None


def list_ids(found: Any, part: str = "") -> Names:
    """Return the ids in JSON: a list, alone or by a name, rows by ids, or ids by rows.

    >>> list_ids({"b": 1, "a": 0}), list_ids({"1": "b", "0": "a"}), list_ids({"0": 397, "1": 8})
    (['a', 'b'], ['a', 'b'], ['397', '8'])
    >>> list_ids({"0": 2, "1": 0, "2": 1}), list_ids({"a": "cat"})
    ([], [])
    """
    if isinstance(found, dict):
        places = [str(at) for at in range(len(found))]
        by_row = {str(at): name for name, at in found.items() if isinstance(at, int)}
        if found.keys() == {*places}:  # ids by rows; numbers that could be either say nothing
            by_row = {} if by_row.keys() == found.keys() else found
        rows = list(map(by_row.get, places))
        found = found.get(part) or found.get("ids") or rows
    is_list = isinstance(found, list) and {*map(type, found)} <= {str, int}
    return list(map(str, found)) if is_list else []


def read_id_file(path: Path, name: str, count: int, findings: Findings, part: str = "") -> Names:
    """Return the ids of a file: lines, JSON, an array, or a column of a table.

    Args:
        path: The file.
        name: Its name in messages.
        count: Number of vectors; one line more is a header if it says that it names ids.
        findings: Gains repairs of its text.
        part: Key of the ids in an object of JSON that has those of several files.

    Raises:
        DataError: If it cannot be read.
    """
    ending = path.suffix.lower()
    if ending == ".npy":
        with explain_errors(name, "a damaged file", "an array of ids"):
            return list_texts(np.load(path, allow_pickle=False))
    text = read_text(path, name, findings)
    if ending == ".json":
        with explain_errors(name, "no JSON", "a list of ids"):
            return list_ids(json.loads(text), part)
    rows = [[line.strip()] for line in text.rstrip("\n").split("\n")]
    if ending in TABLES:
        mark = max(",\t;|", key=rows[0][0].count)
        rows = [[*map(str.strip, row)] for row in csv.reader(text.split("\n"), delimiter=mark)]
        rows = [row for row in rows if any(row)]
    first, is_text = (rows[0] if rows else []), names_texts(path.stem)
    named = [
        at
        for at, cell in enumerate(first)
        if IDS.search(cell) and cell.lower() not in LABELS and names_texts(cell) <= is_text
    ]
    if len(rows) == count + 1 and named:
        return [row[named[0]] if len(row) > named[0] else "" for row in rows[1:]]
    return [row[0] for row in rows] if len(first) == 1 else []
