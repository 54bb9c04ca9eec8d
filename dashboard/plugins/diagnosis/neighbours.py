"""Items that are near each other by a version's own vectors, and how near two usually are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from dashboard.retrieval.gallery import Gallery
from dashboard.retrieval.sources import read_at
from dashboard.tables import BoolArray, FloatArray, IntArray

NEAREST = 10
"""Neighbours of an item that are looked at."""
MAX_SAMPLE, MAX_NUMBERS = 20_000, 8_000_000
"""Items among which neighbours are searched, at most, and numbers of their vectors."""
STRETCH = 256
"""Items beside each other in a large gallery, which are read from a file at once."""
PROBES = 500
"""Items that tell what is usual."""
USUAL = 0.99
"""Share of pairs of items that are less similar than those that stand out."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Items from all over a gallery; of a large one a stretch every so many.

    Attributes:
        gallery: Vectors of all items.
        rows: Row of each item of the collection in the gallery; -1 if it has no vector.
        items: Position of each item of the sample. [sample].
        vectors: Their unit vectors. [sample, dimension].
    """

    gallery: Gallery
    rows: IntArray
    items: IntArray
    vectors: NDArray[np.float32]

    def read(self, items: IntArray) -> NDArray[np.float32]:
        """Return the unit vectors of items that have one. [items, dimension]."""
        return read_at(self.gallery.vectors, self.rows[items])

    def find(self, items: IntArray) -> IntArray:
        """Return the nearest items of the sample of each item, without itself. [items, nearest]."""
        cosines = self.read(items) @ self.vectors.T
        cosines[items[:, None] == self.items] = -np.inf
        most = min(NEAREST, len(self.items) - 1)
        return self.items[np.argpartition(-cosines, most - 1, axis=1)[:, :most]]

    @cached_property
    def _probes(self) -> IntArray:
        step = max(1, -(-len(self.items) // PROBES))
        return self.items[::step]

    @cached_property
    def _near_probes(self) -> IntArray:
        return self.find(self._probes)

    @cached_property
    def usual(self) -> float:
        """The cosine that USUAL of all pairs of items stay below."""
        vectors = self.read(self._probes)
        cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), k=1)]
        return float(np.quantile(cosines, USUAL))

    def list_shares(self, has: BoolArray, judged: BoolArray) -> FloatArray:
        """Return the share of neighbours that have something, around items that are judged not to.

        Args:
            has: Whether each item of the collection has it.
            judged: Whether that is known of each item.
        """
        lacking = (judged & ~has)[self._probes]
        return np.asarray(has[self._near_probes[lacking]].mean(axis=1))


@lru_cache(maxsize=8)
def survey(gallery: Gallery) -> Neighbourhood | None:
    """Return the neighbourhood of a gallery; None if it has too few items to compare."""
    count = len(gallery.items)
    if count <= NEAREST:
        return None
    most = min(MAX_SAMPLE, MAX_NUMBERS // gallery.vectors.dimension)
    rows = np.full(len(gallery.places), -1)
    rows[gallery.items] = np.arange(count)
    every = STRETCH * -(-count // most)
    sample = gallery.items[np.arange(count) % every < STRETCH]
    return Neighbourhood(gallery, rows, sample, read_at(gallery.vectors, rows[sample]))
