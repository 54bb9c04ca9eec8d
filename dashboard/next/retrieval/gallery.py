"""Exact search by cosine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dashboard.next.tables import FloatArray, IntArray

MILLION = 1_000_000
MAX_CELLS = 1 << 23
"""Scores, of queries x items, that are held at once."""
MAX_PRODUCT = 1 << 20
"""Numbers of the gallery that are widened to double precision at once."""


class Ranking(NamedTuple):
    """Items of one query, best first, with their scores."""

    items: IntArray
    scores: FloatArray


@dataclass(frozen=True, eq=False)
class Gallery:
    """Unit vectors of items, in the order that decides between equal scores.

    Attributes:
        unit: float32 of shape [items, dimension].
        items: Position of each row in the collection's items; ascending.
    """

    unit: NDArray[np.float32]
    items: IntArray

    def rank(self, queries: NDArray[np.float32]) -> Iterator[Ranking]:
        """Yield the whole ranking of each query vector.

        Scores are cosines in double precision, rounded to 6 decimals; equal scores keep gallery
        order.

        Raises:
            ValueError: If the dimensions differ.
        """
        if queries.shape[1] != self.unit.shape[1]:
            widths = f"{queries.shape[1]} dimensions, the items {self.unit.shape[1]}"
            raise ValueError(f"the queries have {widths}")
        step = max(1, MAX_CELLS // max(1, len(self.items)))
        for start in range(0, len(queries), step):
            yield from self._rank_block(queries[start : start + step].astype(np.float64))

    def _rank_block(self, queries: FloatArray) -> Iterator[Ranking]:
        # one whole number holds score and place: millionths below the best cosine, then the row
        keys = np.empty((len(queries), len(self.items)), dtype=np.int64)
        step = max(1, MAX_PRODUCT // self.unit.shape[1])
        for start in range(0, len(self.unit), step):
            block = self.unit[start : start + step].astype(np.float64)
            below = 2 * MILLION - np.rint(queries @ block.T * MILLION)
            keys[:, start : start + step] = below
        keys = (keys << 32) + np.arange(len(self.items))
        keys.sort(axis=1)
        for row in keys:
            scores = (2 * MILLION - (row >> 32)) / MILLION
            yield Ranking(self.items[row & 0xFFFFFFFF], scores)
