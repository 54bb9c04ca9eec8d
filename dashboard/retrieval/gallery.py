"""The one seam for vectors: whoever searches items, or needs similarities of items, asks a Gallery.

Nothing outside this file reads the matrix of a version. What a Gallery answers can also be answered
by vectors that are read in blocks, or by a vector database: the first `k` results of queries, the
similarities of given items, the vectors of given items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits

from dashboard.ids import places as places_in
from dashboard.progress import parts, report
from dashboard.retrieval.counting import (
    HIGHEST,
    MILLION,
    PLACES,
    Kinds,
    Ranked,
    furthest,
    scores_of,
)
from dashboard.retrieval.near_pairs import find_close_pairs
from dashboard.retrieval.nearest import (
    MARGIN,
    PAIRS,
    Floats,
    Places,
    Scores,
    cosines_of,
    find_nearest,
    words_of,
)
from dashboard.storage.vectors.rows import blocks
from dashboard.storage.vectors.vectors import Vectors
from dashboard.storage.versions.versions import Model
from dashboard.tables import OfQueries

COUNTED = 1 << 26
"""Numbers, of queries × items, that ranks are counted in at once."""
PRODUCTS = 1 << 17
"""Cosines, of queries × items, that are rounded while they are still in the processor's cache."""
AT_ONCE = 256
"""Queries that share one reading of a gallery, which costs as much as some thirty of them, where
four times COUNTED numbers suffice."""


