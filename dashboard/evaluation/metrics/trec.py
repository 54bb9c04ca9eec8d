"""What trec_eval measures beside the usual: incomplete judgements, interpolated precision.

Where releases differ, the values are those of trec_eval 9, which pytrec_eval is made of. Its sets
and counts are in sets.py.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.evaluation.metrics.binary import (
    average_precision,
    counted,
    explain_average_precision,
    ratio,
)
from dashboard.evaluation.metrics.explanation import (
    NO_RELEVANT,
    Explanation,
    RankedList,
    Sum,
    list_ranks,
    sum_terms,
    write_number,
    write_result,
    write_sum,
)
from dashboard.evaluation.metrics.names import Setting, choice
from dashboard.evaluation.metrics.registry import explains, metric
from dashboard.evaluation.rankings import Counts, Flags, Floats, Rankings

EPSILON = 0.00001
ELEVEN = tuple(point / 10 for point in range(11))
ROUNDING = choice("rounding", "up", "nearest")
EXTRA = {"up": 0.9, "nearest": 0.5}
"""What is added to a number of hits before it is rounded down."""


@metric(
    "bpref",
    formula="Σ over hits of (1 − min(judged misses above, R) ÷ min(judged misses in all, R)) ÷ R",
    source="trec_eval bpref; Buckley and Voorhees, SIGIR 2004",
    reads="hits",
    cutoff="never",
    misses=True,
)
def binary_preference(rankings: Rankings, k: None = None) -> Floats:
    """Share of judged misses that hits stand above; unjudged results do not count (reads hits).

    A judged miss has a grade from 0 to below that of a hit; a grade below 0 counts as unjudged.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> binary_preference(from_lists([[0, None, 1, 1, 0]])).tolist()
    [0.5]
    """
    total, missed = np.zeros((2, len(rankings.returned)))
    misses, relevant = rankings.misses, rankings.relevant
    most = np.maximum(np.minimum(rankings.judged_misses, relevant), 1)
    for column in range(rankings.width):
        missed += misses[:, column]
        total += rankings.hits[:, column] * (1 - np.minimum(missed, relevant) / most)
    return ratio(total, relevant)


@explains(binary_preference)
def explain_binary_preference(ranked: RankedList) -> Explanation:
    """One for each hit, less the share of judged misses above it."""
    in_all, relevant = int(ranked.rankings.judged_misses[0]), ranked.relevant
    most = max(min(in_all, relevant), 1)
    above = np.minimum(np.cumsum(ranked.misses), relevant)
    written = [f"(1 − {each}/{most})" if each else "1" for each in above]
    rules = (
        f"Items judged not relevant: {in_all}; at most R = {relevant} of them count.",
        f"Each hit adds: 1 − judged misses above ÷ {most}.",
    )
    columns = {"hit": ranked.hits, "judged_misses_so_far": np.cumsum(ranked.misses)}
    terms: Floats = np.where(ranked.hits, 1 - above / most, 0.0)
    total = sum_terms(ranked, columns, terms, written, *rules)
    return total.saying(ranked.relevant_note).over_relevant(ranked)


@metric(
    "infAP",
    formula="Σ over hits of (1 ÷ k + pooled above ÷ k · hits above ÷ judged above) ÷ R",
    source="trec_eval infAP; Yilmaz and Aslam, CIKM 2006",
    reads="hits",
    cutoff="never",
    misses=True,
)
def inferred_average_precision(rankings: Rankings, k: None = None) -> Floats:
    """AP inferred where a sample of the pool is judged, a grade below 0 pooled only (reads hits).

    Results without a grade are outside the pool and count as misses. The share of hits among the
    judged ones above is smoothed by 0.00001.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> inferred_average_precision(from_lists([[0, 1]])).round(5).tolist()
    [0.5]
    """
    total, hits, missed, pooled = np.zeros((4, len(rankings.returned)))
    misses = rankings.misses
    for column in range(rankings.width):
        hit, place = rankings.hits[:, column], rankings.place(column)
        share = (hits + EPSILON) / (hits + missed + 2 * EPSILON)
        expected = np.where(np.equal(place, 0), 1.0, (pooled * share + 1) / (place + 1))
        total += hit * expected
        hits += hit
        missed += misses[:, column]
        pooled += rankings.judged[:, column]
    return ratio(total, rankings.relevant)


@explains(inferred_average_precision)
def explain_inferred_average_precision(ranked: RankedList) -> Explanation:
    """The precision that is expected at each hit."""
    hits, misses = _above(ranked.hits), _above(ranked.misses)
    pooled, ranks = _above(ranked.judged), np.arange(1, ranked.length + 1)
    share = (hits + EPSILON) / (hits + misses + 2 * EPSILON)
    expected = np.where(ranks == 1, 1.0, (1 + pooled * share) / ranks)
    terms: Floats = np.where(ranked.hits, expected, 0.0)
    columns = {"hit": ranked.hits, "pooled_above": pooled, "share_of_hits": share}
    rule = "Each hit adds: (1 + pooled results above × share of hits among the judged ones) ÷ rank."
    total = sum_terms(ranked, columns, terms, map(write_number, terms), rule)
    return total.saying(ranked.relevant_note).over_relevant(ranked)


@metric(
    "IPrec",
    Setting("recall", 0.0, low=0.0, high=1.0, bare=True, shown=True),
    ROUNDING,
    formula="largest hits up to k ÷ k, from the rank on at which hits = recall · R",
    source="trec_eval iprec_at_recall; rounding=nearest: as trec_eval 10 has it",
    reads="hits",
    cutoff="never",
)
def interpolated_precision(
    rankings: Rankings, k: None = None, recall: float = 0.0, rounding: str = "up"
) -> Floats:
    """Best precision from the rank on where a share of R is found, 0 if never (reads hits).

    The number of hits wanted, recall · R, is rounded up (what is beyond by less than 0.1, down).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> interpolated_precision(from_lists([[0, 1, 1]]), recall=0.5).round(4).tolist()
    [0.6667]
    """
    return _interpolated(rankings, (recall,), rounding)


@explains(interpolated_precision)
def explain_interpolated_precision(
    ranked: RankedList, recall: float = 0.0, rounding: str = "up"
) -> Explanation:
    """The best precision from the rank on where enough is found."""
    precision, steps = _precision_by_rank(ranked)
    if not ranked.relevant:
        return Explanation(steps, (*ranked.shortfall, NO_RELEVANT), float("nan"))
    wanted, value = _best_from(ranked, precision, recall, rounding)
    found = int(ranked.hits.sum())
    lines = (
        *ranked.shortfall,
        f"Hits in {ranked.scope}: {list_ranks(ranked.hits)}",
        f"Recall {recall:g} of R = {ranked.relevant:,} wants {wanted}; found are {found}.",
        f"Best precision from there on: {write_result(value)}",
    )
    return Explanation(steps, lines, value)


@metric(
    "11pt_avg",
    ROUNDING,
    formula="mean of IPrec at recall 0, 0.1 … 1",
    source="trec_eval 11pt_avg; rounding=nearest: as trec_eval 10 has it",
    reads="hits",
    cutoff="never",
)
def eleven_point_average(rankings: Rankings, k: None = None, rounding: str = "up") -> Floats:
    """Interpolated precision, averaged over eleven points of recall (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> eleven_point_average(from_lists([[0, 1]])).tolist()
    [0.5]
    """
    return _interpolated(rankings, ELEVEN, rounding)


@explains(eleven_point_average)
def explain_eleven_point_average(ranked: RankedList, rounding: str = "up") -> Explanation:
    """The mean of eleven interpolated precisions."""
    precision, steps = _precision_by_rank(ranked)
    each = [_best_from(ranked, precision, point, rounding)[1] for point in ELEVEN]
    lines = (
        *ranked.shortfall,
        f"Hits in {ranked.scope}: {list_ranks(ranked.hits)}",
        f"Interpolated precision at recall 0, 0.1 … 1: {', '.join(map(write_number, each))}",
    )
    total = Sum(steps, lines, write_sum([write_number(one) for one in each]), float(sum(each)))
    if not ranked.relevant:
        return total.over(0, otherwise=NO_RELEVANT)
    return total.over(len(ELEVEN))


def _interpolated(rankings: Rankings, points: tuple[float, ...], rounding: str) -> Floats:
    """The mean over some points of recall of the precision interpolated there. [Q]"""
    wanted = np.array([np.floor(point * rankings.relevant + EXTRA[rounding]) for point in points])
    left, best = counted(rankings.hits).astype(np.float64), np.zeros(len(rankings.returned))
    total = np.zeros(len(rankings.returned))
    # from the last hit up: the best precision so far is that of this rank and those behind it
    for column in rankings.hit_columns[::-1]:
        hit = rankings.hits[:, column]
        best = np.where(hit, np.maximum(best, left / (rankings.place(column) + 1)), best)
        total += best * ((wanted == left) & hit).sum(axis=0)
        left -= hit
    total += best * (wanted == 0).sum(axis=0)
    return ratio(total / len(points), np.minimum(rankings.relevant, 1))


@metric(
    "gm_map",
    formula="AP of each query; over the queries exp(mean of ln(max(AP, 0.00001)))",
    source="trec_eval gm_map; Robertson, CIKM 2006",
    reads="hits",
    cutoff="never",
    across="geometric mean",
    other_names=("gm_ap",),
)
def geometric_average_precision(rankings: Rankings, k: None = None) -> Floats:
    """AP, with a geometric mean over the queries, which the weakest pull down (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> geometric_average_precision(from_lists([[0, 1]])).tolist()
    [0.5]
    """
    return average_precision(rankings, None)


explains(geometric_average_precision)(explain_average_precision)


@metric(
    "gm_bpref",
    formula="bpref of each query; over the queries exp(mean of ln(max(bpref, 0.00001)))",
    source="trec_eval gm_bpref",
    reads="hits",
    cutoff="never",
    across="geometric mean",
    misses=True,
)
def geometric_binary_preference(rankings: Rankings, k: None = None) -> Floats:
    """The metric bpref with a geometric mean over the queries (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> geometric_binary_preference(from_lists([[1, 0]])).tolist()
    [1.0]
    """
    return binary_preference(rankings)


explains(geometric_binary_preference)(explain_binary_preference)


def _above(flags: Flags) -> Counts:
    """How many stand before each rank."""
    before: Counts = np.cumsum(flags) - flags
    return before


def _precision_by_rank(ranked: RankedList) -> tuple[Floats, pd.DataFrame]:
    """Hits so far ÷ rank, and that as steps."""
    hits_so_far = np.cumsum(ranked.hits)
    precision = hits_so_far / np.arange(1, ranked.length + 1)
    columns = {"hit": ranked.hits, "hits_so_far": hits_so_far, "precision": precision}
    return precision, ranked.steps(**columns)


def _best_from(
    ranked: RankedList, precision: Floats, recall: float, rounding: str
) -> tuple[int, float]:
    """How many hits a recall wants, and the best precision from there on."""
    wanted = int(np.floor(recall * ranked.relevant + EXTRA[rounding]))
    there = precision[np.cumsum(ranked.hits) >= wanted]
    return wanted, float(there.max(initial=0.0))
