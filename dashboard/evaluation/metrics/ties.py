"""What a metric could have been: the worst, the best and the expected value over all tie orders.

Results with equal scores (nearly always some with Hamming distances) stand in gallery order by
decree; another order is as right. Where a list was cut, only what came back changes places.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from dashboard.evaluation.metrics import Measure, parse
from dashboard.evaluation.rankings import Array, Floats, Rankings

RISING = ("P", "R", "Success", "AP", "Rprec", "RR", "nDCG", "DCG", "CG", "AVG", "MAX", "RBP", "ERR")
"""Metrics that never fall when, of two neighbours, the better one moves up."""


class Bounds(NamedTuple):
    """The least and the greatest value of each query over all orders of its tied results."""

    worst: Floats
    best: Floats


def bounds(rankings: Rankings, measure: Measure) -> Bounds:
    """The worst and best value of a measure over all tie orders, float64 [Q] each.

    Raises ValueError for a metric that may fall when a better result moves up (CAG, Judged …).
    """
    if measure.metric.name not in RISING or dict(measure.settings).get("rows"):
        known = ", ".join(RISING)
        raise ValueError(f"Bounds over ties are known for {known}; not for {measure.name}.")
    if dict(measure.settings).get("divisor") == "retrieved" and measure.cutoff is not None:
        found = _bounds_of_ap_retrieved(rankings, measure.cutoff)
        undefined = np.isnan(measure(rankings))
        return Bounds(*(np.where(undefined, np.nan, values) for values in found))
    key = {"hits": rankings.hits, "grades": rankings.gains}.get(
        measure.metric.reads, rankings.credit
    )
    worst = measure(_reordered(rankings, key.astype(float)))
    return Bounds(worst, measure(_reordered(rankings, -key.astype(float))))


def bounded(rankings: Rankings, metrics: str) -> pd.DataFrame:
    """The mean of each metric in the stable order, and of its worst and best over tie orders.

    Columns `metric, cutoff, mean, worst, best, scored, total`, over the queries where the formula
    has a value.
    """
    rows = []
    for measure in parse(metrics):
        values, (worst, best) = measure(rankings), bounds(rankings, measure)
        scored = np.flatnonzero(~np.isnan(values))
        means = [
            float(each[scored].mean()) if len(scored) else np.nan for each in (values, worst, best)
        ]
        rows.append((measure.name, measure.cutoff, *means, len(scored), len(values)))
    names = ["metric", "cutoff", "mean", "worst", "best", "scored", "total"]
    return pd.DataFrame(rows, columns=names).astype({"cutoff": "Int64"})


def expected_ap(rankings: Rankings, k: int | None = None) -> Floats:
    """The mean of AP (divisor R) over all orders of the tied results, without listing them. [Q]

    In a group of m results with r hits that starts after rank a with H hits, place i holds a hit
    with chance r ÷ m, and its precision is then (H + 1 + (i - 1)(r - 1) ÷ (m - 1)) ÷ (a + i) on
    average.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> tied = from_lists([[0, 0, 1, 1]], ties=[[0, 0, 0, 1]])
    >>> expected_ap(tied).round(6).tolist()
    [0.555556]
    """
    before, size, hits, earlier = _groups(rankings)
    rank = np.arange(1, rankings.depth + 1)
    place = rank - before
    others = (place - 1) * (hits - 1) / np.maximum(size - 1, 1)
    terms = hits / size * (earlier + 1 + others) / rank
    terms[hits == 0] = 0
    found = terms[:, : rankings.places(k)].sum(axis=1)
    unknown = np.full(len(found), np.nan)
    return np.asarray(np.divide(found, rankings.relevant, out=unknown, where=rankings.relevant > 0))


def _reordered(rankings: Rankings, key: Array) -> Rankings:
    """Results within each tie group in ascending order of `key`."""
    order = np.lexsort((key, rankings.ties), axis=1)
    tables = (rankings.grades, rankings.credit, rankings.judged)
    grades, credit, judged = (np.take_along_axis(table, order, axis=1) for table in tables)
    return replace(rankings, grades=grades, credit=credit, judged=judged)


def _groups(rankings: Rankings) -> tuple[Array, Array, Array, Array]:
    """For each result: ranks before its group, the group's size, hits in it, hits before it."""
    queries, depth = rankings.hits.shape
    inside = np.arange(depth) < rankings.returned[:, None]
    flat = (np.arange(queries)[:, None] * depth + rankings.ties).ravel()
    hit = (rankings.hits & inside).ravel()

    def per_group(weights: Array) -> Array:
        totals = np.bincount(flat, weights=weights, minlength=queries * depth)
        return totals.reshape(queries, depth)

    sizes, hits = per_group(np.ones(len(flat))), per_group(hit.astype(float))

    def at_each(totals: Array) -> Array:
        return np.asarray(np.take_along_axis(totals, rankings.ties, axis=1))

    before, earlier = np.cumsum(sizes, axis=1) - sizes, np.cumsum(hits, axis=1) - hits
    return at_each(before), at_each(sizes), at_each(hits), at_each(earlier)


def _bounds_of_ap_retrieved(rankings: Rankings, k: int) -> Bounds:
    """Here a late hit can lower the value: every number of hits that the cut may let in is tried.

    Only the group that the cut goes through has a choice; the groups above it do best with their
    hits first and worst with them last.
    """
    before, size, hits, earlier = _groups(rankings)
    orders = [_reordered(rankings, sign * rankings.hits.astype(float)).hits for sign in (1, -1)]
    found = np.zeros((2, len(rankings.returned)))
    for query, returned in enumerate(rankings.returned):
        cut = min(k, int(returned))
        if cut == 0:
            continue
        last = cut - 1
        start, inside, above = (int(t[query, last]) for t in (before, hits, earlier))
        slots, misses = cut - start, int(size[query, last]) - inside
        fewest, most = max(0, slots - misses), min(inside, slots)
        ranks = np.arange(1, start + 1)
        worst, best = (np.flatnonzero(order[query, :start]) for order in orders)
        sums = [float((np.arange(1, above + 1) / ranks[hit]).sum()) for hit in (worst, best)]
        late, early = _terms(start, cut, above, most)
        number = above + np.arange(most + 1)
        shares = [(a + b) / np.maximum(number, 1) for a, b in zip(sums, (late, early), strict=True)]
        found[:, query] = shares[0][fewest:].min(), shares[1][fewest:].max()
    return Bounds(found[0], found[1])


def _terms(start: int, cut: int, above: int, most: int) -> tuple[Array, Array]:
    """Sums of precision at h = 0 … most hits between `start` and `cut`: all last, all first."""
    places = np.arange(1, most + 1)
    early = np.append(0, np.cumsum((above + places) / (start + places)))
    # one more hit at the end: a new first one, and every other one counts one hit more
    firsts = cut + 1 - places
    shifted = np.append(0, np.cumsum(1 / firsts))[:-1]
    late = np.append(0, np.cumsum((above + 1) / firsts + shifted))
    return late, early
