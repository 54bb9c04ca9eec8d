"""Metrics of hits and misses; a hit is a result with at least the grade `relevant_from`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dashboard.evaluation.metrics.explanation import (
    NO_RELEVANT,
    Explanation,
    RankedList,
    Sum,
    count_flags,
    count_hits,
    list_ranks,
    sum_terms,
    write_result,
)
from dashboard.evaluation.metrics.names import choice
from dashboard.evaluation.metrics.registry import explains, metric
from dashboard.evaluation.rankings import Array, Counts, Flags, Floats, Rankings


def ratio(top: Counts | Floats, bottom: Counts | Floats) -> Floats:
    """top ÷ bottom, NaN where bottom is 0."""
    undefined = np.full(len(top), np.nan)
    values: Floats = np.divide(top, bottom, out=undefined, where=np.not_equal(bottom, 0))
    return values


def counted(flags: Flags) -> Counts:
    """How many results are flagged. [Q]"""
    counts: Counts = flags.sum(axis=1, dtype=np.int64)
    return counts


def precision_at_one(name: str, k: int | None) -> str:
    """P where only the first result counts, which any hit decides; else the metric itself."""
    return "P" if k == 1 else name


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
    return counted(rankings.first(k).hits) / k


@explains(precision)
def explain_precision(ranked: RankedList) -> Explanation:
    """Hits ÷ K."""
    return count_hits(ranked).over(ranked.k or 0)


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
    return ratio(counted(rankings.first(k).hits), rankings.relevant)


@explains(recall)
def explain_recall(ranked: RankedList) -> Explanation:
    """Hits ÷ R."""
    return count_hits(ranked, ranked.relevant_note).over_relevant(ranked)


@metric(
    "Success",
    formula="1 if hits in the first K ≥ 1, else 0",
    source="trec_eval success; hit rate; VSE++ R@K",
    reads="hits",
    other_names=("hit_any", "hit_rate"),
    multiple_of=precision_at_one,
)
def success(rankings: Rankings, k: int | None) -> Floats:
    """Whether at least one relevant item stands in the first K places (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> success(from_lists([[0, 1], [0, 0]]), 2).tolist()
    [1.0, 0.0]
    """
    return (counted(rankings.first(k).hits) > 0).astype(np.float64)


@explains(success)
def explain_success(ranked: RankedList) -> Explanation:
    """1 for at least one hit."""
    hits = count_hits(ranked)
    value = float(hits.value > 0)
    line = "At least one hit: 1" if value else "Not one hit: 0"
    return Explanation(hits.steps, (*hits.lines, line), value)


@metric(
    "AP",
    choice("divisor", "relevant", "retrieved", "min", "annotated", bare=True),
    formula="Σ over hits of (hits up to k ÷ k) ÷ R, hits found, or min(R, K)",
    source="relevant: trec_eval map, map_cut; retrieved: hashing mAP@p; min: CIRCO; "
    "annotated: condensed list, Sakai 2007",
    reads="hits",
    other_names=("mAP",),
)
def average_precision(rankings: Rankings, k: int | None, divisor: str = "relevant") -> Floats:
    """Mean of hits ÷ rank over the relevant items, 0 for those not found (reads hits).

    retrieved divides by the hits found, min by min(R, K); annotated leaves unjudged results out
    of the list and divides by R.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> average_precision(from_lists([[1, 0, 1, 0, 0]]), 3).round(4).tolist()
    [0.8333]
    """
    if divisor == "annotated":
        return ratio(_condensed_precisions(rankings, k)[0], rankings.relevant)
    total, found = _precisions(rankings, k)
    if divisor == "retrieved":
        undefined = np.where(rankings.relevant > 0, 0.0, np.nan)
        return np.where(found > 0, total / np.maximum(found, 1), undefined)
    if divisor == "min" and k is not None:
        return ratio(total, np.minimum(rankings.relevant, k))
    return ratio(total, rankings.relevant)


@explains(average_precision)
def explain_average_precision(ranked: RankedList, divisor: str = "relevant") -> Explanation:
    """Hits so far ÷ rank at each hit, added up and divided by one of four divisors."""
    total = _explain_at_judged(ranked) if divisor == "annotated" else _explain_at_ranks(ranked)
    count = int(total.steps["hit"].sum())
    if divisor == "retrieved" and count == 0 and ranked.relevant:
        return total.none("No hit was found to divide by: 0")
    if divisor == "retrieved" and ranked.relevant:
        rule, number = f"Divided by the hits found: {count:,}.", count
    elif divisor == "min" and ranked.k is not None:
        number = min(ranked.relevant, ranked.k)
        rule = f"Divided by min(R, K) = min({ranked.relevant:,}, {ranked.k:,})."
    else:
        rule, number = ranked.relevant_note, ranked.relevant
    return total.saying(rule).over(number, otherwise=NO_RELEVANT)


def _explain_at_ranks(ranked: RankedList) -> Sum:
    """Hits so far ÷ rank over the hits."""
    places = np.arange(1, ranked.length + 1)
    rule = "Each hit adds: hits so far ÷ its rank."
    return _explain_precisions(ranked, {}, ranked.hits, places, (rule, *ranked.unjudged_note))


def _explain_at_judged(ranked: RankedList) -> Sum:
    """The same in the list that unjudged results are left out of."""
    judged = ranked.first(None).judged
    before: Counts = np.cumsum(judged) - judged
    depth = len(judged) if ranked.k is None else int((before < ranked.k).sum())
    looked_at = ranked.first(depth)
    places = np.cumsum(looked_at.judged)
    rule = "Results without a grade are left out; each hit adds: hits so far ÷ its place."
    columns = {"place": np.where(looked_at.judged, places, np.nan)}
    return _explain_precisions(looked_at, columns, looked_at.hits, np.maximum(places, 1), (rule,))


def _explain_precisions(
    ranked: RankedList,
    columns: dict[str, Array],
    hits: Flags,
    places: Array,
    rules: tuple[str, ...],
) -> Sum:
    """Σ hits so far ÷ place over the hits."""
    so_far = np.cumsum(hits)
    terms = hits * so_far / places
    written = [f"{number:,}/{place:,}" for number, place in zip(so_far, places, strict=True)]
    columns = {**columns, "hit": hits, "hits_so_far": so_far}
    total = sum_terms(
        ranked, columns, terms, written, f"Hits in {ranked.scope}: {list_ranks(hits)}"
    )
    return Sum(total.steps, (*total.lines, *rules), total.expression, total.value)


def _precisions(rankings: Rankings, k: int | None) -> tuple[Floats, Floats]:
    """Σ hits ÷ rank over the hits, and the number of hits. [Q] each"""
    total, found, step = np.zeros((3, len(rankings.returned)))
    looked_at = rankings.first(k)
    for column in looked_at.hit_columns:
        hit = looked_at.hits[:, column]
        found += hit
        place = looked_at.place(column)
        total += np.divide(np.multiply(found, hit, out=step), place + 1, out=step)
    return total, found


def _condensed_precisions(rankings: Rankings, k: int | None) -> tuple[Floats, Floats]:
    """The same over the judged results alone."""
    total, found, seen = np.zeros((3, len(rankings.returned)))
    for column in range(rankings.width):
        seen += rankings.judged[:, column]
        hit = rankings.hits[:, column] if k is None else rankings.hits[:, column] & (seen <= k)
        found += hit
        total += hit * found / np.maximum(seen, 1)
    return total, found


@metric(
    "Rprec",
    formula="hits in the first R ÷ R",
    source="trec_eval Rprec",
    reads="hits",
    cutoff="never",
)
def r_precision(rankings: Rankings, k: None = None) -> Floats:
    """Share of hits in the first R places, R being the number of relevant items (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> r_precision(from_lists([[1, 0, 1]])).tolist()
    [0.5]
    """
    found = np.zeros(len(rankings.returned))
    looked_at = rankings.first(int(rankings.relevant.max(initial=0)))
    for column in range(looked_at.width):
        found += looked_at.hits[:, column] & (looked_at.place(column) < rankings.relevant)
    return ratio(found, rankings.relevant)


@explains(r_precision)
def explain_r_precision(ranked: RankedList) -> Explanation:
    """Hits in the first R ÷ R."""
    rule = f"{ranked.relevant_note} So many results are looked at."
    hits = count_hits(ranked.first(ranked.relevant))
    return replace(hits, lines=(rule, *hits.lines)).over_relevant(ranked)


@metric(
    "RR",
    formula="1 ÷ rank of the first hit",
    source="trec_eval recip_rank",
    reads="hits",
    other_names=("MRR", "recip_rank"),
    multiple_of=precision_at_one,
)
def reciprocal_rank(rankings: Rankings, k: int | None) -> Floats:
    """One divided by the rank of the first relevant item, 0 if none is found (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> reciprocal_rank(from_lists([[0, 1, 1]]), None).tolist()
    [0.5]
    """
    values = np.zeros(len(rankings.returned))
    looked_at = rankings.first(k)
    for column in looked_at.hit_columns[::-1]:
        values = np.where(looked_at.hits[:, column], 1 / (looked_at.place(column) + 1), values)
    return values


@explains(reciprocal_rank)
def explain_reciprocal_rank(ranked: RankedList) -> Explanation:
    """1 ÷ rank of the first hit; the ranks down to it are looked at."""
    place = ranked.first_hit
    steps = ranked.first(place or ranked.k).steps(hit=ranked.hits[: place or None])
    if not place:
        none = f"Hits in {ranked.scope}: none"
        return Explanation(steps, (*ranked.shortfall, none, "No first hit: 0"), 0.0)
    lines = (f"First hit: rank {place:,}", f"1 ÷ {place:,} = {write_result(1 / place)}")
    return Explanation(steps, lines, 1 / place)


@metric(
    "Judged",
    formula="judged results in the first K ÷ results in the first K",
    source="ir_measures Judged",
    reads="judged",
    misses=True,
)
def judged_share(rankings: Rankings, k: int | None) -> Floats:
    """Share of the first K results that have a grade at all; NaN for an empty list (reads judged).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> judged_share(from_lists([[0, None, 1]]), 2).tolist()
    [0.5]
    """
    return ratio(counted(rankings.first(k).judged), rankings.evaluated(k))


@explains(judged_share)
def explain_judged_share(ranked: RankedList) -> Explanation:
    """Judged results ÷ results."""
    found = count_flags(ranked, ranked.judged, word="Judged", column="has a grade")
    return found.over(ranked.length, otherwise="Of no result no share can be taken: no value.")


@metric(
    "Ceiling",
    formula="min(K, R) ÷ K",
    source="the largest P@K that any ranking can have",
    reads="hits",
    cutoff="required",
    other_names=("hits_ceiling",),
)
def ceiling(rankings: Rankings, k: int) -> Floats:
    """The P@K of a perfect ranking, below 1 where fewer than K items are relevant (reads hits).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> ceiling(from_lists([[1, 1]]), 5).tolist()
    [0.4]
    """
    return np.minimum(rankings.relevant, k) / k


@explains(ceiling)
def explain_ceiling(ranked: RankedList) -> Explanation:
    """min(K, R) ÷ K; no result is looked at."""
    k, relevant = ranked.k or 0, ranked.relevant
    said = f"{ranked.relevant_note} A perfect ranking has so many hits, but at most K = {k}."
    value = min(k, relevant)
    return Sum(ranked.first(0).steps(), (said,), f"min({k}, {relevant})", value).over(k)
