"""A case: one query with all that speaks for why its results are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from dashboard.evaluation.diagnosis.neighbours import Space, Surroundings, surroundings

Pair = tuple[str, str]
NEAREST = 10


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
    around     version → what is usual among its vectors, where it is already computed
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
    around: Mapping[str, Surroundings] | None = None

    @cached_property
    def has(self) -> dict[str, frozenset[Pair]]:
        """The keywords of each annotated item."""
        table = self.keywords
        found: dict[str, set[Pair]] = {}
        for item, group, keyword in zip(
            table["item_id"], table["group"], table["keyword"], strict=True
        ):
            found.setdefault(item, set()).add((group, keyword))
        return {item: frozenset(pairs) for item, pairs in found.items()}

    @cached_property
    def surroundings(self) -> Mapping[str, Surroundings]:
        """What is usual among the vectors of each version."""
        if self.around is not None:
            return self.around
        return {v: surroundings(space, NEAREST, self.has) for v, space in self.spaces.items()}

    def share(self, pair: Pair, near: Sequence[str]) -> float:
        """The share of some items that have a keyword; NaN where they are too few."""
        if 2 * len(near) < NEAREST:
            return float("nan")
        return sum(pair in self.has.get(other, frozenset()) for other in near) / len(near)

    def like_it(self, version: str, pair: Pair, item: str, has: bool) -> list[float]:
        """The share of neighbours with a keyword around the other items that have it, or not."""
        if (version, pair) not in self._shares:
            near = self.surroundings[version].near.items()
            shares = {other: self.share(pair, of) for other, of in near}
            self._shares[version, pair] = {i: s for i, s in shares.items() if s >= 0}
        known = self._shares[version, pair].items()
        return [s for i, s in known if i != item and (pair in self.has[i]) == has]

    @cached_property
    def _shares(self) -> dict[tuple[str, Pair], dict[str, float]]:
        return {}

    def lacks(self, item: str) -> list[Pair]:
        """The required keywords that an item lacks."""
        return [pair for pair in self.required if pair not in self.has.get(item, frozenset())]

    @cached_property
    def remapped(self) -> frozenset[Pair] | None:
        """The keywords that are known to be asked for, where they differ from the required ones."""
        return None if self.known in (None, frozenset(self.required)) else self.known
