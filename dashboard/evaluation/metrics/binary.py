"""Metrics of hits and misses; a hit is a result with at least the grade `relevant_from`."""

from __future__ import annotations

import numpy as np

from dashboard.evaluation.metrics.registry import metric
from dashboard.evaluation.rankings import Counts, Flags, Floats, Rankings


def ratio(top: Counts | Floats, bottom: Counts | Floats) -> Floats:
    """top ÷ bottom, NaN where bottom is 0."""
    undefined = np.full(len(top), np.nan)
    values: Floats = np.divide(top, bottom, out=undefined, where=np.not_equal(bottom, 0))
    return values


def counted(flags: Flags, k: int | None) -> Counts:
    """How many of the first k results are flagged. [Q]"""
    counts: Counts = flags[:, :k].sum(axis=1, dtype=np.int64)
    return counts


@metric(
    "P",
    formula="hits in the first K ÷ K",
    source="trec_eval P; ALFA 0.1 calls it Recall@K",
    reads="hits",
    cutoff="required",
    other_names=("hits_over_k",),
)
def precision(rankings: Rankings, k: int) -> Floats:
    """Share of the first K places that hold a relevant item, empty places too (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> precision(from_lists([[1, 0]]), 5).tolist()
    [0.2]
    """
    return counted(rankings.hits, k) / k


@metric(
    "R",
    formula="hits in the first K ÷ R",
    source="trec_eval recall; ALFA 0.1 calls it Precision@K",
    reads="hits",
    other_names=("hits_over_relevant",),
)
def recall(rankings: Rankings, k: int | None) -> Floats:
    """Share of the R relevant items that stand in the first K places (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> recall(from_lists([[1, 0]], relevant=[4]), 5).tolist()
    [0.25]
    """
    return ratio(counted(rankings.hits, k), rankings.relevant)
