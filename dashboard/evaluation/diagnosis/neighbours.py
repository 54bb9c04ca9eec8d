"""Items that are near each other by a version's own vectors, and how near pairs usually are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

CELLS = 4_000_000  # cosines at a time
SAMPLE = 1_000  # items, evenly over the gallery
UNUSUAL = 0.99  # share of pairs of items that are less similar
MOST, SOME = 100_000, 50_000
"""Items that neighbours are searched among; of a larger gallery SOME at most, every so many of its
STRETCHes."""
STRETCH = 512
"""Items beside each other in the gallery, which are read from a file at once."""


class Space(Protocol):
    """Items that a version's vectors lay out, in gallery order."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the items."""
        ...

    def there(self, items: Sequence[str]) -> list[str]:
        """Those of some items that have a vector."""
        ...

    def fetch(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """The unit vectors of items. [items, dimension]"""
        ...

    def similarities(self, items: Sequence[str], others: Sequence[str]) -> NDArray[np.float32]:
        """The cosines of some items with others. [items, others]"""
        ...

    def part_of(self, ids: pd.Index) -> Self:
        """Those of the items that are among some ids, in the same order."""
        ...

    def nearest(
        self, items: Sequence[str], k: int, among: Self | None = None
    ) -> dict[str, list[tuple[str, float]]]:
        """The `k` items most similar to each of `items` with their cosine, the nearest first.

        The item itself never counts; among: a part that they are searched in. Items without a
        vector are left out.
        """
        ...

    def close_pairs(self, at_least: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of each two items with at least this cosine, the earlier one first."""
        ...

    def cosines(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
        """The cosine of each pair of items, by their places. [pairs]"""
        ...


S = TypeVar("S", bound=Space)


class Resemblance(NamedTuple):
    """The item that another is most similar to, by which version, and what is usual there."""

    other: str
    similarity: float
    version: str
    usual: float

    @property
    def above(self) -> float:
        """How far it is beyond what is usual."""
        return self.similarity - self.usual


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What is usual among a version's vectors.

    usual: the cosine that UNUSUAL of all pairs of items stay below; near: the nearest neighbours of
    a sample of the items.
    """

    usual: float
    near: dict[str, list[str]]


def spread(space: S) -> S:
    """A gallery, or of a large one SOME items at most, and no fewer than a half of them, from all
    over it."""
    if len(space.ids) <= MOST:
        return space
    every = -(-len(space.ids) // (SOME // STRETCH * STRETCH))
    starts = range(0, len(space.ids), STRETCH * every)
    some = [item for start in starts for item in space.ids[start : start + STRETCH]]
    return space.part_of(pd.Index(some, dtype="str"))


def surroundings(space: Space, annotated: Space, k: int) -> Surroundings:
    """What is usual, by a sample from all over the gallery. annotated: the part of the space where
    neighbours are searched."""
    some = min(SAMPLE, max(1, CELLS * 10 // max(len(annotated.ids), 1)))
    sample = annotated.ids[:: max(1, -(-len(annotated.ids) // some))]
    near = annotated.nearest(sample, k)
    return Surroundings(usual(space), {item: [n for n, _ in of] for item, of in near.items()})


def usual(space: Space) -> float:
    """The cosine that UNUSUAL of all pairs of items stay below, from a sample of the gallery."""
    step = -(-len(space.ids) // SAMPLE)
    some = space.ids[:: max(step, 1)]
    if len(some) < 2:
        return 1.0
    cosine = space.similarities(some, some)
    return float(np.quantile(cosine[np.triu_indices(len(some), k=1)], UNUSUAL))


def resemblances(
    spaces: Mapping[str, Space],
    around: Mapping[str, Surroundings],
    items: Sequence[str],
    to: Sequence[str],
) -> dict[str, Resemblance]:
    """For each item the one of `to` that it resembles unusually, by the version where it stands out
    most; an item that resembles none is left out."""
    best: dict[str, Resemblance] = {}
    for version, space in spaces.items():
        others, level = space.there(to), around[version].usual
        if not others:
            continue
        mine, theirs = space.there(items), space.fetch(others)
        vectors = space.fetch(mine) if mine else theirs[:0]
        place = {other: row for row, other in enumerate(others)}
        for row, item in enumerate(mine):
            cosine = (theirs @ vectors[row : row + 1].T)[:, 0]
            if item in place:
                cosine = cosine.copy()
                cosine[place[item]] = -np.inf
            at = int(cosine.argmax())
            found = Resemblance(others[at], float(cosine[at]), version, level)
            if found.above >= 0 and (item not in best or found.above > best[item].above):
                best[item] = found
    return best
