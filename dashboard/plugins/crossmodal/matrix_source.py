"""Results of a matrix of similarities: a query's row ranks the columns, its column the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dashboard.plugins.crossmodal.matrix_file import MatrixFile
from dashboard.retrieval.gallery import Ranking, SortedRanking
from dashboard.retrieval.sources import NOTHING
from dashboard.tables import FloatArray, IntArray, Ties

DECIMALS = 6
MAX_CELLS = 1 << 23
"""Scores that are held at once."""


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
        return dict.fromkeys(absent, f"{self.version} has no row or column of this query")

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
        rankings: list[Ranking] = [NOTHING] * len(queries)
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
            return np.asarray(scores.astype(np.float32).astype(np.float64))
        return np.asarray(np.round(scores, self.decimals) + 0.0)


def _sort(scores: FloatArray, items: IntArray) -> SortedRanking:
    """Return the ranking of items that are in the order in which equal scores stand."""
    order = np.argsort(-scores)  # far faster than a stable sort
    ranked = scores[order]
    is_same = np.append(False, ranked[1:] == ranked[:-1])
    tied = np.flatnonzero(is_same | np.append(is_same[1:], False))
    if len(tied):
        order[tied] = order[tied][np.lexsort((order[tied], np.cumsum(~is_same)[tied]))]
    return SortedRanking(items[order], ranked)
