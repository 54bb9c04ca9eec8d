"""Look-up by hash code: what lies within a Hamming radius of a query, and how much of it is right.

Sets within a radius do not depend on the order of equal distances.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.evaluation.curves import counting
from dashboard.evaluation.join import codes
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics.hashing import hamming
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.rankings import Array
from dashboard.tables import DataError

USUAL = 2
"""The radius that the literature reports."""
NEAR = 1e-6
"""Cosines are rounded to six places."""
CELLS = 4_000_000

Coded = tuple[Sequence[str], Array]


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


def of_run(run: pd.DataFrame, judgement: Judgement, protocol: Protocol, bits: int) -> Within:
    """What a run holds at each distance. run: with cosines of codes as scores.

    Raises DataError for other scores.
    """
    kept = protocol.keep(run, judgement)
    query = codes(kept["query_id"], judgement.asked)
    rows = np.flatnonzero(query >= 0)
    hit = np.zeros(len(rows))
    place, pair = judgement.judged(query[rows], kept["item_id"], rows)
    hit[place] = judgement.grade[pair] >= judgement.relevant_from
    cell = query[rows] * np.int64(bits + 1)
    cell = cell + distances(kept["score"].to_numpy()[rows], bits)
    shape = (len(judgement.query_ids), bits + 1)
    items, relevant = (
        np.bincount(cell, weights, minlength=shape[0] * shape[1]).reshape(shape)
        for weights in (None, hit)
    )
    return Within(items, relevant)


def of_codes(queries: Coded, gallery: Coded, judgement: Judgement) -> Within:
    """What a gallery holds at each distance, counted from the codes: no ranking is made of it.

    queries, gallery: the ids and codes of -1 and 1, a row each; of several rows of one id in the
    gallery the nearest counts. The distances of a block of queries are in memory at a time.
    """
    asked = judgement.asked.get_indexer(pd.Index(list(queries[0]), dtype="str"))
    rows = np.flatnonzero(asked >= 0)
    bits, found = queries[1].shape[1], pd.Index(sorted(set(gallery[0])), dtype="str")
    numbers = found.get_indexer(pd.Index(list(gallery[0]), dtype="str"))
    by_item = np.argsort(numbers, kind="stable")
    begins = np.searchsorted(numbers[by_item], np.arange(len(found)))
    there = gallery[1][by_item]
    items, relevant = np.zeros((2, len(judgement.query_ids), bits + 1), dtype=np.int64)
    pairs = judgement.qrels[judgement.grade >= judgement.relevant_from]
    asks, item = codes(pairs["query_id"], judgement.asked), codes(pairs["item_id"], found)
    by_query = np.argsort(asks, kind="stable")
    by_query = by_query[item[by_query] >= 0]
    first = np.searchsorted(asks[by_query], np.arange(len(judgement.query_ids) + 1))
    step = max(1, CELLS // max(1, len(found)))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        far = np.minimum.reduceat(hamming(queries[1][some], there), begins, axis=1)
        for query, distance in zip(asked[some], far, strict=True):
            right = item[by_query[first[query] : first[query + 1]]]
            items[query] = np.bincount(distance, minlength=bits + 1)
            relevant[query] = np.bincount(distance[right], minlength=bits + 1)
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