@dataclass(frozen=True, eq=False)
class Gallery:
    """Items that can be searched by their vectors, in an order that decides between equal scores.

    Scores are cosines in double precision rounded to 6 places; of hash codes the cosine is
    (bits - 2 · Hamming distance) ÷ bits, from -1 to 1 as any other.
    """

    vectors: Vectors

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the items, in gallery order."""
        return self.vectors.ids

    @property
    def dimension(self) -> int:
        """How many numbers, or bits of a hash code, a vector has."""
        return self.vectors.dimension

    def part(self, ids: Sequence[str]) -> Gallery:
        """The gallery of these items alone, in this order; those without a vector are left out."""
        return self if tuple(ids) == self.ids else Gallery(self.vectors.rows(ids))

    def part_of(self, ids: pd.Index) -> Gallery:
        """The gallery of those of its items that are among some ids, in its own order."""
        inside = places_in(self.vectors.index, ids) >= 0
        return self if inside.all() else self.part([self.ids[at] for at in np.flatnonzero(inside)])

    def search(
        self, queries: Vectors, k: int, leave_out: Mapping[str, str] | None = None
    ) -> pd.DataFrame:
        """The `k` most similar items of each query as the table RUN, at most the whole gallery.

        `leave_out` names for a query the item that is never its result (itself); copies of it stay
        in. The order of results does not depend on `k`. Raises ValueError where the widths differ
        or k < 1.
        """
        self._check(queries, k)
        own = self._own(queries, leave_out)
        depth = min(k + int((own >= 0).any()), len(self.ids))
        reach = min(depth + MARGIN, len(self.ids))
        codes = queries.codes and self.vectors.codes
        if codes:
            found = list(find_nearest(queries.packed, self.vectors.packed, depth, reach))
        else:
            found = list(find_nearest(queries.matrix, self.vectors.unit, depth, reach))
        empty = np.empty((len(queries.ids), depth))
        places = np.concatenate([block.places for block in found] or [empty.astype("int64")])
        scores = np.concatenate([block.scores for block in found] or [empty])
        if codes:
            scores = (1 + 2 * scores / self.dimension).round(PLACES)
        return _table(queries.index, self.vectors.index, places, scores, own, k)

    def ranked(
        self,
        queries: Vectors,
        k: int,
        wanted: tuple[Places, Places],
        leave_out: Mapping[str, str] | None = None,
        at_least: float = -1.0,
        kinds: Kinds | None = None,
        below: npt.NDArray[np.int32] | None = None,
    ) -> pd.DataFrame:
        """The `k` most similar items of each query and, however deep, wanted ones: the table RUN.

        wanted: places of queries and of items, a pair each, none twice. Ranks are those of whole
        rankings, and `attrs["lengths"]` says how long these are: {query_id: number}. at_least:
        results with a lower score are left out. kinds: items that count as one; then items, in
        what is wanted, left out and answered, are kinds. below: what `below` gives for the queries,
        where that is at hand. Raises ValueError as `search`.
        """
        self._check(queries, k)
        names = self.vectors.index if kinds is None else kinds.names
        own, codes = self._own(queries, leave_out, names), queries.codes and self.vectors.codes
        order = np.argsort(wanted[0], kind="stable")
        items = wanted[1][order].astype(np.int64)
        ends = np.searchsorted(wanted[0][order], np.arange(len(queries.ids) + 1))
        bits = self.dimension if codes else 0
        limit, found = furthest(at_least, bits), list[Ranked]()
        for query, row in enumerate(self._rows_below(queries) if below is None else below):
            report("counting ranks", query, len(queries.ids))
            mine = items[ends[query] : ends[query + 1]]
            itself = int(own[query])
            if kinds is None:
                places, gone = mine[mine != itself], own[[query]] if itself >= 0 else own[:0]
            else:
                places, gone = kinds.nearest(row, mine, itself)
            found.append(Ranked.of(row, places, gone, k, limit))
        return _ranked_table(queries, names, found, bits, kinds)

    def below(self, queries: Vectors) -> npt.NDArray[np.int32]:
        """How far each item stands below the best possible one: bits that differ, or millionths of
        the cosine. [queries, items]

        Raises ValueError as `search`.
        """
        self._check(queries, 1)
        room = np.empty((len(queries.ids), len(self.ids)), dtype=np.int32)
        return self._below(queries, np.arange(len(queries.ids)), room)

    def _rows_below(self, queries: Vectors) -> Iterator[npt.NDArray[np.int32]]:
        """The rows of `below`, one after another: each holds until the next one."""
        step = max(1, min(_at_once(len(self.ids)), len(queries.ids)))
        room = np.empty((step, len(self.ids)), dtype=np.int32)  # new memory for each costs as much
        for start in range(0, len(queries.ids), step):
            some = np.arange(start, min(start + step, len(queries.ids)))
            yield from self._below(queries, some, room[: len(some)])

    def _below(
        self, queries: Vectors, some: Places, below: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.int32]:
        """`below` for some queries, written into it. [some, items]"""
        if queries.codes and self.vectors.codes:
            below[:] = self.distances(queries)(some)
            return below
        _multiply_in_one_thread()
        wide = queries.matrix[some].astype("float64")
        step = max(1, PRODUCTS // max(len(some), wide.shape[1]))
        for start, block in blocks(self.vectors.unit):
            report("counting ranks", int(some[0]), len(queries.ids))
            for first in range(0, len(block), step):
                part = block[first : first + step].astype("float64")
                cosine = wide @ part.T
                cosine *= -MILLION
                np.rint(cosine, out=cosine)  # rounded as numpy rounds to 6 places
                cosine += HIGHEST
                below[:, start + first : start + first + len(part)] = cosine
        return below

    def scores(self, queries: Vectors, query: Places, item: Places) -> Scores:
        """The score of each pair as `search` gives it, by the places of query and item. [pairs]"""
        if not (queries.codes and self.vectors.codes):
            return cosines_of(queries.matrix, self.vectors.unit, query, item)
        differ = np.empty(len(query), dtype=np.int64)
        asking, there = queries.packed, self.vectors.packed
        for start in parts("scoring pairs", range(0, len(query), PAIRS)):
            some = slice(start, start + PAIRS)
            unlike = asking[query[some]] ^ there[item[some]]
            differ[some] = np.bitwise_count(unlike).sum(axis=1)
        return (1 - 2 * differ / self.dimension).round(PLACES) + 0.0

    def similarities(self, items: Sequence[str], others: Sequence[str]) -> Floats:
        """The cosines of items with others of the gallery, not rounded. float32 [items, others]"""
        left = self.fetch(items)
        return left @ (left if others is items else self.fetch(others)).T

    def nearest(
        self, items: Sequence[str], k: int, among: Gallery | None = None
    ) -> dict[str, list[tuple[str, float]]]:
        """The `k` items most similar to each of `items` with their cosine, the nearest first.

        The item itself never counts; among: a part of the gallery that they are searched in. Items
        without a vector are left out.
        """
        asking, space = self.vectors.rows(list(dict.fromkeys(items))), among or self
        found: dict[str, list[tuple[str, float]]] = {item: [] for item in asking.ids}
        if not found or not space.ids:
            return found
        run = space.search(asking, k, {item: item for item in asking.ids})
        columns = (run[name].tolist() for name in ("query_id", "item_id", "score"))
        for item, other, cosine in zip(*columns, strict=True):
            found[item].append((other, cosine))
        return found

    def close_pairs(self, at_least: float) -> tuple[Places, Places]:
        """The places of each two items with at least this cosine, the earlier one first.

        Raises ValueError for more pairs than fit in memory.
        """
        return find_close_pairs(self.vectors.unit, at_least)

    def cosines(self, first: Places, second: Places) -> Scores:
        """The cosine of each pair of items, by their places, rounded as scores are. [pairs]"""
        return cosines_of(self.vectors.unit, self.vectors.unit, first, second)

    def distances(self, queries: Vectors) -> Callable[[Places], npt.NDArray[np.uint16]]:
        """Gives for the places of some queries their Hamming distances to all items. [some, items]

        Raises ValueError where the lengths of the codes differ.
        """
        if queries.dimension != self.dimension:
            raise ValueError(f"codes of {queries.dimension} bits among codes of {self.dimension}")
        asking, there = words_of(queries.packed), words_of(self.vectors.packed)

        def distances_of(some: Places) -> npt.NDArray[np.uint16]:
            found = np.zeros((len(some), len(self.ids)), dtype=np.uint16)
            for word, other in zip(asking, there, strict=True):
                found += np.bitwise_count(word[some, None] ^ other)
            return found

        return distances_of

    def there(self, items: Sequence[str]) -> list[str]:
        """Those of some items that have a vector."""
        places = self._places(items)
        return [item for item, place in zip(items, places, strict=True) if place >= 0]

    def fetch(self, ids: Sequence[str]) -> Floats:
        """The unit vectors of items, read-only. [items, dimension]

        Raises KeyError for an id without a vector.
        """
        places = self._places(ids)
        if (places < 0).any():
            raise KeyError(ids[int(np.argmin(places))])
        if len(places) and (np.diff(places) == 1).all():  # neighbours need no copy
            return self.vectors.unit[places[0] : places[-1] + 1]
        return self.vectors.unit[places]

    def _check(self, queries: Vectors, k: int) -> None:
        if queries.dimension != self.dimension:
            widths = f"{queries.dimension} dimensions, the items {self.dimension}"
            raise ValueError(f"the queries have {widths}")
        if k < 1:
            raise ValueError(f"k = {k}; wanted at least 1")

    def _own(
        self, queries: Vectors, leave_out: Mapping[str, str] | None, names: pd.Index | None = None
    ) -> Places:
        """The place of the item that is each query itself, -1 for none. names: in place of those of
        the items. [queries]"""
        if not leave_out:
            return np.full(len(queries.ids), -1)
        own = pd.Index([leave_out.get(query, "") for query in queries.ids], dtype="str")
        return np.asarray((self.vectors.index if names is None else names).get_indexer(own))

    def _places(self, ids: Sequence[str]) -> Places:
        return np.asarray(self.vectors.index.get_indexer(pd.Index(list(ids), dtype="str")))


def gallery_of(model: Model) -> Gallery:
    """The gallery of a version's items."""
    return Gallery(model.items)


