"""Bounds of a metric over the order of ties: most items of short codes have equal distances."""

from functools import lru_cache

import numpy as np

from dashboard.evaluation.block import label
from dashboard.evaluation.judgement import find_relevant
from dashboard.evaluation.metrics import parse_one
from dashboard.retrieval.gallery import Found
from dashboard.study.study import Study
from dashboard.tables import FloatArray, Names, Rows

RETRIEVED = "AP(retrieved)"
RISING = (
    "P", "R", "Success", "AP", "AP(min)", "Rprec", "RR", "nDCG", "nDCG(exp)", "DCG", "DCG(exp)",
)  # fmt: skip
"""Metrics that never fall when the better one of two neighbours moves up."""


def list_bounds(study: Study, versions: Names, metric: str) -> Rows:
    """Return run, low, mean and high of each version: means over the scored queries.

    low and high are the means of each query's smallest and largest value over all orders of equal
    scores; None for a metric whose bounds are not known.
    """
    rows = []
    average = parse_one(metric).average
    for version in versions:
        low, high = map(average, bound_values(study, version, metric) or [np.empty(0)] * 2)
        mean = average(study.values(version, metric))
        rows.append({"run": version, "low": low, "mean": mean, "high": high})
    return rows


@lru_cache(maxsize=64)
def bound_values(study: Study, version: str, metric: str) -> tuple[FloatArray, FloatArray] | None:
    """Return each query's smallest and largest value over all orders of equal scores.

    NaN where the value is null; None for a metric whose bounds are not known.
    """
    measure = parse_one(metric)
    judged = study.judgement
    if measure.name not in (*RISING, RETRIEVED):
        return None
    is_cut = measure.name == RETRIEVED and measure.cutoff is not None
    bounds = []
    every = study.run(version).find_all(study.queries, 0, lambda q: find_relevant(judged, q))
    for query, found in zip(study.queries, every, strict=True):
        grade = judged.grades(int(query))[found.items]
        worst, best = (_order_ties(found, grade, sign) for sign in (1, -1))
        if is_cut:
            bounds.append(_bound_retrieved(worst, best, measure.cutoff or 0))
        else:
            orders = (worst, best)
            bounds.append([measure(label(query[None], [each], judged))[0] for each in orders])
    values = np.nan_to_num(np.transpose(bounds))
    low, high = np.where(np.isnan(study.values(version, metric)), np.nan, values)
    return low, high


def _order_ties(found: Found, grade: FloatArray, sign: int) -> Found:
    """Return relevant results at the ranks of one order of ties: 1 the worst, -1 the best one."""
    order = np.lexsort((sign * grade, found.tie_first))
    first, last = found.tie_first[order], found.tie_last[order]
    start, end = (np.searchsorted(first, first, side) for side in ("left", "right"))
    place = np.arange(len(first))
    rank = first + place - start if sign < 0 else last - end + 1 + place
    return found._replace(items=found.items[order], rank=rank, tie_first=first, tie_last=last)


def _bound_retrieved(worst: Found, best: Found, k: int) -> list[float]:
    """Return bounds of AP(retrieved)@k of a query, which a late hit can lower."""
    first, last = best.tie_first, best.tie_last
    listed = last <= best.passing
    above = int(((last <= k) & listed).sum())
    ranks = (worst.rank[:above], best.rank[:above])
    sums = np.array([(np.arange(1, above + 1) / each).sum() for each in ranks])
    cut = (first <= k) & (last > k) & listed
    hits, before, room, others = int(cut.sum()), k - 1, 1, 1  # of the ties at the cut
    if hits:
        before = int(first[cut][0]) - 1
        room, others = k - before, int(last[cut][0]) - before - hits
    found = []
    for number in range(max(0, room - others), min(hits, room) + 1):  # that are inside of it
        place = np.arange(1, number + 1)
        more = [((above + place) / (each + place)).sum() for each in (k - number, before)]
        found.append((sums + more) / max(above + number, 1))
    return [np.min(found, axis=0)[0], np.max(found, axis=0)[1]]
