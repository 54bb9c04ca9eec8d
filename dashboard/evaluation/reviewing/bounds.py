"""The least and the largest difference of two versions, whatever the unjudged results are.

Unjudged results of the pool (the first results of either version, to a depth) are not relevant or
have one gain; what is outside the pool stays unjudged and counts as not relevant, but for `others`.
A query with nothing relevant has the difference 0. Bounds are about these queries; whether they
speak for others is the matter of intervals.

Exact: P, DCG and RBP (linear in each result); R and nDCG (a ratio that is largest in a corner, or
for the best so-many results); AP, RR and Success up to 12 unjudged results in a query (all
completions). With more of them, AP, RR and Success have bounds that may be too wide, never too
narrow; so has nDCG where unjudged results may have several gains.

Source: Carterette, Allan and Sitaraman, Minimal test collections for retrieval evaluation (SIGIR
2006); R and nDCG with an unknown number of relevant items are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.evaluation.judgement import Judgement, QueryLabels
from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.metrics.discounts import logarithmic, persistence
from dashboard.evaluation.rankings import Array, Flags, Floats
from dashboard.tables import counted

LINEAR = ("P", "DCG", "RBP")
BOUNDED = (*LINEAR, "R", "nDCG", "AP", "RR", "Success")
"""The metrics that have bounds."""
GRADED = ("DCG", "nDCG", "RBP")
"""Those of them that read gains."""
MOST = 12
"""Unjudged results of a query up to which all completions are gone through."""
SURE = 1e-12
"""Differences up to this are the dust of sums."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The results of one query that are judged or may be: n of them, whatever version has them.

    items [n]      their ids
    places [2, n]  rank from 0 of each in baseline and candidate; -1 where it is not in the list
    gain [n]       the gain of each; NaN where it is unjudged
    elsewhere      the gains above 0 of judged items outside the pool
    """

    query_id: str
    items: tuple[str, ...]
    places: Array
    gain: Floats
    elsewhere: Floats

    @property
    def unjudged(self) -> Flags:
        """Which results nobody judged. [n]"""
        return np.asarray(np.isnan(self.gain))


@dataclass(frozen=True)
class Span:
    """The least and largest difference of a query or of the mean; `exact`: both can occur."""

    low: float
    high: float
    exact: bool
    unjudged: int


def check_bounded(measure: Measure) -> None:
    """Raises ValueError for a metric without bounds."""
    settings = dict(measure.settings)
    usual = {"divisor": "relevant", "ideal": "judged", "per": "list"}
    plain = all(settings.get(name, value) == value for name, value in usual.items())
    if measure.metric.name not in BOUNDED or not plain:
        raise ValueError(f"{measure} has no bounds: {', '.join(BOUNDED)} have.")


def pools(
    baseline: pd.DataFrame,
    candidate: pd.DataFrame,
    judgement: Judgement,
    measure: Measure,
    depth: int | None = None,
) -> list[Pool]:
    """The pool of each query that both versions were run on and that judging can score.

    baseline, candidate: tables `run`, as the protocol keeps them. depth: how far down results may
    be judged; None: to the metric's cutoff, or to the ends of lists. Raises ValueError for a metric
    without bounds.
    """
    check_bounded(measure)
    depth = depth or measure.cutoff
    left_out = {
        query
        for run in (baseline, candidate)
        for key in ("not_run", "partial")
        for query in run.attrs.get(key, {})
    }
    lists = [_lists(run, depth) for run in (baseline, candidate)]
    pools = []
    for query in judgement.query_ids:
        if query in left_out:
            continue
        labels = judgement.labels(query)
        if len(labels) or query not in judgement.unscorable:
            pools.append(_pool(query, [each.get(query, []) for each in lists], labels, measure))
    return pools


def _lists(run: pd.DataFrame, depth: int | None) -> dict[str, list[str]]:
    rows = run.sort_values("rank", kind="stable")
    if depth is not None:
        rows = rows.groupby("query_id", observed=True, sort=False).head(depth)
    by = rows.groupby("query_id", observed=True, sort=False)["item_id"]
    return {str(query): items.astype(str).tolist() for query, items in by}


def _gains(grade: Array, credit: Floats, relevant_from: float, measure: Measure) -> Floats:
    """What pairs of a grade and a credit are worth to a metric: 1 for a hit, or their gain."""
    if measure.metric.name not in GRADED:
        return (grade >= relevant_from).astype(np.float64)
    gain = dict(measure.settings).get("gain", "credit")
    if gain == "credit":
        return credit
    grade = np.maximum(grade.astype(np.float64), 0)
    return np.asarray(np.exp2(grade) - 1 if gain == "exp" else grade)


def gains_of(judgement: Judgement, measure: Measure) -> tuple[float, ...]:
    """What an unjudged result may be worth beside 0: the gains of those that are judged, or 1."""
    if measure.metric.name not in GRADED:
        return (1.0,)
    if dict(measure.settings).get("gain", "credit") == "credit":
        gains = judgement.credit_values
    else:
        grades = judgement.grade_values
        gains = np.unique(_gains(grades, np.zeros(len(grades)), 0.0, measure))
    return tuple(gains[gains > 0].tolist()) or (1.0,)


def _pool(query: str, lists: Sequence[list[str]], labels: QueryLabels, measure: Measure) -> Pool:
    items = tuple(dict.fromkeys([*lists[0], *lists[1]]))
    ranks = [{item: rank for rank, item in enumerate(each)} for each in lists]
    places = np.array([[rank.get(item, -1) for item in items] for rank in ranks], dtype=np.int64)
    gains = _gains(labels.grade, labels.credit, labels.relevant_from, measure)
    rows = labels.rows(items)
    gain = np.append(gains, np.nan)[rows]
    outside = gains > 0
    outside[rows[rows >= 0]] = False
    elsewhere = np.sort(gains[outside])[::-1]
    if measure.metric.name == "nDCG":  # an ideal reads no further
        elsewhere = elsewhere[: measure.cutoff].copy()
    return Pool(query, items, places, gain, elsewhere)


def span(pool: Pool, measure: Measure, gains: Sequence[float] = (1.0,), others: int = 0) -> Span:
    """What candidate − baseline can be in one query.

    gains: what an unjudged result may be worth beside 0. others: how many items outside the pool
    may turn out to be relevant, too.
    """
    unjudged = pool.unjudged
    number = int(unjudged.sum())
    name, most = measure.metric.name, max(gains)
    if name in LINEAR:
        weight = weights(pool, measure)
        sure = float(weight[~unjudged] @ pool.gain[~unjudged])
        open_ = weight[unjudged] * most
        low, high = sure + open_[open_ < 0].sum(), sure + open_[open_ > 0].sum()
        return Span(float(low), float(high), True, number)
    if name == "R":
        return Span(*_of_recall(pool, measure, others), True, number)
    if name == "nDCG":
        low, high = _of_ndcg(pool, measure, gains, others)
        return Span(low, high, len(set(gains)) == 1 or not number, number)
    if number <= MOST:
        return Span(*_of_completions(pool, measure, others), True, number)
    wide = _of_precisions(pool, measure, others) if name == "AP" else _apart(pool, measure)
    return Span(*wide, False, number)


def weights(pool: Pool, measure: Measure) -> Floats:
    """What a gain of 1 of each result adds to the difference, before an ideal divides. [n]"""
    of_each = weights_of_each(pool, measure)
    return np.asarray(of_each[1] - of_each[0])


def weights_of_each(pool: Pool, measure: Measure) -> Floats:
    """The same of baseline and candidate. [2, n]"""
    length = int(pool.places.max(initial=-1)) + 1
    name, k = measure.metric.name, measure.cutoff
    if name == "P":
        worth = np.full(length, 1 / (k or 1))
    elif name == "RBP":
        worth = persistence(length, float(dict(measure.settings)["p"]))
    elif name in ("DCG", "nDCG"):
        worth = logarithmic(length)
    else:
        worth = np.ones(length)
    return _at(pool, worth, k)


def _at(pool: Pool, worth: Floats, k: int | None) -> Floats:
    """The worth of each result's rank in both versions, 0 beyond the cutoff. [2, n]"""
    inside = (pool.places >= 0) & (pool.places < (k or len(worth)))
    return np.where(inside, np.append(worth, 0.0)[np.where(inside, pool.places, -1)], 0.0)


