"""A matrix of similarities in a `.npy` file, read in parts, and its results.

A query's row ranks the columns, its column the rows.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from dashboard.errors import DataError
from dashboard.retrieval.gallery import Ranking, SortedRanking
from dashboard.retrieval.sources import NOTHING
from dashboard.storage.vectors import ArrayFile, open_array
from dashboard.tables import FloatArray, IntArray, Ties

DECIMALS = 6
MAX_READ, MAX_CELLS = 1 << 22, 1 << 23
"""Numbers that are read, and scores that are held, at once."""


@dataclass(frozen=True, eq=False)
class MatrixFile:
    """A matrix in a file.

    Attributes:
        stored: Its rows, or its columns, as they follow each other in the file.
        by_row: Whether these are rows.
    """

    stored: ArrayFile
    by_row: bool

    @property
    def name(self) -> str:
        """Name in messages."""
        return self.stored.name

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        first, second = self.stored.shape
        return (first, second) if self.by_row else (second, first)

    def read(self, lines: IntArray, rows: bool) -> FloatArray:
        """Return some rows, or some columns, each as a line. [lines, numbers of a line]."""
        length, width = self.stored.shape
        if rows == self.by_row:
            made = np.empty((len(lines), width))
            for place, line in enumerate(lines.tolist()):
                made[place] = self.stored[line : line + 1]
            return made
        made, step = np.empty((len(lines), length)), max(1, MAX_READ // width)
        for start in range(0, length, step):
            made[:, start : start + step] = self.stored[start : start + step][:, lines].T
        return made


def open_matrix(path: Path, name: str) -> tuple[MatrixFile, float]:
    """Return the matrix of a file and the largest size of its numbers.

    Raises:
        DataError: If it is anything but finite numbers in rows and columns.
    """
    lines, is_by_column = open_array(path, name, "rows and columns of similarities")
    matrix = MatrixFile(lines, not is_by_column)
    return matrix, _find_largest(matrix)


def _find_largest(matrix: MatrixFile) -> float:
    """Return the largest size of a number.

    Raises:
        DataError: If one is not finite, with its row and column.
    """
    length, width = matrix.stored.shape
    step, largest = max(1, MAX_READ // width), 0.0
    for start in range(0, length, step):
        part = np.abs(matrix.stored[start : start + step].astype(np.float64))
        strange = np.argwhere(~np.isfinite(part))
        if len(strange):
            at, other = strange[0].tolist()
            row, column = (start + at, other) if matrix.by_row else (other, start + at)
            found = f"{part[at, other]} in row {row:,}, column {column:,} (from 0)"
            raise DataError(matrix.name, found, "finite similarities")
        largest = max(largest, float(part.max()))
    return largest


def find_decimals(largest: float) -> int:
    """Return the places to which scores are rounded: 6, more where all of them are small.

    >>> find_decimals(0.93), find_decimals(3e-7)
    (6, 12)
    """
    return DECIMALS + max(0, -1 - math.floor(math.log10(largest))) if largest > 0 else DECIMALS


@dataclass(frozen=True, eq=False)
class MatrixSource:
    """A source over a matrix, which is read in blocks of queries.

    Attributes:
        ids: Ids of the collection's items.
        items: Item of each row, and of each column; -1 for none.
        asking: Row of each query of the collection, and column of those without a row; else -1.
        decimals: Places to which scores are rounded.
        ties: Order of equal scores; with "id" also those are equal that are so in single precision.
    """

    version: str
    matrix: MatrixFile
    ids: Sequence[str]
    items: Sequence[IntArray]
    asking: Sequence[IntArray]
    decimals: int = DECIMALS
    ties: Ties = "gallery"

    @cached_property
    def not_run(self) -> Mapping[int, str]:
        """Why a query was not run, by its position."""
        absent = np.flatnonzero((self.asking[0] < 0) & (self.asking[1] < 0)).tolist()
        why = dict.fromkeys(absent, f"{self.version} has no row or column of this query")
        for lines, found in zip(self.asking, self.items[::-1], strict=True):
            if (found < 0).all():
                lacking = f"{self.version} has no item that the query may find"
                why |= dict.fromkeys(np.flatnonzero(lines >= 0).tolist(), lacking)
        return why

    @cached_property
    def _found(self) -> list[tuple[IntArray, IntArray]]:
        """Columns that a row finds, rows that a column finds, and their items, in order of ties."""
        found = []
        for items in (self.items[1], self.items[0]):
            known = np.flatnonzero(items >= 0)
            order = np.argsort(items[known], kind="stable")
            if self.ties == "id":
                names = [self.ids[item] for item in items[known].tolist()]
                order = np.array(
                    sorted(range(len(names)), key=names.__getitem__, reverse=True), int
                )
            found.append((known[order], items[known[order]]))
        return found

    def rank(self, queries: IntArray) -> Iterator[Ranking]:
        start = 0
        while start < len(queries):
            is_row = int(self.asking[0][queries[start]] >= 0)  # queries of one kind come together
            stop = start + max(1, MAX_CELLS // self.matrix.shape[is_row])
            yield from self._rank_block(queries[start:stop])
            start = stop

    def _rank_block(self, queries: IntArray) -> Iterator[Ranking]:
        rankings = [NOTHING] * len(queries)
        for axis, asking in enumerate(self.asking):
            lines, (others, items) = asking[queries], self._found[axis]
            places = np.flatnonzero(lines >= 0)
            if len(places) and len(others):
                scores = self._read_scores(lines[places], others, rows=axis == 0)
                for place, row in zip(places.tolist(), scores, strict=True):
                    rankings[place] = _sort(row, items)
        yield from rankings

    def _read_scores(self, lines: IntArray, others: IntArray, rows: bool) -> FloatArray:
        scores = self.matrix.read(lines, rows)[:, others]
        if self.ties == "id":
            return scores.astype(np.float32).astype(np.float64)
        return np.round(scores, self.decimals) + 0.0


def _sort(scores: FloatArray, items: IntArray) -> SortedRanking:
    """Return the ranking of items that are in the order in which equal scores stand."""
    order = np.argsort(-scores)  # far faster than a stable sort
    ranked = scores[order]
    is_same = np.append(False, ranked[1:] == ranked[:-1])
    tied = np.flatnonzero(is_same | np.append(is_same[1:], False))
    if len(tied):
        order[tied] = order[tied][np.lexsort((order[tied], np.cumsum(~is_same)[tied]))]
    return SortedRanking(items[order], ranked)
