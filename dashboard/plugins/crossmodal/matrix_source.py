"""A matrix of similarities in a `.npy` file, read in parts, and its results.

A query's row ranks the columns, its column the rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dashboard.errors import DataError
from dashboard.retrieval.gallery import Rankings, SortedRanking
from dashboard.retrieval.sources import NOTHING, Source
from dashboard.storage.vectors import ArrayFile
from dashboard.tables import AnyArray, FloatArray, IntArray, Reasons, Ties

DECIMALS = 6
MAX_READ = 1 << 22
MAX_CELLS = 1 << 23
"""Numbers that are read, and scores that are held, at once."""


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
        places: Place of each item of the collection among those with equal scores.
        items: Item of each line, and of each number of a line; -1 for none.
        asking: Line of each query of the collection, and number in each line; else -1.
        decimals: Places to which scores are rounded.
        ties: Order of equal scores; with "id" also those are equal that are so in single precision.
    """

    stored: ArrayFile
    places: IntArray
    items: Sequence[IntArray]
    asking: IntArray
    decimals: int
    ties: Ties
    not_run: Reasons

    @cached_property
    def _found(self) -> list[tuple[IntArray, IntArray]]:
        """Numbers that a line finds, lines that a number finds, and items, in order of ties."""
        found = []
        for items in self.items[::-1]:
            known = np.flatnonzero(items >= 0)
            known = known[np.argsort(self.places[items[known]], kind="stable")]
            found.append((known, items[known]))
        return found

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
            self.asking[:, queries], (self._read_lines, self._read_across), self._found, strict=True
        ):
            places = np.flatnonzero(lines >= 0)
            if len(places) and len(others):
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