def _of_recall(pool: Pool, measure: Measure, others: int) -> tuple[float, float]:
    """(hits of the candidate − hits of the baseline) ÷ R: linear ÷ linear, so extreme in a corner
    of the numbers of relevant results that only the one, only the other, or both have or lack."""
    weight, unjudged = weights(pool, measure), pool.unjudged
    sure, known = _sure(pool, weight)
    ahead, behind = int((weight[unjudged] > 0).sum()), int((weight[unjudged] < 0).sum())
    neutral = int(unjudged.sum()) - ahead - behind + others
    values = [
        (sure + p - m) / (known + p + m + z) if known + p + m + z else 0.0
        for p in {0, ahead}
        for m in {0, behind}
        for z in {0, neutral}
    ]
    return min(values), max(values)


def _sure(pool: Pool, weight: Floats) -> tuple[float, float]:
    """What judged results give to the difference, and the sum of all judged gains."""
    judged = ~pool.unjudged
    gain = pool.gain[judged]
    return float(weight[judged] @ gain), float(gain.sum() + pool.elsewhere.sum())


def _of_ndcg(
    pool: Pool, measure: Measure, gains: Sequence[float], others: int
) -> tuple[float, float]:
    """(DCG − DCG) ÷ ideal: for each number of relevant results the ideal is fixed, and the best
    and worst choice are the results with the largest and least weights."""
    weight, unjudged, most = weights(pool, measure), pool.unjudged, max(gains)
    sure, _ = _sure(pool, weight)
    open_ = np.sort(weight[unjudged]) * most
    worst = sure + np.append(0.0, np.cumsum(open_))
    best = sure + np.append(0.0, np.cumsum(open_[::-1]))
    known = np.append(pool.gain[~unjudged], pool.elsewhere)
    numbers = range(len(open_) + others + 1)
    ideal = np.array([_ideal(known, number, most, measure.cutoff) for number in numbers])
    if len(set(gains)) > 1:  # the extremes of numerator and ideal, as if they could meet
        least, largest = ideal[0], ideal[-1]
        least = least or min(gains)  # with anything relevant, the ideal is at least this
        low, high = float(worst.min()), float(best.max())
        ends = [each / by for each in (low, high) for by in (least, largest) if by]
        return min(0.0 if low <= 0 else np.inf, *ends), max(0.0 if high >= 0 else -np.inf, *ends)
    lows, highs = [], []
    for number in range(len(open_) + 1):
        for ideal_of in {ideal[number], ideal[number + others]}:
            lows.append(worst[number] / ideal_of if ideal_of else 0.0)
            highs.append(best[number] / ideal_of if ideal_of else 0.0)
    return float(min(lows)), float(max(highs))


