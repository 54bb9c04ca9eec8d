"""Items that are near each other by a version's own vectors, and how near pairs usually are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

SAMPLE = 1_000  # items, evenly over the gallery
UNUSUAL = 0.99  # share of pairs of items that are less similar


class Space(Protocol):
    """Unit vectors of items: row i of the matrix belongs to the i-th id."""

    @property
    def ids(self) -> tuple[str, ...]: ...
    @property
    def matrix(self) -> NDArray[np.float32]: ...


class Resemblance(NamedTuple):
    """The item that another is most similar to, by which version, and what is usual there."""

    other: str
    similarity: float
    version: str
    usual: float


def nearest(
    space: Space, items: Sequence[str], k: int, allowed: Collection[str] | None = None
) -> dict[str, list[tuple[str, float]]]:
    """The `k` items most similar to each of `items` with their cosine, the nearest first.

    The item itself never counts; allowed: the only ones that do. Items without a vector are left
    out.
    """
    place = {item: row for row, item in enumerate(space.ids)}
    known = [item for item in items if item in place]
    rows = np.array([place[item] for item in known], dtype=np.int64)
    cosine = space.matrix[rows] @ space.matrix.T
    cosine[np.arange(len(rows)), rows] = -np.inf
    if allowed is not None:
        cosine[:, [item not in allowed for item in space.ids]] = -np.inf
    order = np.argsort(-cosine, axis=1, kind="stable")[:, :k]
    return {
        item: [
            (space.ids[at], float(cosine[row, at]))
            for at in order[row]
            if np.isfinite(cosine[row, at])
        ]
        for row, item in enumerate(known)
    }


def usual(space: Space) -> float:
    """The cosine that UNUSUAL of all pairs of items stay below, from a sample of the gallery."""
    step = -(-len(space.ids) // SAMPLE)
    some = space.matrix[:: max(step, 1)]
    if len(some) < 2:
        return 1.0
    cosine = some @ some.T
    return float(np.quantile(cosine[np.triu_indices(len(some), k=1)], UNUSUAL))


def resemblance(
    spaces: Mapping[str, Space], usual_of: Mapping[str, float], item: str, to: Sequence[str]
) -> Resemblance | None:
    """The one of `to` that an item resembles unusually, by the version where it stands out most."""
    best: Resemblance | None = None
    for version, space in spaces.items():
        place = {other: row for row, other in enumerate(space.ids)}
        there = [other for other in to if other in place and other != item]
        if item not in place or not there:
            continue
        cosine = space.matrix[[place[other] for other in there]] @ space.matrix[place[item]]
        at, level = int(cosine.argmax()), usual_of[version]
        found = Resemblance(there[at], float(cosine[at]), version, level)
        above = found.similarity - level
        if above >= 0 and (best is None or above > best.similarity - best.usual):
            best = found
    return best
