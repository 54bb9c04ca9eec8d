"""Versions that are matrices of similarities: `runs/NAME.npy`, both directions from one.

The ids of rows and columns stand beside it in `NAME.rows.txt` and `NAME.columns.txt`; without them
the shape tells what they are, and for a square one the setting `matrix_rows`. It is read in parts:
a query's row ranks the columns, its column the rows.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from dashboard.errors import DataError, Findings, add_finding, count_odd
from dashboard.plugins.crossmodal.sides import TEXTS
from dashboard.retrieval.gallery import Rankings, SortedRanking
from dashboard.retrieval.sources import NOTHING, Source, place_items
from dashboard.storage.collection import Collection
from dashboard.storage.runs import list_pairs
from dashboard.storage.vectors import ArrayFile, open_array, read_ids
from dashboard.storage.versions import Broken, Version, Versions, try_to_read
from dashboard.tables import AnyArray, FloatArray, IntArray, Names, Reasons, Texts, Ties
from dashboard.texts import require_file

SETTING = "matrix_rows"
AXES = ("rows", "columns")
Axes = Sequence[Names]
DECIMALS = 6
MAX_READ = 1 << 22
MAX_CELLS = 1 << 23
"""Numbers that are read, and scores that are held, at once."""


def read_matrices(collection: Collection, broken: Broken, findings: Findings) -> Versions:
    """Return the versions that are matrices, by name; put those that cannot be used into `broken`.

    Files of ids end in `.txt`, as files of results do; they are none.
    """
    paths = sorted((collection.folder / "runs").glob("[!.]*.npy"))
    for path in paths:
        for axis in AXES:
            broken.pop(f"{path.stem}.{axis}", None)
    read = {path.stem: partial(_read_matrix, collection, path, findings) for path in paths}
    return try_to_read(broken, read)


def _read_matrix(collection: Collection, path: Path, findings: Findings) -> Version:
    name = f"runs/{path.name}"
    stored, is_turned = open_array(path, name, "rows and columns of similarities")
    shape = stored.shape[::-1] if is_turned else stored.shape
    decimals = find_decimals(find_largest(stored, is_turned))
    axes = _read_axes(path, shape, findings) or _guess_axes(collection, shape, path.stem, findings)
    meant = _find_queried(collection)
    gallery = collection.items
    items = [
        gallery.find(name if name in gallery.index else meant.get(name, "") for name in axis)
        for axis in axes
    ]
    asking = _find_lines(collection, axes, meant)
    if (asking < 0).all():
        raise DataError(
            name,
            "no query of the collection in rows or columns",
            "ids of queries, of items that they are about, or of texts with their words",
        )
    for axis, ids, found, lines in zip(AXES, axes, items, asking[::-1], strict=True):
        if (lines >= 0).any():  # queries search this axis
            strange = [ids[line] for line in np.flatnonzero(found < 0).tolist()]
            wanted = "ids of items, or of queries about one or with a text's words; none is found"
            findings += count_odd(name, strange, f"{axis} that are no items", wanted)
    order = slice(None, None, -1 if is_turned else 1)  # as the lines follow each other in the file

    def make_source(collection: Collection, version: Version, ties: Ties) -> MatrixSource:
        asking = _find_lines(collection, axes, _find_queried(collection))
        places = place_items(collection.items.ids, ties)
        absent = np.flatnonzero((asking < 0).all(axis=0)).tolist()
        not_run = dict.fromkeys(absent, f"{path.stem} has no row or column of this query")
        found = []
        for lines, axis in zip(asking, items[::-1], strict=True):
            known = np.flatnonzero(axis >= 0)
            known = known[np.argsort(places[axis[known]], kind="stable")]
            found.append((known, axis[known]))
            if not len(known):
                why = f"{path.stem} is a matrix without items for queries of this kind"
                not_run |= dict.fromkeys(np.flatnonzero(lines >= 0).tolist(), why)
        return MatrixSource(stored, found[order], asking[order], decimals, ties, not_run)

    return Version(path.stem, file=name, make_source=make_source)


def _read_axes(path: Path, shape: tuple[int, int], findings: Findings) -> Axes | None:
    """Return the ids of rows and of columns; None without files of ids."""
    files = [path.with_name(f"{path.stem}.{axis}.txt") for axis in AXES]
    if not any(map(Path.is_file, files)):
        return None
    read: list[Names] = []
    for axis, file, number in zip(AXES, files, shape, strict=True):
        name = f"runs/{file.name}"
        require_file(file, name, f"the ids of runs/{path.name}, one a line")
        ids = read_ids(file, name, findings)
        if len(ids) != number:
            do = "Write the ids of the matrix as it is; its transpose has the other two files."
            raise DataError(
                f"runs/{path.name}",
                f"{number:,} {axis} and {len(ids):,} ids in {name}",
                f"an id for each of the {axis}, in the same order",
                do=do if len(ids) == shape[1 - len(read)] else "",
            )
        read.append(ids)
    return read


def _guess_axes(
    collection: Collection, shape: tuple[int, int], stem: str, findings: Findings
) -> Axes:
    """Return what rows and columns without ids are, by the shape, of a square one by the setting.

    Raises:
        DataError: If that tells nothing.
    """
    name = f"runs/{stem}.npy"
    items = collection.items
    gallery = items.ids[: len(items.lines) or None]  # judged items that the file lacks follow
    pictures: list[str] = []
    texts: list[str] = []
    for each, kind in zip(gallery, items["kind"], strict=False):
        (texts if kind.lower() in TEXTS else pictures).append(each)
    order = "in the order of items.csv"
    if not texts:
        texts = [query for query, text in collection.queries.list_rows("text") if text]
        order += " and queries.csv"
    ways = {"item": (pictures, texts), "text": (texts, pictures)}
    told = {"item": f"items × texts, {order}", "text": f"texts × items, {order}"}
    fits = [rows for rows, axes in ways.items() if tuple(map(len, axes)) == shape]
    found = f"the shape {shape} without ids"
    ids = f"ids, one a line, in runs/{stem}.rows.txt and runs/{stem}.columns.txt"
    if not fits:
        sizes = (f"({len(a):,}, {len(b):,}), {told[rows]}" for rows, (a, b) in ways.items())
        raise DataError(name, found, "; ".join(sizes), do=f"Write {ids}.")
    rows, why = fits[0], "the shape says so"
    if fits[1:]:
        rows, why = collection.settings.get(SETTING, ""), f"{SETTING} says so"
    if rows not in ways:
        raise DataError(
            name,
            f"{found}, which is {' or '.join(told.values())}",
            "a statement of what its rows are",
            do=f'Write {SETTING} = "item" or {SETTING} = "text" in collection.toml, or {ids}.',
        )
    add_finding(findings, name, "no ids", f"{ids}; taken as {told[rows]}; {why}", "note")
    return ways[rows]


def _find_queried(collection: Collection) -> Texts:
    """Return the item that each query is about, else the text item that has its words.

    Of several texts with the same words a query has one that belongs to its picture, by the judged
    pairs; among these the first query has the first, and so on.
    """
    items = collection.items
    queries = collection.queries
    texts = defaultdict(list)
    for name, kind, words in items.list_rows("kind", "caption"):
        if kind.lower() in TEXTS:
            texts[words].append(name)
    owned = zip(queries.ids, collection.own_items.tolist(), strict=True)
    found = {query: items.ids[own] for query, own in owned if own >= 0}
    pictures = defaultdict(set)  # of each text query, and of each text
    for (name, other), grade in list_pairs(collection.qrels) if collection.qrels else ():
        if grade >= 1:
            text, picture = (other, found[name]) if name in found else (name, other)
            pictures[text].add(picture)
    for query, words in queries.list_rows("text"):
        named = texts[words]
        if query not in found and words and named:
            mine = [each for each in named if pictures[query] & pictures[each]]
            found[query] = (mine or named)[0]
            named.remove(found[query])
    return found


def _find_lines(collection: Collection, axes: Axes, meant: Texts) -> IntArray:
    """Return the row of each query, and the column of those that have no row; else -1."""
    places = [{name: line for line, name in enumerate(axis)} for axis in axes]
    names = collection.queries.ids
    lines = [[at.get(name, at.get(meant.get(name, ""), -1)) for name in names] for at in places]
    found = np.array(lines, int)
    found[1, found[0] >= 0] = -1
    return found


def find_largest(stored: ArrayFile, is_turned: bool) -> float:
    """Return the largest size of a number.

    Raises:
        DataError: If one is not finite, with its row and column.
    """
    step = max(1, MAX_READ // stored.shape[1])
    largest = 0.0
    for start in range(0, len(stored), step):
        part = np.abs(stored[start : start + step].astype(float))
        strange = np.argwhere(~np.isfinite(part))
        if len(strange):
            place = (strange[0] + [start, 0]).tolist()
            row, column = place[::-1] if is_turned else place
            raise DataError(
                stored.name,
                f"{part[tuple(strange[0])]} in row {row:,}, column {column:,} (from 0)",
                "finite similarities",
            )
        largest = max(largest, float(part.max()))
    return largest


def find_decimals(largest: float) -> int:
    """Return the places to which scores are rounded: 6, more where all of them are small.

    >>> find_decimals(0.93), find_decimals(3e-7)
    (6, 12)
    """
    return DECIMALS + max(0, -1 - math.floor(math.log10(largest))) if largest > 0 else DECIMALS


@dataclass(frozen=True, eq=False)
class MatrixSource(Source):
    """A source over a matrix, which is read in blocks of queries.

    Attributes:
        stored: Its lines as they follow each other in the file: rows, or columns.
        found: Numbers that a line finds, lines that a number finds, and their items, in the order
            of equal scores.
        asking: Line of each query of the collection, and number in each line; else -1.
        decimals: Places to which scores are rounded.
        ties: Order of equal scores; with "id" also those are equal that are so in single precision.
    """

    stored: ArrayFile
    found: Sequence[tuple[IntArray, IntArray]]
    asking: IntArray
    decimals: int
    ties: Ties
    not_run: Reasons

    def rank(self, queries: IntArray) -> Rankings:
        start = 0
        while start < len(queries):
            is_line = int(self.asking[0, queries[start]] >= 0)  # those of one kind come together
            stop = start + max(1, MAX_CELLS // self.stored.shape[is_line])
            yield from self._rank_block(queries[start:stop])
            start = stop

    def _rank_block(self, queries: IntArray) -> Rankings:
        rankings = [NOTHING] * len(queries)
        for lines, read, (others, items) in zip(
            self.asking[:, queries], (self._read_lines, self._read_across), self.found, strict=True
        ):
            places = np.flatnonzero(lines >= 0)
            if len(places):
                scores = read(lines[places])[:, others].astype(float)
                if self.ties == "id":
                    scores = scores.astype(np.float32).astype(float)
                else:
                    scores = np.round(scores, self.decimals) + 0.0
                for place, row in zip(places.tolist(), scores, strict=True):
                    rankings[place] = _sort(row, items)
        yield from rankings

    def _read_lines(self, lines: IntArray) -> AnyArray:
        return np.concatenate([self.stored[line : line + 1] for line in lines.tolist()])

    def _read_across(self, numbers: IntArray) -> AnyArray:
        length, width = self.stored.shape
        step = max(1, MAX_READ // width)
        parts = [self.stored[at : at + step][:, numbers] for at in range(0, length, step)]
        return np.concatenate(parts).T


def _sort(scores: FloatArray, items: IntArray) -> SortedRanking:
    """Return the ranking of items that are in the order in which equal scores stand."""
    order = np.argsort(-scores)  # far faster than a stable sort
    ranked = scores[order]
    is_same = np.append(False, ranked[1:] == ranked[:-1])
    tied = np.flatnonzero(is_same | np.append(is_same[1:], False))
    if len(tied):
        order[tied] = order[tied][np.lexsort((order[tied], np.cumsum(~is_same)[tied]))]
    return SortedRanking(items[order], ranked)