def _ideal(known: Floats, number: int, gain: float, k: int | None) -> float:
    """The DCG of the best order of judged gains and `number` more."""
    every = np.sort(np.append(known, np.full(number, gain)))[::-1]
    every = every[every > 0][:k]
    return float(every @ logarithmic(len(every)))


def _of_completions(pool: Pool, measure: Measure, others: int) -> tuple[float, float]:
    """The extremes over all ways in which unjudged results can be relevant or not."""
    unjudged = pool.unjudged
    number = int(unjudged.sum())
    ways = (np.arange(2**number)[:, None] >> np.arange(number)) & 1
    gain = np.tile(np.nan_to_num(pool.gain), (len(ways), 1))
    gain[:, unjudged] = ways
    hits = [_in_order(gain, places, measure.cutoff) for places in pool.places]
    if measure.metric.name != "AP":
        value = _first(hits[1], measure) - _first(hits[0], measure)
        return float(value.min()), float(value.max())
    total = _sum_precision(hits[1]) - _sum_precision(hits[0])
    relevant = gain.sum(axis=1) + len(pool.elsewhere)
    values = [total / np.maximum(relevant + more, 1) for more in (0, others)]
    return float(np.min(values)), float(np.max(values))


def _in_order(gain: Floats, places: Array, k: int | None) -> Floats:
    """The gains of each way at each rank of a list. [ways, ranks]"""
    inside = np.flatnonzero(places >= 0)
    order = inside[np.argsort(places[inside])]
    return np.asarray(gain[:, order[:k]])


