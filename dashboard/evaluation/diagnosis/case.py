"""A case: one query with all that speaks for why its results are wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.evaluation.diagnosis.neighbours import Space, Surroundings, surroundings

Pair = tuple[str, str]
Near = Sequence[tuple[str, float]]
"""Items with their cosine, the nearest first."""
NEAREST = 10


def keywords_by_item(keywords: pd.DataFrame) -> dict[str, frozenset[Pair]]:
    """The keywords of each annotated item. keywords: table KEYWORDS."""
    found: dict[str, set[Pair]] = {}
    columns = (keywords[name].tolist() for name in ("item_id", "group", "keyword"))
    for item, group, keyword in zip(*columns, strict=True):
        found.setdefault(item, set()).add((group, keyword))
    return {item: frozenset(pairs) for item, pairs in found.items()}


@dataclass(frozen=True, eq=False)
class Annotated:
    """What the annotation of a gallery says, which is the same for all queries.

    has      the keywords of each annotated item
    around   version → what is usual among its vectors
    nearest  gives the nearest neighbours of items, where they are remembered: of a version, among
             the annotated items alone or all
    """

    has: Mapping[str, frozenset[Pair]]
    around: Mapping[str, Surroundings]
    nearest: Callable[[str, Sequence[str], bool], Mapping[str, Near]] | None = None

    def share(self, pair: Pair, near: Sequence[str]) -> float:
        """The share of some items that have a keyword; NaN where they are too few."""
        if 2 * len(near) < NEAREST:
            return float("nan")
        return sum(pair in self.has.get(other, frozenset()) for other in near) / len(near)

    def shares(self, version: str, pair: Pair, item: str, has: bool) -> NDArray[np.float64]:
        """The share of neighbours with a keyword around the other items that have it, or not."""
        if (version, pair) not in self._shares:
            near = self.around[version].near.items()
            shares = {other: self.share(pair, of) for other, of in near}
            there = {i: s for i, s in shares.items() if s >= 0}
            ids = tuple([i for i in there if (pair in self.has[i]) == w] for w in (False, True))
            self._shares[version, pair] = [
                (dict(zip(some, range(len(some)), strict=True)), np.array([there[i] for i in some]))
                for some in ids
            ]
        place, every = self._shares[version, pair][has]
        return np.delete(every, place[item]) if item in place else every

    @cached_property
    def _shares(self) -> dict[tuple[str, Pair], list[tuple[dict[str, int], NDArray[np.float64]]]]:
        return {}


@dataclass(frozen=True, eq=False)
class Case:
    """One query with all that a cause is suspected from.

    required   (group, keyword) of each keyword that the query was taken to ask for
    keywords   KEYWORDS table of the gallery
    relevant   the ids of all relevant items
    spaces     version → its vectors of the items
    ranks      version → {item_id: rank} of its whole ranking
    depth      how many results are shown
    own        the item of an item query
    known      the keywords that the query asks for by its own column; None: no such column
    names      item → its name; an item without one goes by its id
    gallery    what the annotation says, where it is already worked out
    mapped     (group, keyword) → the words and the similarity that they were mapped with
    """

    required: tuple[Pair, ...]
    keywords: pd.DataFrame
    relevant: tuple[str, ...]
    spaces: Mapping[str, Space]
    ranks: Mapping[str, Mapping[str, int]]
    depth: int
    own: str = ""
    known: frozenset[Pair] | None = None
    mapped: Mapping[Pair, tuple[str, float]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    gallery: Annotated | None = None

    @cached_property
    def annotated(self) -> Annotated:
        """What the annotation of the gallery says."""
        if self.gallery is not None:
            return self.gallery
        has = keywords_by_item(self.keywords)
        around = {v: surroundings(space, NEAREST, has) for v, space in self.spaces.items()}
        return Annotated(has, around)

    @property
    def has(self) -> Mapping[str, frozenset[Pair]]:
        """The keywords of each annotated item."""
        return self.annotated.has

    def lacks(self, item: str) -> list[Pair]:
        """The required keywords that an item lacks."""
        return [pair for pair in self.required if pair not in self.has.get(item, frozenset())]

    @cached_property
    def remapped(self) -> frozenset[Pair] | None:
        """The keywords that are known to be asked for, where they differ from the required ones."""
        return None if self.known in (None, frozenset(self.required)) else self.known
