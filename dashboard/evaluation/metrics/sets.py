"""What trec_eval measures of a list as a set, and what it counts: set_*, num_*.

The values are those of trec_eval 9, which pytrec_eval is made of.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dashboard.evaluation.metrics.binary import counted, explain_recall, ratio, recall
from dashboard.evaluation.metrics.explanation import (
    NO_RELEVANT,
    NO_RESULT,
    Explanation,
    RankedList,
    Sum,
    count_hits,
    write_number,
)
from dashboard.evaluation.metrics.names import Setting
from dashboard.evaluation.metrics.registry import explains, metric
from dashboard.evaluation.rankings import Floats, Rankings

of_set = partial(metric, reads="hits")
count = partial(metric, cutoff="never", across="sum")


@of_set(
    "set_P",
    formula="hits ÷ results",
    source="trec_eval set_P; @K: as with -M K",
)
def set_precision(rankings: Rankings, k: int | None) -> Floats:
    """Share of hits among what came back, in any order; NaN for an empty list (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> set_precision(from_lists([[1, 0, 0, 0]]), None).tolist()
    [0.25]
    """
    return ratio(counted(rankings.first(k).hits), rankings.evaluated(k))


@explains(set_precision)
def explain_set_precision(ranked: RankedList) -> Explanation:
    """Hits ÷ results."""
    return count_hits(ranked).over(ranked.length, otherwise=NO_RESULT)


@of_set(
    "set_recall",
    formula="hits ÷ R",
    source="trec_eval set_recall; @K: as with -M K",
)
def set_recall(rankings: Rankings, k: int | None) -> Floats:
    """Share of the relevant items that came back, in any order (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> set_recall(from_lists([[1, 0]], relevant=[2]), None).tolist()
    [0.5]
    """
    return recall(rankings, k)


explains(set_recall)(explain_recall)


@of_set(
    "set_map",
    formula="hits² ÷ (results · R)",
    source="trec_eval set_map; @K: as with -M K",
)
def set_average_precision(rankings: Rankings, k: int | None) -> Floats:
    """Precision times recall of what came back, in any order (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> set_average_precision(from_lists([[1, 0]]), None).tolist()
    [0.5]
    """
    hits = counted(rankings.first(k).hits)
    return ratio(hits * hits, rankings.evaluated(k) * rankings.relevant)


@explains(set_average_precision)
def explain_set_average_precision(ranked: RankedList) -> Explanation:
    """Hits² ÷ (results × R)."""
    hits, product = count_hits(ranked, ranked.relevant_note), ranked.length * ranked.relevant
    squared = Sum(hits.steps, hits.lines, f"{hits.expression}²", hits.value**2)
    none = NO_RELEVANT if not ranked.relevant else NO_RESULT
    return squared.over(
        product, otherwise=none, written=f"({ranked.length:,} × {ranked.relevant:,})"
    )


@of_set(
    "set_F",
    Setting("x", 1.0, low=0.0, high=1000.0, bare=True),
    formula="(x + 1) · P · R ÷ (x · P + R), P = hits ÷ results, R = hits ÷ relevant items",
    source="trec_eval set_F; @K: as with -M K; after van Rijsbergen 1979",
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
    found = (x + 1) * counted(rankings.first(k).hits) / np.maximum(below, 1e-300)
    return np.where(rankings.relevant > 0, found, np.nan)


@explains(set_f)
def explain_set_f(ranked: RankedList, x: float = 1.0) -> Explanation:
    """(x + 1) · hits ÷ (x · R + results), the harmonic mean without its common factors."""
    hits = count_hits(ranked, ranked.relevant_note)
    if not ranked.relevant:
        return hits.over(0, otherwise=NO_RELEVANT)
    rule = "(x + 1) · P · R ÷ (x · P + R) is (x + 1) · hits ÷ (x · relevant items + results)."
    written = f"{write_number(x + 1)} × {hits.expression}"
    top = Sum(hits.steps, (*hits.lines, rule), written, (x + 1) * hits.value)
    below = x * ranked.relevant + ranked.length
    if not below:
        return top.none("Nothing to divide by: 0")
    return top.over(below)


@of_set(
    "set_relative_P",
    formula="hits ÷ min(results, R)",
    source="trec_eval set_relative_P; @K: as with -M K",
)
def set_relative_precision(rankings: Rankings, k: int | None) -> Floats:
    """Precision of what came back as a share of the best that so many can have (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> set_relative_precision(from_lists([[1, 0, 0]], relevant=[2]), None).tolist()
    [0.5]
    """
    most = np.minimum(rankings.evaluated(k), rankings.relevant)
    return ratio(counted(rankings.first(k).hits), most)


@explains(set_relative_precision)
def explain_set_relative_precision(ranked: RankedList) -> Explanation:
    """Hits ÷ min(results, R)."""
    most = min(ranked.length, ranked.relevant)
    none = NO_RELEVANT if not ranked.relevant else NO_RESULT
    written = f"min({ranked.length:,}, {ranked.relevant:,})"
    return count_hits(ranked, ranked.relevant_note).over(most, otherwise=none, written=written)


@count("num_q", formula="1", source="trec_eval num_q (the sum)", reads="queries")
def number_of_queries(rankings: Rankings, k: None = None) -> Floats:
    """Counts the queries: 1 for each that is scored (reads queries).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> number_of_queries(from_lists([[1], []])).tolist()
    [1.0, 1.0]
    """
    return np.ones(len(rankings.returned))


@explains(number_of_queries)
def explain_number_of_queries(ranked: RankedList) -> Explanation:
    """1; no result is looked at."""
    return Explanation(ranked.first(0).steps(), ("Each query counts: 1",), 1.0)


@count("num_ret", formula="results", source="trec_eval num_ret (the sum)", reads="queries")
def number_of_results(rankings: Rankings, k: None = None) -> Floats:
    """Counts what came back for each query (reads queries).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> number_of_results(from_lists([[1, 0], []])).tolist()
    [2.0, 0.0]
    """
    return rankings.returned.astype(np.float64)


@explains(number_of_results)
def explain_number_of_results(ranked: RankedList) -> Explanation:
    """How many came back."""
    line = f"Results that came back: {ranked.returned:,}"
    return Explanation(ranked.steps(), (line,), float(ranked.returned))


@count("num_rel", formula="R", source="trec_eval num_rel (the sum)", reads="hits")
def number_of_relevant(rankings: Rankings, k: None = None) -> Floats:
    """Counts the relevant items of each query, found or not (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> number_of_relevant(from_lists([[1, 0]], relevant=[3])).tolist()
    [3.0]
    """
    return rankings.relevant.astype(np.float64)


@explains(number_of_relevant)
def explain_number_of_relevant(ranked: RankedList) -> Explanation:
    """R; no result is looked at."""
    line = f"Relevant items in all: {ranked.relevant:,}"
    return Explanation(ranked.first(0).steps(), (line,), float(ranked.relevant))


@count("num_rel_ret", formula="hits", source="trec_eval num_rel_ret (the sum)", reads="hits")
def number_of_hits(rankings: Rankings, k: None = None) -> Floats:
    """Counts the hits of each query (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> number_of_hits(from_lists([[1, 0, 1]])).tolist()
    [2.0]
    """
    return counted(rankings.hits).astype(np.float64)


@explains(number_of_hits)
def explain_number_of_hits(ranked: RankedList) -> Explanation:
    """How many of the results are hits."""
    found = count_hits(ranked)
    lines = (*found.lines, f"Relevant items that came back: {found.expression}")
    return Explanation(found.steps, lines, found.value)
