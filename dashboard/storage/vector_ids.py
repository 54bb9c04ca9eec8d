"""Ids of vectors: which arrays and files hold them, by their names and what is in them."""

import re
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from dashboard.errors import DataError, Findings, add_finding
from dashboard.tables import AnyArray, Names

Arrays = dict[str, Any]
"""Arrays by their names: of numpy, or read from their file by slices."""
TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
ENDINGS = (".txt", ".ids", ".npy", ".json", *TABLES)
"""Endings of files of ids, the surest first."""
ID_WORDS = (
    r"ids?",
    r"(file|image)?names?|paths?|files?",
    r"rows|columns|idx2\w+|\w+2idx|index|meta(data)?",
)
"""Words in names of files that hold ids, the surest first."""
OTHER_WORD = re.compile(r"(image|img|picture|photo|video|clip|item|doc|product)s?|map(ping)?|list")
"""Words that may stand beside these: of what, and how."""
IDS = re.compile(
    r"(^|[_./-])(ids?|uuid|sku|names?|file_?names?|image_?names?|paths?|keys?|files?)$", re.I
)
"""Names of arrays and columns that hold ids."""
MIN_KEYED = 5
"""Arrays of fractions, each a vector by its key; fewer are something else."""
DISTANCES = re.compile(
    r"(?<![^\W_])(c?dist(?:ance)?s?(?:mat)?|costs?|hamming|euclidean)(?![^\W_])", re.I
)
"""Words in names of matrices in which the lowest number is the best."""
REVERSED = re.compile("sim|score|minus|1-|inv|neg", re.I)
"""Words beside these in names of similarities that are made of distances."""
TEXT_WORDS = frozenset(
    {"query", "queries", "q", "qf", "qid", "qids", "text", "texts", "txt", "topic", "topics",
     "caption", "captions", "sentence", "sentences", "sen", "sentid", "sentids", "paragraph",
     "paragraphs", "title", "prompt", "prompts"}
)  # fmt: skip
NEIGHBOURS = frozenset({"target", "reference"})
"""Words in names of lists of what queries are composed of, or look for."""
LABELS = frozenset(
    {"label", "labels", "class", "classes", "class_name", "class_label", "category", "categories",
     "category_name", "ground_truth", "target", "targets", "choice"}
)  # fmt: skip
"""Names of arrays and columns that say that they are classes."""


def names_texts(name: str) -> bool:
    """Return whether a name says that vectors or ids are those of texts; is_query marks items."""
    words = re.split(r"(?<!(?<![^\W_])is)_|[\-.\s/]", name.lower())
    return not TEXT_WORDS.isdisjoint(words)


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
        if len(each) == count and list_words(name)[-1] not in LABELS
        if not (is_text and NEIGHBOURS & {*list_words(name)})
        if IDS.search(name)
        or (
            # texts or whole numbers that all differ, and are not merely those of the rows
            each.dtype.kind in "iuUSO"
            and len(np.unique(each)) == count
            and not np.array_equal(each, np.arange(count))
        )
    }
    chosen = min(ranks, key=ranks.__getitem__, default="")
    return list_texts(lists[chosen]) if chosen and (is_only or not ranks[chosen][0]) else None


def list_texts(cells: AnyArray) -> list[str]:
    """Return the values of an array as texts."""
    return [
        each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each)
        for each in cells.ravel().tolist()
    ]


class Beside(NamedTuple):
    """Files beside vectors.

    Attributes:
        files: All of them.
        lists: Those whose names say that they hold ids.
    """

    files: Collection[str]
    lists: Names


def list_beside(files: Iterable[str]) -> Beside:
    """Return files among which ids of vectors are looked for."""
    every = sorted(files)
    lists = [name for name in every if _rank_words(list_words(name)) < len(ID_WORDS)]
    return Beside(frozenset(every), lists)


def _rank_words(words: Iterable[str]) -> int:
    """Return how sure the words in a name say that it holds ids: 0 the surest; else many."""
    ranks = (rank for rank, each in enumerate(ID_WORDS) for e in words if re.fullmatch(each, e))
    return min(ranks, default=len(ID_WORDS))


