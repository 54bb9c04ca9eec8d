"""Look-up by hash code: what lies within a Hamming radius of a query, and how much of it is right.

Sets within a radius do not depend on the order of equal distances.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from dashboard.evaluation.curves import counting
from dashboard.evaluation.join import codes
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.rankings import Array
from dashboard.tables import DataError

USUAL = 2
"""The radius that the literature reports."""
NEAR = 1e-6
"""Cosines are rounded to six places."""


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


def by_radius(
    run: pd.DataFrame,
    judgement: Judgement,
    protocol: Protocol,
    bits: int,
    only: Collection[str] | None = None,
) -> pd.DataFrame:
    """Precision and recall of what lies within each Hamming radius from 0 to the number of bits.

    run: with cosines of codes as scores. Columns, means over the `scored` of `total` queries:
    precision (0 where nothing lies that near, as Liu et al., CVPR 2012, count it),
    precision_found (over the `found` queries for which something does), recall, items (how many).
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
    size = shape[0] * shape[1]
    counted, total = counting(run, judgement, protocol, only)
    near, hits = (
        np.bincount(cell, weights, minlength=size).reshape(shape).cumsum(axis=1)[counted]
        for weights in (None, hit)
    )
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
