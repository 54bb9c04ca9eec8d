"""A run: the results of one version under the choices of a study."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dashboard.retrieval.gallery import Found, Ranking, Rankings
from dashboard.retrieval.sources import Source, rank_among
from dashboard.tables import FloatArray, IntArray

BLOCK = 256
"""Queries of one part."""


class Part(NamedTuple):
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


@dataclass(frozen=True, eq=False)
class Run:
    """A source under the choices of a study.

    Attributes:
        own_items: The item that each query of the collection is about, -1 for none; it is never
            a result of that query.
        min_similarity: A list ends before the first result with a lower score.
        candidates: Return the items that may be results of a query; None where all may.
    """

    source: Source
    own_items: IntArray
    min_similarity: float = -np.inf
    candidates: Callable[[int], IntArray | None] = lambda query: None

    def parts(
        self, queries: IntArray, depth: int, wanted: Callable[[int], IntArray] | None = None
    ) -> Iterator[Part]:
        """Yield the first results of each query and the wanted items at their true ranks.

        Args:
            queries: Positions of queries in the collection.
            depth: Results of each query from the first on.
            wanted: Return the items of a query that are wanted however deep they are.
        """
        rankings = self._rank(queries)
        for start in range(0, len(queries), BLOCK):
            some = queries[start : start + BLOCK]
            found = [
                self._find(query, ranking, depth, wanted(query) if wanted else NO_ITEMS)
                for query, ranking in zip(some.tolist(), rankings, strict=False)
            ]
            item, score, rank, first, last = (
                np.concatenate([each[column] for each in found]) for column in range(5)
            )
            row = np.repeat(np.arange(len(some)), [len(each.items) for each in found])
            length, passing = np.array([(each.length, each.passing) for each in found]).T
            yield Part(some, row, item, score, rank, first, last, length, passing)

    def _rank(self, queries: IntArray) -> Rankings:
        """Yield the ranking of each query among its candidates.

        Queries that have the same candidates search these alone, as a gallery of their own.
        """
        among = [self.candidates(query) for query in queries.tolist()]
        shared = Counter(map(id, among))
        keys = [id(each) if shared[id(each)] > 1 else 0 for each in among]
        items_of = dict(zip(keys, among, strict=True)) | {0: None}
        found = {
            key: rank_among(self.source, queries[np.equal(keys, key)], items_of[key])
            for key in set(keys)
        }
        for key, items in zip(keys, among, strict=True):
            ranking = next(found[key])
            yield ranking if key or items is None else ranking.restrict(items)

    def _find(self, query: int, ranking: Ranking, depth: int, wanted: IntArray) -> Found:
        """Return what a ranking finds without the query's own item."""
        own = self.own_items[query]
        if own < 0:
            return ranking.find(depth, wanted, self.min_similarity)
        found = ranking.find(depth + 1, np.append(wanted, own), self.min_similarity)
        return found.drop(found.items == own).keep(depth, wanted)


NO_ITEMS = np.empty(0, int)
