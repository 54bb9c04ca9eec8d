"""The keywords of items by their ids, found without going over the whole annotation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.evaluation.join import categories, codes
from dashboard.evaluation.protocols.ticks import PAIR

Pair = tuple[str, str]
"""A keyword with its group, which stands first."""


class KeywordsOfItems(Mapping[str, frozenset[Pair]]):
    """The keywords of each annotated item, a number for each until somebody asks."""

    def __init__(self, keywords: pd.DataFrame) -> None:
        """keywords: table KEYWORDS."""
        self.ids = categories(keywords["item_id"])
        item = codes(keywords["item_id"], self.ids)
        order = np.argsort(item, kind="stable")
        self._ends = np.searchsorted(item[order], np.arange(len(self.ids) + 1))
        self._first = order[self._ends[:-1]] if len(order) else order
        (group, groups), (word, words) = (pd.factorize(keywords[name]) for name in PAIR)
        number, distinct = pd.factorize(group.astype(np.int64) * len(words) + word)
        pairs = (divmod(int(each), len(words)) for each in distinct)
        self._pairs: list[Pair] = [(str(groups[g]), str(words[w])) for g, w in pairs]
        self._number = {pair: place for place, pair in enumerate(self._pairs)}
        self._pair = number.astype(np.int32)[order]

    def of(self, item_ids: Sequence[str]) -> dict[str, list[Pair]]:
        """The keywords of each of some items that has some, in the order of the annotation."""
        places = self.places(list(dict.fromkeys(item_ids)))
        there = places[places >= 0]
        there = there[np.argsort(self._first[there], kind="stable")].tolist()
        return {str(self.ids[at]): self._at(at) for at in there}

    def places(self, item_ids: Sequence[str]) -> NDArray[np.int64]:
        """The places of some items among the ids, -1 for one that is not annotated."""
        return np.asarray(self.ids.get_indexer(pd.Index(list(item_ids), dtype="str")))

    def have(self, pair: Pair, items: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of some items have a keyword, by their places among the ids; -1 has none."""
        found = np.zeros(items.shape, dtype=bool)
        number = self._number.get(pair)
        if number is None:
            return found
        start, end = self._ends[items], self._ends[items + 1]  # of -1 the end is the first start
        for further in range(int((end - start).max(initial=0))):
            row = start + further
            inside = row < end
            found[inside] |= self._pair[row[inside]] == number
        return found

    def _at(self, place: int) -> list[Pair]:
        return [self._pairs[n] for n in self._pair[self._ends[place] : self._ends[place + 1]]]

    def __getitem__(self, item_id: str) -> frozenset[Pair]:
        return frozenset(self._at(int(np.asarray(self.ids.get_loc(item_id)))))

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)