def find_beside(name: str, there: Beside, is_text: bool = False) -> Names:
    """Return the files that may hold the ids of a file of vectors, the likeliest first.

    They are in its folder or in the one around it, and their names say that they hold ids, and
    nothing that its name does not; or have its own name with another ending. Names that say texts
    are those of vectors whose name says so, or that may be of texts (`is_text`).

    >>> there = list_beside(["a/clip_1_ids.txt", "a/clip_2_ids.txt", "paths.json", "ids.json"])
    >>> find_beside("a/clip_1.npy", there)
    ['a/clip_1_ids.txt', 'ids.json', 'paths.json']
    """
    path = PurePosixPath(name)
    own, is_text = {*list_words(name)}, is_text or names_texts(path.stem)
    same = [str(path.with_suffix(ending)) for ending in ENDINGS if ending != ".npy"]
    found = {}
    for other in map(PurePosixPath, there.lists):
        words = {*list_words(other.name)}
        is_near = other.parent in (path.parent, path.parent.parent) and other.suffix in ENDINGS
        surest = _rank_words(words)
        is_odd = any(
            _rank_words([e]) == len(ID_WORDS)
            and not (OTHER_WORD.fullmatch(e) or is_text and e in TEXT_WORDS)
            for e in words - own
        )
        if is_near and other != path and not is_odd and (surest < 2 or other.suffix != ".npy"):
            away, is_other = other.parent != path.parent, names_texts(other.stem) != is_text
            rank = (away, is_other, -len(words & own), surest, ENDINGS.index(other.suffix))
            found[str(other)] = rank
    known = [other for other in same if other in there.files and other != name]
    return list(dict.fromkeys([*known, *sorted(found, key=found.__getitem__)]))


def list_words(name: str) -> Names:
    """Return the words in the name of a file, in small letters."""
    return re.split(r"[\W_]+", PurePosixPath(name).stem.lower())


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
        found = found.get(part) or found.get("ids") or list(map(by_row.get, places))
    is_list = isinstance(found, list) and {*map(type, found)} <= {str, int}
    return list(map(str, found)) if is_list else []


def drop_axes(array: AnyArray) -> AnyArray:
    """Return an array without axes of one number, but for the first and those of vectors."""
    least = 2 if array.dtype.kind in "biuf" else 1
    if array.ndim <= least or 1 not in array.shape[1:]:
        return array
    return array[:].reshape(len(array), *(size for size in array.shape[1:] if size > 1))


def join_keyed(arrays: Arrays) -> Arrays:
    """Return arrays that are each a vector, of one row or none, as one array and their ids.

    >>> join_keyed({f"{name}/x": np.ones((1, 2)) for name in "abcde"})["ids"].tolist()
    ['a', 'b', 'c', 'd', 'e']
    """
    rows = {key: each for key, each in arrays.items() if each.ndim and key}
    kinds = {(each.size, each.shape[-1], each.dtype.kind) for each in rows.values()}
    match [*kinds]:
        case [(size, width, "f")] if size == width and len(rows) >= MIN_KEYED:
            ends = {key.rpartition("/")[2] for key in rows}
            names = [key.rpartition("/")[0] if len(ends) == 1 else key for key in rows]
            return {
                "": np.stack([each[:].ravel() for each in rows.values()]),
                "ids": np.array(names),
            }
    return arrays


def negate_distances(rows: AnyArray, name: str, file: str, findings: Findings) -> AnyArray:
    """Return a matrix, with the sign of its numbers changed if its name says that it has distances.

    Raises:
        DataError: If its name, or negative numbers, say otherwise.
    """
    if not DISTANCES.search(name):
        return rows
    if REVERSED.search(name) or np.min(rows) < -0.001 * np.max(rows):
        found = "distances by a word in its name, and by another one or negative numbers none"
        do = "Call it dist, sims or embeddings, as what it is."
        raise DataError(file, found, "a name that says which", do=do)
    wanted = "similarities; the sign of all numbers is changed"
    add_finding(findings, file, "distances, the lowest the best", wanted, "note")
    return 0.0 - rows[:]
