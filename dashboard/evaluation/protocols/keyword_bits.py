"""Which items have which keywords, a bit for each: what is counted over all items is counted 64 at
a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.evaluation.join import Codes, Places, categories, codes
from dashboard.evaluation.protocols.ticks import PAIR

Words = NDArray[np.uint64]
BLOCK = 1 << 20
"""Pairs that are looked up at a time."""


@dataclass(frozen=True, eq=False)
class KeywordBits:
    """Which items have which required keyword, and which keywords each query requires.

    items          the annotated items
    words [P, N ÷ 64]  a bit for each keyword and item; the last row is no keyword, which none has
    required [Q, M]  the rows of `words` that each query requires, the last one where it has less
    needed [Q]     how many it requires
    """

    items: pd.Index
    words: Words
    required: Places
    needed: Places

    @classmethod
    def of(cls, required: pd.DataFrame, keywords: pd.DataFrame, asked: pd.Index) -> KeywordBits:
        """required: query_id, group, keyword, each once; keywords: KEYWORDS table."""
        items = categories(keywords["item_id"])
        pairs = pd.MultiIndex.from_frame(required[PAIR])
        distinct = pairs.unique()
        column = distinct.get_indexer(pd.MultiIndex.from_frame(keywords[PAIR]))
        order = np.argsort(column, kind="stable")
        ends = np.searchsorted(column[order], np.arange(len(distinct) + 1))
        item = codes(keywords["item_id"], items)[order]
        words = np.zeros((len(distinct) + 1, -(-len(items) // 64)), dtype=np.uint64)
        for row, (start, end) in enumerate(zip(ends, ends[1:], strict=False)):
            has = np.zeros(words.shape[1] * 64, dtype=bool)
            has[item[start:end]] = True
            words[row] = np.packbits(has, bitorder="little").view(np.uint64)
        query = codes(required["query_id"], asked)
        needed = np.bincount(query, minlength=len(asked)).astype(np.int64)
        order = np.argsort(query, kind="stable")
        place = np.arange(len(query)) - (np.cumsum(needed) - needed)[query[order]]
        rows = np.full((len(asked), int(needed.max(initial=0))), len(distinct), dtype=np.int64)
        rows[query[order], place] = distinct.get_indexer(pairs)[order]
        return cls(items, words, rows, needed)

    def of_queries(self, places: Places) -> KeywordBits:
        """The same of some of the queries."""
        return KeywordBits(self.items, self.words, self.required[places], self.needed[places])

    def matched(self, query: Codes, item: Codes) -> NDArray[np.int64]:
        """How many of its required keywords each query finds in an item. [pairs]"""
        number = np.zeros(len(query), dtype=np.int64)
        bits = self.words.view(np.uint8)
        for start in range(0, len(query), BLOCK):
            some = slice(start, start + BLOCK)
            byte, bit = item[some] >> 3, (item[some] & 7).astype(np.uint8)
            for rows in self.required.T:
                number[some] += bits[rows[query[some]], byte] >> bit & 1
        return number

    def with_at_least(self, query: int, number: int) -> Words:
        """The items that have at least so many of the keywords of a query, a bit each."""
        planes, needed = self._planes(query), int(self.needed[query])
        enough = [self._equal(planes, has) for has in range(number, needed + 1)]
        return np.asarray(np.bitwise_or.reduce(enough, axis=0))

    def _words_of(self, query: int) -> Words:
        return self.words[self.required[query, : self.needed[query]]]

    def counts(self, query: int) -> Places:
        """How many items have 0, 1 … all of the keywords of a query."""
        planes, numbers = self._planes(query), range(1, int(self.needed[query]) + 1)
        some = [self._popcount(self._equal(planes, number)) for number in numbers]
        return np.array([len(self.items) - sum(some), *some], dtype=np.int64)

    def _planes(self, query: int) -> list[Words]:
        """How many of the keywords of a query each item has: the binary digit `planes[d]` of 64
        items in a word. The numbers of all items are added at once."""
        planes: list[Words] = []
        for carry in self._words_of(query):
            for digit, plane in enumerate(planes):
                planes[digit], carry = plane ^ carry, plane & carry
            planes.append(carry)
        return planes

    @staticmethod
    def _equal(planes: Sequence[Words], number: int) -> Words:
        digits = [plane if number >> d & 1 else ~plane for d, plane in enumerate(planes)]
        return np.asarray(np.bitwise_and.reduce(digits, axis=0))

    @staticmethod
    def _popcount(words: Words) -> int:
        return int(np.bitwise_count(words).sum())

    def places(self, words: Words) -> Places:
        """The places of the items whose bit is set."""
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        return np.flatnonzero(bits)
