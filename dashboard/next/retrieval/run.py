"""A run: the results of one version under the choices of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dashboard.next.retrieval.gallery import Ranking
from dashboard.next.retrieval.sources import Source
from dashboard.next.tables import FloatArray, IntArray

BLOCK = 256
"""Queries of one part."""


@dataclass(frozen=True, eq=False)
class Part:
    """Results of some queries as rows sorted by query and rank, and what is known of each query.

    Attributes:
        queries: Positions of the queries in the collection.
        row: Place of each result's query in `queries`.
        item: Item of each result; -1 if the collection does not have it.
        rank: True rank of each result, from 1.
        tie_first: Rank of the first result with this score.
        tie_last: Rank of the last result with this score.
        length: Number of results of each query's whole list.
        passing: Number of them that pass the similarity threshold; the list ends there.
        not_run: Why a query was not run, by its position in the collection.
    """

    queries: IntArray
    row: IntArray
    item: IntArray
    score: FloatArray
    rank: IntArray
    tie_first: IntArray
    tie_last: IntArray
    length: IntArray
    passing: IntArray
    not_run: Mapping[int, str]


@dataclass(frozen=True, eq=False)
class Run:
    """A source under the choices of a study.

    Attributes:
        own_items: The item that each query of the collection is about, -1 for none; it is never
            a result of that query.
        min_similarity: A list ends before the first result with a lower score.
        candidates: Return the items that may be results of a query; None: all may.
    """

    source: Source
    own_items: IntArray
    min_similarity: float = -np.inf
    candidates: Callable[[int], IntArray | None] | None = None

    def rank(self, queries: IntArray) -> Iterator[Ranking]:
        """Yield the whole finished ranking of each query; nothing else finishes rankings."""
        for query, found in zip(queries.tolist(), self.source.rank(queries), strict=True):
            kept = (found.items != self.own_items[query]) | (found.items < 0)
            among = None if self.candidates is None else self.candidates(query)
            if among is not None:
                kept &= np.isin(found.items, among)
            yield found if kept.all() else Ranking(found.items[kept], found.scores[kept])

    def parts(
        self, queries: IntArray, depth: int, wanted: Callable[[int], IntArray] | None = None
    ) -> Iterator[Part]:
        """Yield the first results of each query and the wanted items at their true ranks.

        Args:
            queries: Positions of queries in the collection.
            depth: Results of each query from the first on.
            wanted: Return the items of a query that are wanted however deep they are.
        """
        for start in range(0, len(queries), BLOCK):
            yield self._part(queries[start : start + BLOCK], depth, wanted)

    def _part(
        self, queries: IntArray, depth: int, wanted: Callable[[int], IntArray] | None
    ) -> Part:
        rows: list[tuple[IntArray, FloatArray, IntArray, IntArray, IntArray]] = []
        lengths: list[tuple[int, int]] = []
        for query, found in zip(queries.tolist(), self.rank(queries), strict=True):
            at = np.arange(min(depth, len(found.items)))
            if wanted is not None:
                deep = np.isin(found.items[depth:], wanted(query))
                at = np.concatenate([at, np.flatnonzero(deep) + depth])
            score, falling = found.scores[at], -found.scores
            first = np.searchsorted(falling, -score, side="left") + 1
            last = np.searchsorted(falling, -score, side="right")
            rows.append((found.items[at], score, at + 1, first, last))
            passing = int(np.searchsorted(falling, -self.min_similarity, side="right"))
            lengths.append((len(found.items), passing))
        item, score, rank, first, last = map(np.concatenate, zip(*rows, strict=True))
        row = np.repeat(np.arange(len(queries)), [len(each[0]) for each in rows])
        length, passed = np.array(lengths).T
        asked = set(queries.tolist())
        not_run = {query: why for query, why in self.source.not_run.items() if query in asked}
        return Part(queries, row, item, score, rank, first, last, length, passed, not_run)
