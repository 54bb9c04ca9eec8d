"""A case: one query with all that speaks for why its results are wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import merge
from itertools import islice
from operator import itemgetter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.evaluation.diagnosis.neighbours import (
    Space,
    Surroundings,
    spread,
    surroundings,
)
from dashboard.evaluation.keywords_of_items import KeywordsOfItems
from dashboard.evaluation.keywords_of_items import Pair as Pair

Places = NDArray[np.int64]
Near = Sequence[tuple[str, float]]
"""Items with their cosine, the nearest first."""
NEAREST = 10
HITS = 500
"""Relevant items that are looked for at a time."""


@dataclass(frozen=True, eq=False)
class Annotated:
    """What the annotation of a gallery says, which is the same for all queries.

    has      the keywords of each annotated item
    every    version → the items that neighbours are searched among
    spaces   version → the annotated ones alone
    around   version → what is usual among its vectors
    samples  those two, `every` and `spaces`, that are samples of large galleries
    """

    has: KeywordsOfItems
    every: Mapping[str, Space]
    spaces: Mapping[str, Space]
    around: Mapping[str, Surroundings]
    samples: frozenset[str] = frozenset()

    @classmethod
    def of(cls, has: KeywordsOfItems, spaces: Mapping[str, Space]) -> Annotated:
        """spaces: version → its vectors of all items."""
        parts = {version: space.part_of(has.ids) for version, space in spaces.items()}
        every, annotated = ({v: spread(s) for v, s in of.items()} for of in (spaces, parts))
        around = {v: surroundings(space, annotated[v], NEAREST) for v, space in spaces.items()}
        pairs = (("every", every, spaces), ("spaces", annotated, parts))
        samples = {name for name, few, of in pairs if any(few[v] is not of[v] for v in of)}
        return cls(has, every, annotated, around, frozenset(samples))

    def share(self, pair: Pair, near: Sequence[str]) -> float:
        """The share of some items that have a keyword; NaN where they are too few."""
        if 2 * len(near) < NEAREST:
            return float("nan")
        return sum(pair in self.has.get(other, frozenset()) for other in near) / len(near)

    def shares(self, version: str, pair: Pair, item: str, has: bool) -> NDArray[np.float64]:
        """The share of neighbours with a keyword around the other items that have it, or not."""
        if (version, pair) not in self._shares:
            of, items, near = self._sampled[version]
            number = np.array([len(others) for others in of.values()])
            shares = self.has.have(pair, near).sum(axis=1) / np.maximum(number, 1)
            have, ids = self.has.have(pair, items), np.array(list(of), dtype=object)
            kinds = [(have == wanted) & (2 * number >= NEAREST) for wanted in (False, True)]
            self._shares[version, pair] = [
                ({item: place for place, item in enumerate(ids[some])}, shares[some])
                for some in kinds
            ]
        place, every = self._shares[version, pair][has]
        return np.delete(every, place[item]) if item in place else every

    @cached_property
    def _sampled(self) -> dict[str, tuple[dict[str, list[str]], Places, Places]]:
        """Version → the neighbours of the sample, the places of its items among those with an
        annotation, and of their neighbours, -1 where there are fewer. [sample] and [sample, N]"""
        found = {}
        for version, around in self.around.items():
            rows = [[item, *others] for item, others in around.near.items()]
            widest = max(map(len, rows), default=1)
            flat = [id for row in rows for id in [*row, *[""] * (widest - len(row))]]
            places = self.has.places(flat).reshape(len(rows), widest)
            found[version] = around.near, places[:, 0], places[:, 1:]
        return found

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
    ranks      version → {item_id: rank} in its whole ranking, in its order; of relevant items those
               that stand first will do
    depth      how many results are shown
    own        the item of an item query
    known      the keywords that the query asks for by its own column; None: no such column
    names      item → its name; an item without one goes by its id
    gallery    what the annotation says, where it is already worked out
    near       gives the nearest neighbours of items by a version, where they are remembered: among
               the annotated items alone, or all
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
    near: Callable[[str, Sequence[str], bool], Mapping[str, Near]] | None = None

    def nearest(self, version: str, items: Sequence[str]) -> Mapping[str, Near]:
        """The nearest neighbours of items by a version: annotated ones, where keywords are
        required."""
        if self.near is not None:
            return self.near(version, items, bool(self.required))
        return self.spaces[version].nearest(items, NEAREST, self._searched[version])

    @property
    def _searched(self) -> Mapping[str, Space]:
        """Version → the items that neighbours are searched among."""
        return self.annotated.spaces if self.required else self.annotated.every

    @cached_property
    def among(self) -> str:
        """Among how many items neighbours are searched, where that is a part of the gallery: words
        behind “neighbours”; else none."""
        if ("spaces" if self.required else "every") not in self.annotated.samples:
            return ""
        return f" among {max(len(space.ids) for space in self._searched.values()):,} items"

    def other_hits(self, item: str) -> int:
        """How many other relevant items neighbours are searched among; in a part of a gallery no
        more are counted than NEAREST can show."""
        if not self.among:
            return len(self.relevant) - 1
        itself = any(space.there([item]) for space in self._searched.values())
        return self._searched_hits - itself

    @cached_property
    def _searched_hits(self) -> int:
        return min(map(self._hits_in, self._searched.values()))

    def _hits_in(self, space: Space) -> int:
        found = 0
        for start in range(0, len(self.relevant), HITS):
            found += len(space.there(self.relevant[start : start + HITS]))
            if found > NEAREST:
                break
        return found

    @cached_property
    def annotated(self) -> Annotated:
        """What the annotation of the gallery says."""
        return self.gallery or Annotated.of(KeywordsOfItems(self.keywords), self.spaces)

    @property
    def has(self) -> KeywordsOfItems:
        """The keywords of each annotated item."""
        return self.annotated.has

    @cached_property
    def hits(self) -> frozenset[str]:
        """The ids of all relevant items."""
        return frozenset(self.relevant)

    def best_ranked(self, most: int) -> Sequence[str]:
        """The relevant items, of more than `most` those that a version ranks best."""
        if len(self.relevant) <= most:
            return self.relevant
        in_turn = (((rank, item) for item, rank in of.items()) for of in self.ranks.values())
        ranked = (item for _, item in merge(*in_turn, key=itemgetter(0)) if item in self.hits)
        best = islice(ranked, most * len(self.ranks))  # each stands there once a version
        return list(dict.fromkeys([*best, *self.relevant[:most]]))[:most]

    def lacks(self, item: str) -> list[Pair]:
        """The required keywords that an item lacks."""
        return [pair for pair in self.required if pair not in self.has.get(item, frozenset())]

    @cached_property
    def remapped(self) -> frozenset[Pair] | None:
        """The keywords that are known to be asked for, where they differ from the required ones."""
        return None if self.known in (None, frozenset(self.required)) else self.known
