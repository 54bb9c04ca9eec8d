"""Items that are near each other by a version's own vectors, and how near pairs usually are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

CELLS = 4_000_000  # cosines at a time
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


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What is usual among a version's vectors.

    usual: the cosine that UNUSUAL of all pairs of items stay below; near: the nearest neighbours of
    a sample of the items.
    """

    usual: float
    near: dict[str, list[str]]


def surroundings(space: Space, k: int, allowed: Collection[str]) -> Surroundings:
    """What is usual, from a sample spread evenly over the gallery; `allowed` as in `nearest`."""
    some = min(SAMPLE, max(1, CELLS * 10 // max(len(space.ids), 1)))
    known = [item for item in space.ids if item in allowed]
    sample = known[:: max(1, -(-len(known) // some))]
    near = nearest(space, sample, k, allowed)
    return Surroundings(usual(space), {item: [n for n, _ in of] for item, of in near.items()})


def nearest(
    space: Space, items: Sequence[str], k: int, allowed: Collection[str] | None = None
) -> dict[str, list[tuple[str, float]]]:
    """The `k` items most similar to each of `items` with their cosine, the nearest first.

    The item itself never counts; allowed: the only ones that do. Items without a vector are left
    out.
    """
    place = {item: row for row, item in enumerate(space.ids)}
    known = [item for item in items if item in place]
    barred = [] if allowed is None else [item not in allowed for item in space.ids]
    step = max(1, CELLS // max(len(space.ids), 1))
    found: dict[str, list[tuple[str, float]]] = {}
    for start in range(0, len(known), step):
        part = known[start : start + step]
        rows = np.array([place[item] for item in part], dtype=np.int64)
        cosine = space.matrix[rows] @ space.matrix.T
        cosine[np.arange(len(rows)), rows] = -np.inf
        if barred:
            cosine[:, barred] = -np.inf
        for item, row, best in zip(part, cosine, _best(cosine, k), strict=True):
            near = [(space.ids[at], float(row[at])) for at in best if np.isfinite(row[at])]
            found[item] = near
    return found


def _best(values: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The places of the `k` largest of each row, the largest first."""
    some = np.argpartition(-values, min(k, values.shape[1]) - 1, axis=1)[:, :k]
    order = np.argsort(-np.take_along_axis(values, some, 1), axis=1, kind="stable")
    return np.take_along_axis(some, order, 1)


def usual(space: Space) -> float:
    """The cosine that UNUSUAL of all pairs of items stay below, from a sample of the gallery."""
    step = -(-len(space.ids) // SAMPLE)
    some = space.matrix[:: max(step, 1)]
    if len(some) < 2:
        return 1.0
    cosine = some @ some.T
    return float(np.quantile(cosine[np.triu_indices(len(some), k=1)], UNUSUAL))


def resemblance(
    spaces: Mapping[str, Space], around: Mapping[str, Surroundings], item: str, to: Sequence[str]
) -> Resemblance | None:
    """The one of `to` that an item resembles unusually, by the version where it stands out most."""
    best: Resemblance | None = None
    for version, space in spaces.items():
        place = {other: row for row, other in enumerate(space.ids)}
        there = [other for other in to if other in place and other != item]
        if item not in place or not there:
            continue
        cosine = space.matrix[[place[other] for other in there]] @ space.matrix[place[item]]
        at, level = int(cosine.argmax()), around[version].usual
        found = Resemblance(there[at], float(cosine[at]), version, level)
        above = found.similarity - level
        if above >= 0 and (best is None or above > best.similarity - best.usual):
            best = found
    return best
