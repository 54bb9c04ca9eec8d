"""Binary codes: their Hamming distances, pairs of codes bit by bit, and look-up within a radius.

Results are ranked by Hamming distance; equation (1) of the hashing protocol equals it exactly for
codes of -1 and 1. Its "descending order" of distances is read as nearest first. The set of results
within a radius does not depend on the order of equal distances.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.evaluation.curves import counting
from dashboard.evaluation.join import codes
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.rankings import Array, Flags
from dashboard.tables import DataError


def equation_1(first: Array, second: Array) -> float:
    """K ÷ 4 × squared distance of the two normalised vectors: equation (1), first form."""
    unit, other = _unit(first), _unit(second)
    return float(len(unit) / 4 * ((unit - other) ** 2).sum())


def equation_1_cosine(first: Array, second: Array) -> float:
    """K ÷ 2 × (1 - cosine): equation (1), second form; the Hamming distance for codes of -1 and 1.

    >>> equation_1_cosine(np.array([1, 1, -1, -1]), np.array([1, -1, -1, 1]))
    2.0
    """
    unit, other = _unit(first), _unit(second)
    return float(len(unit) / 2 * (1 - unit @ other))


def hamming(queries: Array, gallery: Array) -> Array:
    """In how many places each query's code differs from each gallery code. uint16 [Q, N]

    >>> hamming(np.array([[1, 1, 1]]), np.array([[1, 1, 1], [1, -1, -1]])).tolist()
    [[0, 2]]
    """
    if queries.shape[1] != gallery.shape[1]:
        raise ValueError(
            f"The queries' codes have {queries.shape[1]} places, the gallery's {gallery.shape[1]}."
        )
    distances = np.zeros((len(queries), len(gallery)), dtype=np.uint16)
    for word, other in zip(_words(queries), _words(gallery), strict=True):
        distances += np.bitwise_count(word[:, None] ^ other)
    return distances


def _words(matrix: Array) -> Iterator[Array]:
    """The codes packed into words of 64 bits, one array per word."""
    bits = np.packbits(matrix > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    yield from np.ascontiguousarray(padded.view(np.uint64).T)


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    if not length > 0:
        raise ValueError("A code of nothing but 0 has no direction, so equation (1) has no value.")
    return np.asarray(vector / length)


@dataclass(frozen=True, eq=False)
class CodePair:
    """The codes of a query and of an item, of -1 and 1 as whole numbers. [K] each

    Equation (1) of the hashing protocol says that three numbers are one: the bits that differ,
    (K - inner product) ÷ 2, and K ÷ 2 · (1 - cosine).

    >>> pair = CodePair(np.array([1, 1, -1, -1]), np.array([1, -1, -1, 1]))
    >>> pair.distance, pair.inner, pair.from_inner, pair.from_cosine, pair.from_vectors
    (2, 0, 2.0, 2.0, 2.0)
    """

    query: Array
    item: Array

    @property
    def bits(self) -> int:
        """K, the length of the codes."""
        return len(self.query)

    @property
    def differs(self) -> Flags:
        """Whether the codes differ in each place. [K]"""
        return np.asarray(self.query != self.item)

    @property
    def distance(self) -> int:
        """The Hamming distance, counted: in how many places the codes differ."""
        return int(self.differs.sum())

    @property
    def inner(self) -> int:
        """The inner product."""
        return int(self.query.astype(np.int64) @ self.item.astype(np.int64))

    @property
    def from_inner(self) -> float:
        """(K - inner product) ÷ 2."""
        return (self.bits - self.inner) / 2

    @property
    def from_cosine(self) -> float:
        """K ÷ 2 · (1 - cosine)."""
        return equation_1_cosine(self.query, self.item)

    @property
    def from_vectors(self) -> float:
        """K ÷ 4 · squared distance of the two codes, each divided by its length."""
        return equation_1(self.query, self.item)


def method_of(version: str, bits: int) -> str:
    """What a version is called without the length of its codes; its name where it does not say it.

    >>> method_of("itq-64", 64), method_of("lsh_16bits", 16), method_of("64b.pca", 64)
    ('itq', 'lsh', 'pca')
    >>> method_of("v0.3", 64), method_of("64", 64), method_of("v164", 64)
    ('v0.3', '64', 'v164')
    """
    length = rf"(?<!\d)[-_. ]?(?<!\d){bits}(?:[-_ ]?b(?:its?)?)?(?![0-9a-z])"
    method = re.sub(length, "", version, count=1, flags=re.IGNORECASE).strip("-_. ")
    return method or version


USUAL = 2
"""The radius that the literature reports."""
NEAR = 1e-6
"""Cosines are rounded to six places."""
CELLS = 4_000_000

Distances = Callable[[Array], Array]


def distances(scores: Array, bits: int) -> Array:
    """Hamming distances of codes from their cosines, which are (bits − 2 · distance) ÷ bits. int64

    Raises DataError for a score that is the cosine of no two codes of so many bits.

    >>> distances(np.array([1.0, 0.875, -1.0]), 16).tolist()
    [0, 1, 16]
    """
    exact = (1 - scores) * bits / 2
    found = np.rint(exact)
    wrong = ~((np.abs(exact - found) <= NEAR * bits) & (found >= 0) & (found <= bits))
    if wrong.any():
        wanted = f"({bits} − 2 · distance) ÷ {bits}, the cosine of codes of so many bits"
        raise DataError("scores", f"the score {scores[int(np.argmax(wrong))]:g}", wanted)
    return found.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Within:
    """How many items, and how many relevant ones, lie at each distance. [Q, bits + 1] each"""

    items: Array
    relevant: Array

    def nearest(self, distance: int) -> Within:
        """The same without what lies farther than a distance."""
        far = np.arange(self.items.shape[1]) > distance
        return Within(np.where(far, 0, self.items), np.where(far, 0, self.relevant))

    def __add__(self, other: Within) -> Within:
        return Within(self.items + other.items, self.relevant + other.relevant)


def of_run(run: pd.DataFrame, judgement: Judgement, protocol: Protocol, bits: int) -> Within:
    """What a run holds at each distance. run: with cosines of codes as scores.

    Raises DataError for other scores.
    """
    kept = protocol.keep(run, judgement)
    query = codes(kept["query_id"], judgement.asked)
    rows = np.flatnonzero(query >= 0)
    hit = np.zeros(len(rows))
    place, pair = judgement.judged(query[rows], kept["item_id"], rows)
    hit[place] = judgement.grades(pair) >= judgement.relevant_from
    cell = query[rows] * np.int64(bits + 1)
    cell = cell + distances(kept["score"].to_numpy()[rows], bits)
    shape = (len(judgement.query_ids), bits + 1)
    items, relevant = (
        np.bincount(cell, weights, minlength=shape[0] * shape[1]).reshape(shape)
        for weights in (None, hit)
    )
    return Within(items, relevant)


def of_codes(
    queries: Sequence[str],
    gallery: Sequence[str],
    distances: Distances,
    bits: int,
    judgement: Judgement,
    own: Mapping[str, str] | None = None,
) -> Within:
    """What a gallery holds at each distance, counted from the codes: no ranking is made of it.

    queries, gallery: the ids; of several items of one id the nearest counts. distances: gives for
    the places of some queries their Hamming distances to all items. [some, items] The distances of
    a block of queries are in memory at a time. own: query_id → the item that is never its result.
    """
    asked = judgement.asked.get_indexer(pd.Index(list(queries), dtype="str"))
    rows = np.flatnonzero(asked >= 0)
    found = pd.Index(sorted(set(gallery)), dtype="str")
    numbers = found.get_indexer(pd.Index(list(gallery), dtype="str"))
    by_item = np.argsort(numbers, kind="stable")
    begins = np.searchsorted(numbers[by_item], np.arange(len(found)))
    itself = found.get_indexer(pd.Index([(own or {}).get(query, "") for query in queries]))
    items, relevant = np.zeros((2, len(judgement.query_ids), bits + 1), dtype=np.int64)
    pairs = judgement.pairs("hit")
    asks, item = codes(pairs["query_id"], judgement.asked), codes(pairs["item_id"], found)
    by_query = np.argsort(asks, kind="stable")
    by_query = by_query[item[by_query] >= 0]
    first = np.searchsorted(asks[by_query], np.arange(len(judgement.query_ids) + 1))
    step = max(1, CELLS // max(1, len(found)))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        far = np.minimum.reduceat(distances(some)[:, by_item], begins, axis=1)
        is_item = np.flatnonzero(itself[some] >= 0)
        far[is_item, itself[some[is_item]]] = bits + 1
        for query, distance in zip(asked[some], far, strict=True):
            right = item[by_query[first[query] : first[query + 1]]]
            items[query] = np.bincount(distance, minlength=bits + 2)[: bits + 1]
            relevant[query] = np.bincount(distance[right], minlength=bits + 2)[: bits + 1]
    return Within(items, relevant)


def by_radius(
    run: pd.DataFrame,
    judgement: Judgement,
    protocol: Protocol,
    bits: int,
    only: Collection[str] | None = None,
    within: Within | None = None,
) -> pd.DataFrame:
    """Precision and recall of what lies within each Hamming radius from 0 to the number of bits.

    run: with cosines of codes as scores. within: what lies at each distance, where the run ends
    before it is all there. Columns, means over the `scored` of `total` queries:
    precision (0 where nothing lies that near, as Liu et al., CVPR 2012, count it),
    precision_found (over the `found` queries for which something does), recall, items (how many).
    """
    there = within or of_run(run, judgement, protocol, bits)
    counted, total = counting(run, judgement, protocol, only)
    near, hits = (each.cumsum(axis=1)[counted] for each in (there.items, there.relevant))
    return _means(near, hits, judgement.relevant[counted], total)


def _means(near: Array, hits: Array, relevant: Array, total: int) -> pd.DataFrame:
    """The table of `by_radius`. near, hits [Q, bits + 1]: how many lie within each radius."""
    found = (near > 0).sum(axis=0)
    shares = hits / np.maximum(near, 1)
    scored = len(near)

    def mean(table: Array) -> Array:
        return np.asarray(table.mean(axis=0)) if scored else np.full(table.shape[1], np.nan)

    nowhere = np.full(len(found), np.nan)
    return pd.DataFrame(
        {
            "radius": np.arange(len(found)),
            "precision": mean(shares),
            "precision_found": np.divide(shares.sum(axis=0), found, out=nowhere, where=found > 0),
            "recall": mean(hits / np.maximum(relevant, 1)[:, None]),
            "items": mean(near),
            "found": found,
            "scored": scored,
            "total": total,
        }
    )
