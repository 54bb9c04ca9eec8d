"""Rankings, and exact search by cosine that finds ranks by counting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dashboard.storage.vectors import Vectors
from dashboard.tables import BoolArray, Float32Array, FloatArray, IntArray

MILLION = 1_000_000
BEST = MILLION + 10
"""Millionths that no cosine of unit vectors reaches, whatever its last bits."""
PLACE = np.int64(0xFFFFFFFF)
"""Bits of a sorted number that hold a place."""
LEVEL_BITS = 21
"""Bits of a number of millionths below the best."""
BIN_BITS = 17
"""131,072 bins: the part of their sizes that is in use stays in the processor's cache."""
MAX_CELLS = 1 << 25
"""Scores, of queries x items, that are held at once."""
MAX_BLOCK = 1024
"""Queries that are compared with the gallery at once; more make narrow products, which are slow."""
MAX_PRODUCT = 1 << 16
"""Scores that are rounded while they are in the processor's cache."""
MIN_ROWS = 256
"""Vectors that are compared at once; fewer make narrow products, too."""


class Found(NamedTuple):
    """Some results of one query, sorted by rank, and what is known of its whole list.

    Attributes:
        items: Item of each result; -1 if the collection does not have it.
        rank: Rank of each result in the whole list, from 1.
        tie_first: Rank of the first result with this score.
        tie_last: Rank of the last result with this score.
        length: Number of results of the whole list.
        passing: Number of them with at least the least score.
    """

    items: IntArray
    scores: FloatArray
    rank: IntArray
    tie_first: IntArray
    tie_last: IntArray
    length: int
    passing: int

    def drop(self, is_gone: BoolArray) -> Found:
        """Return it as of a list without some of the results."""
        gone = self.rank[is_gone]
        rank, first = (each - gone.searchsorted(each) for each in (self.rank, self.tie_first))
        last = self.tie_last - gone.searchsorted(self.tie_last, "right")
        passing = self.passing - int(gone.searchsorted(self.passing, "right"))
        kept = (each[~is_gone] for each in (self.items, self.scores, rank, first, last))
        return Found._make([*kept, self.length - len(gone), passing])

    def keep(self, depth: int, wanted: IntArray) -> Found:
        """Return its first `depth` results and the wanted items."""
        kept = (self.rank <= depth) | np.isin(self.items, wanted)
        return Found._make([*(column[kept] for column in self[:5]), *self[5:]])


class Ranking(Protocol):
    """The whole list of one query; it holds until the next one is asked for."""

    def find(self, depth: int, wanted: IntArray, least: float) -> Found:
        """Return the first `depth` results and, however deep they are, the wanted items.

        Args:
            depth: Results from the first on.
            wanted: Items; those that are no results are left out.
            least: Score from which results are counted in `passing`.
        """


Rankings = Iterator[Ranking]


class SortedRanking(NamedTuple):
    """A list whose items are sorted, best first."""

    items: IntArray
    scores: FloatArray

    def find(self, depth: int, wanted: IntArray, least: float) -> Found:
        at = np.arange(min(depth, len(self.items)))
        if depth < len(self.items):
            at = np.append(at, np.flatnonzero(np.isin(self.items[depth:], wanted)) + depth)
        scores, falling = self.scores[at], -self.scores
        first, last = falling.searchsorted(-scores) + 1, falling.searchsorted(-scores, "right")
        passing = int(falling.searchsorted(-least, "right"))
        return Found(self.items[at], scores, at + 1, first, last, len(self.items), passing)


def restrict(ranking: Ranking, items: IntArray) -> SortedRanking:
    """Return the list of the results among some items; -1 keeps those outside of them."""
    found = ranking.find(0, items, -1)
    return SortedRanking(found.items, found.scores)


@dataclass(frozen=True, eq=False)
class Gallery:
    """Vectors of items that can be searched.

    Attributes:
        vectors: The vectors.
        items: Position of each vector's item in the collection.
        places: Place of each item of the collection among those with equal scores.
    """

    vectors: Vectors
    items: IntArray
    places: IntArray

    def rank(self, queries: Float32Array) -> Iterator[CountedRanking]:
        """Yield the ranking of each query vector.

        Scores are cosines in double precision, rounded to 6 decimals.

        Args:
            queries: Unit vectors. [queries, dimension].
        """
        lookup = self.rows, np.argsort(self.places), self.places[self.items]
        step = max(1, min(MAX_BLOCK, MAX_CELLS // max(1, len(self.items)), len(queries)))
        below = np.empty((step, len(self.items)), np.int32)
        for start in range(0, len(queries), step):
            some = queries[start : start + step].astype(float)
            for at, block in self.vectors.list_blocks(
                max(MIN_ROWS, MAX_PRODUCT // max(some.shape))
            ):
                cosines = some @ block.T.astype(float)
                cosines *= -MILLION
                np.rint(cosines, out=cosines)
                out = below[: len(some), at : at + len(block)]  # millionths below the best
                np.add(cosines, BEST, out=out, casting="unsafe")
            for row in below[: len(some)]:
                yield CountedRanking(row, *lookup)

    def restrict(self, items: IntArray) -> Gallery:
        """Return the gallery of some items; those without a vector are left out."""
        rows = self.rows[items[items >= 0]]
        rows = np.sort(rows[rows >= 0])
        known = self.vectors
        ids = [known.ids[row] for row in rows.tolist()]
        vectors = replace(known, ids=ids, rows=known.rows[rows], lengths=known.lengths[rows])
        return Gallery(vectors, self.items[rows], self.places)

    @cached_property
    def rows(self) -> IntArray:
        """Row of each item of the collection; -1 if it has no vector."""
        rows = np.full(len(self.places), -1)
        rows[self.items] = np.arange(len(self.items))
        return rows


class CountedRanking(NamedTuple):
    """A list that is not sorted: ranks are found by counting in bins of scores.

    Attributes:
        below: Millionths that each row of the gallery is below the best score.
        rows: Row of each item of the collection; -1 if it has no vector.
        items: Item at each place.
        places: Place of each row among rows with equal scores.
    """

    below: NDArray[np.int32]
    rows: IntArray
    items: IntArray
    places: IntArray

    def find(self, depth: int, wanted: IntArray, least: float) -> Found:
        count = len(self.below)
        asked = self.rows[wanted[wanted >= 0]]
        asked = asked[asked >= 0]
        shift = LEVEL_BITS - min(BIN_BITS, max(1, count.bit_length() - 1))
        bins = np.empty(count, np.intp)
        np.right_shift(self.below, shift, out=bins)
        sizes = np.bincount(bins)
        is_read = np.cumsum(sizes) - sizes < depth
        is_read[bins[asked]] = True
        keys = np.sort(self._make_keys(np.flatnonzero(is_read.take(bins))))
        is_found = np.arange(len(keys)) < depth
        is_found[keys.searchsorted(self._make_keys(asked))] = True
        at = np.flatnonzero(is_found)
        level = keys[at] >> 32
        skipped = np.cumsum(np.where(is_read, 0, sizes))[level >> shift]  # in bins before
        first = keys.searchsorted(level << 32) + skipped + 1
        last = keys.searchsorted(level + 1 << 32) + skipped
        items, scores = self.items[keys[at] & PLACE], (BEST - level) / MILLION
        passing = np.count_nonzero((BEST - self.below) / MILLION >= least) if least > -1 else count
        return Found(items, scores, at + skipped + 1, first, last, count, int(passing))

    def _make_keys(self, rows: IntArray) -> IntArray:
        """Return whole numbers that rise with the rank."""
        return (self.below[rows].astype(int) << 32) | self.places[rows]