@cache
def _multiply_in_one_thread() -> None:
    """Has this process multiply matrices in one thread from now on. Several wait for each other at
    every part, which takes a half more of the processor and brings the end no nearer."""
    threadpool_limits(1, user_api="blas")


def _at_once(items: int) -> int:
    """How many queries' ranks are counted in one reading of so many items.

    >>> [_at_once(items) for items in (200_000, 1_000_000, 10_000_000, 1_000_000_000)]
    [335, 256, 26, 1]
    """
    most = COUNTED // max(items, 1)
    return max(1, most, min(AT_ONCE, 4 * COUNTED // max(items, 1)))


def _table(
    queries: pd.Index,
    gallery: pd.Index,
    places: Places,
    scores: Scores,
    own: Places,
    k: int,
) -> pd.DataFrame:
    """The table RUN of what was found, without each query's own item, cut to `k`."""
    keep = places != own[:, None]
    ranks = keep.cumsum(axis=1)
    keep &= ranks <= k
    rows = np.nonzero(keep)[0]
    return pd.DataFrame(
        {
            "query_id": pd.Categorical.from_codes(rows, categories=queries),
            "item_id": pd.Categorical.from_codes(places[keep], categories=gallery),
            "score": scores[keep],
            "rank": ranks[keep],
        }
    )


def _ranked_table(
    queries: Vectors, names: pd.Index, found: Sequence[Ranked], bits: int, kinds: Kinds | None
) -> pd.DataFrame:
    none = [np.empty(0, dtype=np.int64)]
    places = np.concatenate(none + [each.places for each in found])
    rows = np.repeat(np.arange(len(found)), [len(each.places) for each in found])
    run = pd.DataFrame(
        {
            "query_id": pd.Categorical.from_codes(rows, categories=queries.index),
            "item_id": pd.Categorical.from_codes(
                places if kinds is None else kinds.number[places], categories=names
            ),
            "score": scores_of(np.concatenate(none + [each.below for each in found]), bits),
            "rank": np.concatenate(none + [each.ranks for each in found]),
        }
    )
    lengths = [each.length for each in found]
    run.attrs["lengths"] = OfQueries(zip(queries.ids, lengths, strict=True))
    return run


def numbers_of(vectors: Vectors) -> dict[str, tuple[float, ...]]:
    """The numbers of a few vectors by their ids, to send them to a service."""
    return dict(zip(vectors.ids, map(tuple, vectors.matrix.tolist()), strict=True))