def _sum_precision(hits: Floats) -> Floats:
    terms: Floats = hits * np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
    return np.asarray(terms.sum(axis=1))


def _first(hits: Floats, measure: Measure) -> Floats:
    """RR, or Success, of each way."""
    any_hit = hits.any(axis=1)
    if measure.metric.name == "Success":
        return np.asarray(any_hit, dtype=np.float64)
    place = hits.argmax(axis=1) if hits.shape[1] else np.zeros(len(hits))
    return np.asarray(np.where(any_hit, 1 / (place + 1.0), 0.0))


def _apart(pool: Pool, measure: Measure) -> tuple[float, float]:
    """Bounds from those of each version by itself: each gains from what is relevant in its list."""
    least, largest = np.nan_to_num(pool.gain, nan=0.0), np.nan_to_num(pool.gain, nan=1.0)
    ends = [
        [float(_first(_in_order(gain[None], places, measure.cutoff), measure)[0])
         for gain in (least, largest)]
        for places in pool.places
    ]  # fmt: skip
    return ends[1][0] - ends[0][1], ends[1][1] - ends[0][0]


def pair_weights(pool: Pool, k: int | None) -> Floats:
    """What each pair of relevant results adds to the difference of sums of precisions. [n, n]

    AP · R = Σ over pairs i ≤ j of relevant results of 1 ÷ the lower one's rank.
    """
    of_each = []
    for places in pool.places:
        inside = (places >= 0) & (places < (k if k is not None else np.inf))
        lower = np.maximum(np.maximum.outer(places, places) + 1.0, 1.0)  # -1: in no list
        of_each.append(np.where(np.logical_and.outer(inside, inside), 1 / lower, 0.0))
    return np.asarray(np.triu(of_each[1] - of_each[0]))


def _of_precisions(pool: Pool, measure: Measure, others: int) -> tuple[float, float]:
    """Bounds of ΔAP: each pair with an unjudged result as if it could be chosen by itself."""
    pairs, judged = pair_weights(pool, measure.cutoff), ~pool.unjudged
    gain = np.nan_to_num(pool.gain)
    sure = float(gain @ pairs @ gain)
    possible = np.where(judged, gain, 1.0)
    open_ = pairs * np.outer(possible, possible) * ~np.outer(judged, judged)
    low, high = sure + open_[open_ < 0].sum(), sure + open_[open_ > 0].sum()
    known = float(gain.sum()) + len(pool.elsewhere)
    least, largest = max(known, 1.0), max(known + int((~judged).sum()) + others, 1.0)
    return (
        low / least if low < 0 else low / largest,
        high / least if high > 0 else high / largest,
    )


def mean_span(spans: Sequence[Span]) -> Span:
    """What the mean difference over queries can be; 0 for no query."""
    number = max(len(spans), 1)
    return Span(
        sum(each.low for each in spans) / number,
        sum(each.high for each in spans) / number,
        all(each.exact for each in spans),
        sum(each.unjudged for each in spans),
    )


def conclusion(mean: Span, baseline: str, candidate: str) -> str:
    """What is certain about two versions, in a sentence.

    >>> conclusion(Span(0.01, 0.2, True, 41), "v0.2", "v0.3")
    'decided: whatever the remaining 41 are, v0.3 stays ahead'
    """
    rest = f"whatever the remaining {mean.unjudged:,} are, " if mean.unjudged else ""
    if mean.low > SURE or mean.high < -SURE:
        ahead = candidate if mean.low > SURE else baseline
        return f"decided: {rest}{ahead} {'stays' if rest else 'is'} ahead"
    if max(abs(mean.low), abs(mean.high)) <= SURE:
        return f"decided: {rest}{baseline} and {candidate} {'stay' if rest else 'are'} equal"
    may = "may lie" if mean.exact else "lies somewhere"
    results = counted(mean.unjudged, "unjudged result")
    sentence = f"open: {results}; the difference {may} between {mean.low:+.4f} and {mean.high:+.4f}"
    return sentence
