"""What trec_eval measures beside the usual: incomplete judgements, interpolated precision, sets.

Where releases differ, the values are those of trec_eval 9, which pytrec_eval is made of.
"""

from __future__ import annotations

import numpy as np

from dashboard.evaluation.metrics.binary import average_precision, counted, ratio
from dashboard.evaluation.metrics.names import Setting, choice
from dashboard.evaluation.metrics.registry import metric
from dashboard.evaluation.rankings import Floats, Rankings

EPSILON = 0.00001
ELEVEN = tuple(point / 10 for point in range(11))
ROUNDING = choice("rounding", "up", "nearest")


@metric(
    "bpref",
    formula="Σ over hits of (1 − min(judged misses above, R) ÷ min(judged misses in all, R)) ÷ R",
    source="trec_eval bpref; Buckley and Voorhees, SIGIR 2004",
    reads="hits",
    cutoff="never",
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
    for rank in range(rankings.depth):
        missed += misses[:, rank]
        total += rankings.hits[:, rank] * (1 - np.minimum(missed, relevant) / most)
    return ratio(total, relevant)


@metric(
    "infAP",
    formula="Σ over hits of (1 ÷ k + pooled above ÷ k · hits above ÷ judged above) ÷ R",
    source="trec_eval infAP; Yilmaz and Aslam, CIKM 2006",
    reads="hits",
    cutoff="never",
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
    for rank in range(rankings.depth):
        hit = rankings.hits[:, rank]
        share = (hits + EPSILON) / (hits + missed + 2 * EPSILON)
        expected = (pooled * share + 1) / (rank + 1) if rank else 1.0
        total += hit * expected
        hits += hit
        missed += misses[:, rank]
        pooled += rankings.judged[:, rank]
    return ratio(total, rankings.relevant)


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


def _interpolated(rankings: Rankings, points: tuple[float, ...], rounding: str) -> Floats:
    """The mean over some points of recall of the precision interpolated there. [Q]"""
    extra = {"up": 0.9, "nearest": 0.5}[rounding]
    wanted = np.array([np.floor(point * rankings.relevant + extra) for point in points])
    left, best = counted(rankings.hits, None).astype(np.float64), np.zeros(len(rankings.returned))
    total = np.zeros(len(rankings.returned))
    # from the last hit up: the best precision so far is that of this rank and those behind it
    for rank in rankings.hit_ranks[::-1]:
        hit = rankings.hits[:, rank]
        best = np.where(hit, np.maximum(best, left / (rank + 1)), best)
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


@metric(
    "gm_bpref",
    formula="bpref of each query; over the queries exp(mean of ln(max(bpref, 0.00001)))",
    source="trec_eval gm_bpref",
    reads="hits",
    cutoff="never",
    across="geometric mean",
)
def geometric_binary_preference(rankings: Rankings, k: None = None) -> Floats:
    """The metric bpref with a geometric mean over the queries (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> geometric_binary_preference(from_lists([[1, 0]])).tolist()
    [1.0]
    """
    return binary_preference(rankings)


@metric(
    "set_P",
    formula="hits ÷ results",
    source="trec_eval set_P; @K: as with -M K",
    reads="hits",
)
def set_precision(rankings: Rankings, k: int | None) -> Floats:
    """Share of hits among what came back, in any order; NaN for an empty list (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> set_precision(from_lists([[1, 0, 0, 0]]), None).tolist()
    [0.25]
    """
    return ratio(counted(rankings.hits, k), rankings.evaluated(k))


@metric(
    "set_recall",
    formula="hits ÷ R",
    source="trec_eval set_recall; @K: as with -M K",
    reads="hits",
)
def set_recall(rankings: Rankings, k: int | None) -> Floats:
    """Share of the relevant items that came back, in any order (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> set_recall(from_lists([[1, 0]], relevant=[2]), None).tolist()
    [0.5]
    """
    return ratio(counted(rankings.hits, k), rankings.relevant)


@metric(
    "set_map",
    formula="hits² ÷ (results · R)",
    source="trec_eval set_map; @K: as with -M K",
    reads="hits",
)
def set_average_precision(rankings: Rankings, k: int | None) -> Floats:
    """Precision times recall of what came back, in any order (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> set_average_precision(from_lists([[1, 0]]), None).tolist()
    [0.5]
    """
    hits = counted(rankings.hits, k)
    return ratio(hits * hits, rankings.evaluated(k) * rankings.relevant)


@metric(
    "set_F",
    Setting("x", 1.0, low=0.0, high=1000.0, bare=True),
    formula="(x + 1) · P · R ÷ (x · P + R), P = hits ÷ results, R = hits ÷ relevant items",
    source="trec_eval set_F; @K: as with -M K; after van Rijsbergen 1979",
    reads="hits",
)
def set_f(rankings: Rankings, k: int | None, x: float = 1.0) -> Floats:
    """Weighted harmonic mean of precision and recall of what came back (reads hits).

    x: how much recall counts beside precision.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> set_f(from_lists([[1, 0]]), None).round(4).tolist()
    [0.6667]
    """
    # hits stand in every term, and what is left has no 0 ÷ 0 where nothing was hit
    below = x * rankings.relevant + rankings.evaluated(k)
    found = (x + 1) * counted(rankings.hits, k) / np.maximum(below, 1e-300)
    return np.where(rankings.relevant > 0, found, np.nan)


@metric(
    "set_relative_P",
    formula="hits ÷ min(results, R)",
    source="trec_eval set_relative_P; @K: as with -M K",
    reads="hits",
)
def set_relative_precision(rankings: Rankings, k: int | None) -> Floats:
    """Precision of what came back as a share of the best that so many can have (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> set_relative_precision(from_lists([[1, 0, 0]], relevant=[2]), None).tolist()
    [0.5]
    """
    most = np.minimum(rankings.evaluated(k), rankings.relevant)
    return ratio(counted(rankings.hits, k), most)


@metric(
    "num_q",
    formula="1",
    source="trec_eval num_q (the sum)",
    reads="queries",
    cutoff="never",
    across="sum",
)
def number_of_queries(rankings: Rankings, k: None = None) -> Floats:
    """Counts the queries: 1 for each that is scored (reads queries).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> number_of_queries(from_lists([[1], []])).tolist()
    [1.0, 1.0]
    """
    return np.ones(len(rankings.returned))


@metric(
    "num_ret",
    formula="results",
    source="trec_eval num_ret (the sum)",
    reads="queries",
    cutoff="never",
    across="sum",
)
def number_of_results(rankings: Rankings, k: None = None) -> Floats:
    """Counts what came back for each query (reads queries).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> number_of_results(from_lists([[1, 0], []])).tolist()
    [2.0, 0.0]
    """
    return rankings.returned.astype(np.float64)


@metric(
    "num_rel",
    formula="R",
    source="trec_eval num_rel (the sum)",
    reads="hits",
    cutoff="never",
    across="sum",
)
def number_of_relevant(rankings: Rankings, k: None = None) -> Floats:
    """Counts the relevant items of each query, found or not (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> number_of_relevant(from_lists([[1, 0]], relevant=[3])).tolist()
    [3.0]
    """
    return rankings.relevant.astype(np.float64)


@metric(
    "num_rel_ret",
    formula="hits",
    source="trec_eval num_rel_ret (the sum)",
    reads="hits",
    cutoff="never",
    across="sum",
)
def number_of_hits(rankings: Rankings, k: None = None) -> Floats:
    """Counts the hits of each query (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> number_of_hits(from_lists([[1, 0, 1]])).tolist()
    [2.0]
    """
    return counted(rankings.hits, None).astype(np.float64)
