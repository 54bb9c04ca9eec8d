"""A case: one query with all that speaks for why its results are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from dashboard.evaluation.neighbours import Space, usual

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Case:
    """One query with all that speaks for a cause.

    required   (group, keyword) of each keyword that the query was taken to ask for
    keywords   KEYWORDS table of the gallery
    relevant   the ids of all relevant items
    spaces     version → its vectors of the items
    ranks      version → {item_id: rank} of its whole ranking
    depth      how many results are shown
    own        the item of an item query
    known      the keywords that the query is known to ask for; None: nobody says
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
    def usual(self) -> dict[str, float]:
        """How similar pairs of items are at most, but for one in a hundred, by each version."""
        return {version: usual(space) for version, space in self.spaces.items()}

    def lacks(self, item: str) -> list[Pair]:
        """The required keywords that an item has not."""
        return [pair for pair in self.required if pair not in self.has.get(item, frozenset())]

    @cached_property
    def remapped(self) -> frozenset[Pair] | None:
        """The keywords that are known to be asked for, where they differ from the required ones."""
        return None if self.known in (None, frozenset(self.required)) else self.known
