"""What a metric could have been: the worst and the best value over all tie orders.

Results with equal scores (nearly always some with Hamming distances) stand in gallery order by
decree; another order is as right. Where a list was cut, only what came back changes places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dashboard.evaluation.metrics import Measure
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
    return Orders(rankings).bounds(measure)


@dataclass(frozen=True, eq=False)
class Orders:
    """The orders that tied results may stand in, kept for bounds of many measures and cutoffs."""

    rankings: Rankings

    def bounds(self, measure: Measure) -> Bounds:
        """As the function `bounds`."""
        if measure.metric.name not in RISING or dict(measure.settings).get("rows"):
            known = ", ".join(RISING)
            raise ValueError(f"Bounds over ties are known for {known}; not for {measure.name}.")
        if dict(measure.settings).get("divisor") == "retrieved" and measure.cutoff is not None:
            undefined = np.isnan(measure(self.rankings))
            found = self._ap_retrieved(measure.cutoff)
            return Bounds(*(np.where(undefined, np.nan, values) for values in found))
        worst, best = self._extreme(measure.metric.reads)
        return Bounds(measure(worst), measure(best))

    @cached_property
    def _known(self) -> dict[str, tuple[Rankings, Rankings]]:
        return {}

    def _extreme(self, reads: str) -> tuple[Rankings, Rankings]:
        """The rankings with the worst and with the best first in each tie group."""
        if reads not in self._known:
            of = {"hits": self.rankings.hits, "grades": self.rankings.gains}
            key = of.get(reads, self.rankings.credit).astype(float)
            worst, best = (_reordered(self.rankings, sign * key) for sign in (1, -1))
            self._known[reads] = worst, best
        return self._known[reads]

    @cached_property
    def _groups(self) -> tuple[Array, Array, Array, Array]:
        return _groups(self.rankings)

    @cached_property
    def _sums(self) -> tuple[Array, Array]:
        """Σ hits up to a rank ÷ rank over the hits up to it, at worst and at best. [Q, D]"""
        rank = np.arange(1, self.rankings.depth + 1)
        of_hits = (ranked.hits for ranked in self._extreme("hits"))
        worst, best = (np.cumsum(hit * np.cumsum(hit, axis=1) / rank, axis=1) for hit in of_hits)
        return worst, best

    def _ap_retrieved(self, k: int) -> Bounds:
        """Here a late hit can lower the value: every number of hits that the cut may let in is
        tried.

        Only the group that the cut goes through has a choice; the groups above it do best with
        their hits first and worst with them last.
        """
        cut = self.rankings.evaluated(k)
        if not cut.any():
            return Bounds(*np.zeros((2, len(cut))))
        last = np.maximum(cut - 1, 0)[:, None]
        start, size, inside, above = (
            np.take_along_axis(table, last, axis=1).astype(np.int64) for table in self._groups
        )
        slots = np.where(cut[:, None] > 0, cut[:, None] - start, 0)
        fewest = np.maximum(0, slots - (size - inside))
        most = np.minimum(inside, slots)
        at = np.maximum(start - 1, 0)
        sums = [np.where(start > 0, np.take_along_axis(each, at, axis=1), 0) for each in self._sums]
        number = np.arange(int(most.max()) + 1)
        late, early = _terms(start, cut[:, None], above, int(most.max()))
        worst, best = (
            (total + terms) / np.maximum(above + number, 1)
            for total, terms in zip(sums, (late, early), strict=True)
        )
        possible = (number >= fewest) & (number <= most)
        return Bounds(
            np.where(possible, worst, np.inf).min(axis=1),
            np.where(possible, best, -np.inf).max(axis=1),
        )


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


def _terms(start: Array, cut: Array, above: Array, most: int) -> tuple[Array, Array]:
    """Sums of precision at h = 0 … most hits between `start` and `cut`: all last, all first.

    start, cut, above: [Q, 1]; the sums [Q, most + 1] mean nothing beyond the places there are.
    """
    places = np.arange(1, most + 1)
    none = np.zeros((len(start), 1))
    early = np.cumsum((above + places) / (start + places), axis=1)
    # one more hit at the end: a new first one, and every other one counts one hit more
    firsts = np.maximum(cut + 1 - places, 1)
    shifted = np.hstack([none, np.cumsum(1 / firsts, axis=1)])[:, :-1]
    late = np.cumsum((above + 1) / firsts + shifted, axis=1)
    return np.hstack([none, late]), np.hstack([none, early])
