"""Where a version's results come from, and a run: these results under the choices of a study."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Protocol

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from dashboard.retrieval.gallery import Found, Gallery, Ranking, Rankings, SortedRanking, restrict
from dashboard.storage.collection import Collection
from dashboard.storage.runs import Pairs
from dashboard.storage.versions import Version
from dashboard.tables import Float32Array, IntArray, Names, Reasons, Table, Ties, find_rows

limit_threads = cache(partial(threadpool_limits, 1, "blas"))
"""Let one thread multiply, as several wait for each other at every block; it takes 5 ms."""


class Source(Protocol):
    """Ranks the queries of a collection, which are given by their positions.

    Attributes:
        not_run: Why a query was not run, by its position; it has no value.
        has_scores: Whether its scores say more than the order of the results.
    """

    not_run: Reasons
    has_scores: bool = True

    def lacks(self, query: int) -> bool:
        """Return whether there are no results for a query that was run, which count as none."""
        return False

    def rank(self, queries: IntArray) -> Rankings:
        """Yield the ranking of each query; an empty one if it was not run."""


@dataclass(frozen=True, eq=False)
class VectorSource(Source):
    """Search with a vector of each query: its own, or that of the item it is about.

    Attributes:
        vectors: float32 of shape [queries that have a vector, dimension].
        rows: Row of each query of the collection in `vectors`; -1 if it has none.
    """

    gallery: Gallery
    vectors: Float32Array
    rows: IntArray
    not_run: dict[int, str]

    def skip_empty(self, candidates: Callable[[int], IntArray | None]) -> None:
        """Count queries as not run that may find items only of which there is no vector."""
        has = np.append(self.gallery.rows >= 0, False)  # -1 is outside the collection
        for query in () if has[:-1].all() else range(len(self.rows)):
            items = candidates(query)
            if items is not None and (items >= 0).any() and not has[items].any():
                self.not_run[query] = "no vector of any item that the query may find"

    def rank(self, queries: IntArray, part: Gallery | None = None) -> Rankings:
        """Yield the ranking of each query in the gallery, or in a part of it."""
        rows = self.rows[queries]
        found = (part or self.gallery).rank(self.vectors[rows[rows >= 0]])
        for row in rows:
            yield next(found) if row >= 0 else NOTHING


@dataclass(frozen=True, eq=False)
class RunFileSource(Source):
    """Results that a file holds; a query that it does not name has found nothing."""

    ranked: Mapping[int, SortedRanking]
    not_run: Reasons

    @cached_property
    def has_scores(self) -> bool:  # type: ignore[override]
        """False where they are 0, -1, -2 … or -1, -2 …, as of lists that have an order only."""
        return any(
            {*each.scores[:1].tolist()} - {0, -1} or (np.diff(each.scores) != -1).any()
            for each in self.ranked.values()
        )

    def lacks(self, query: int) -> bool:
        return query not in self.ranked

    def rank(self, queries: IntArray) -> Rankings:
        for query in queries.tolist():
            yield self.ranked.get(query, NOTHING)


def rank_among(source: Source, queries: IntArray, items: IntArray | None) -> Rankings:
    """Return the ranking of each query among some items; None: all, -1: those outside."""
    if items is None:
        return source.rank(queries)
    if isinstance(source, VectorSource):
        return source.rank(queries, source.gallery.restrict(items))
    return (restrict(ranking, items) for ranking in source.rank(queries))


NOTHING = SortedRanking(np.empty(0, int), np.empty(0))


def make_source(collection: Collection, version: Version, ties: Ties) -> Source:
    """Return the source of a version's results.

    Args:
        collection: What the version belongs to.
        version: Vectors or results.
        ties: Order of equal scores; with "id" also those are equal that are so in single precision.
    """
    items, queries = collection.items, collection.queries
    if version.make_source:
        source: Source = version.make_source(collection, version, ties)
        return source
    if version.run:
        ranked = order_run(version.run, queries, items, ties)
        answered = {collection.query_kinds[query] for query in ranked}
        not_run = {
            query: f"{version.name} has no results for any {kind} query"
            for query, kind in enumerate(collection.query_kinds)
            if kind not in answered
        }
        return RunFileSource(ranked, not_run)
    assert version.items
    limit_threads()
    places = place_items(items.ids, ties)
    gallery = Gallery(version.items, items.find(version.items.ids), places)
    rows = np.full(len(queries), -1)
    vectors = [np.empty((0, version.items.dimension), np.float32)]
    for stored, ids in ((version.queries, queries.ids), (version.items, queries["item_id"])):
        if stored and any(ids):
            places = np.where(rows < 0, stored.find(ids), -1)
            asking = np.flatnonzero(places >= 0)
            rows[asking] = np.arange(len(asking)) + sum(map(len, vectors))
            vectors.append(stored.read(places[asking]))
    why = f"{version.name} has no vector of the query"
    not_run = dict.fromkeys(np.flatnonzero(rows < 0).tolist(), why)
    return VectorSource(gallery, np.concatenate(vectors), rows, not_run)


def order_run(pairs: Pairs, queries: Table, items: Table, ties: Ties) -> dict[int, SortedRanking]:
    """Return the results of each known query, best first.

    Equal scores keep the order of the items. With ties "id" scores are compared as float32 and
    equal ones stand by id, descending, as trec_eval has it.
    """
    query, item = queries.find(pairs.queries)[pairs.query], items.find(pairs.items)[pairs.item]
    scores = pairs.values
    if ties == "id":
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32)
    falls = scores[1:] <= scores[:-1]
    is_sorted = ((query[1:] > query[:-1]) | (query[1:] == query[:-1]) & falls).all()  # mostly so
    order = np.arange(len(query)) if is_sorted else np.lexsort((-scores, query))
    item, query, scores = item[order], query[order], scores[order]
    is_same = np.append(False, (scores[1:] == scores[:-1]) & (query[1:] == query[:-1]))
    tied = np.flatnonzero(is_same | np.append(is_same[1:], False))
    if ties == "id":
        named, at = np.unique(pairs.item[order[tied]], return_inverse=True)
        place = place_items([pairs.items[each] for each in named.tolist()], ties)[at]
    else:
        place = np.where(item[tied] < 0, len(items), item[tied])
    item[tied] = item[tied][np.lexsort((place, np.cumsum(~is_same)[tied]))]
    scores = pairs.values[order][~is_same][np.cumsum(~is_same) - 1]  # one for equal ones
    return {
        each: SortedRanking(item[rows], scores[rows])
        for each, rows in enumerate(find_rows(query, len(queries)))
        if rows.start < rows.stop
    }


def place_items(ids: Names, ties: Ties) -> IntArray:
    """Return the place of each item among equal scores: its own, or by its id, descending."""
    places = np.arange(len(ids))
    if ties == "id":
        places[sorted(range(len(ids)), key=ids.__getitem__, reverse=True)] = np.arange(len(ids))
    return places


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

    def find_all(
        self, queries: IntArray, depth: int, wanted: Callable[[int], IntArray] | None = None
    ) -> Iterator[Found]:
        """Yield the first results of each query and the wanted items at their true ranks.

        Args:
            queries: Positions of queries in the collection.
            depth: Results of each query from the first on.
            wanted: Return the items of a query that are wanted however deep they are.
        """
        for query, ranking in zip(queries.tolist(), self.rank(queries), strict=True):
            yield self.find(query, ranking, depth, wanted(query) if wanted else NOTHING.items)

    def rank(self, queries: IntArray) -> Rankings:
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
            yield ranking if key or items is None else restrict(ranking, items)

    def find(self, query: int, ranking: Ranking, depth: int, wanted: IntArray) -> Found:
        """Return what a ranking finds without the query's own item."""
        own = self.own_items[query]
        if own < 0:
            return ranking.find(depth, wanted, self.min_similarity)
        found = ranking.find(depth + 1, np.append(wanted, own), self.min_similarity)
        return found.drop(found.items == own).keep(depth, wanted)
