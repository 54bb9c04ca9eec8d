"""How the metrics of hits and misses come about, those of both directions too."""

from __future__ import annotations

import numpy as np

from dashboard.evaluation.explain import wording
from dashboard.evaluation.explain.seen import Explanation, Seen, explains
from dashboard.evaluation.explain.shapes import Sum, counted, summed
from dashboard.evaluation.explain.wording import NO_RELEVANT, result
from dashboard.evaluation.metrics.crossmodal import CUTOFFS
from dashboard.evaluation.rankings import Array, Counts, Flags


@explains("P")
def precision(seen: Seen) -> Explanation:
    """Hits ÷ K."""
    return _hits(seen).over(seen.k or 0)


@explains("R")
def recall(seen: Seen) -> Explanation:
    """Hits ÷ R."""
    return _hits(seen, wording.relevant(seen)).over(seen.relevant, otherwise=NO_RELEVANT)


@explains("Rprec")
def r_precision(seen: Seen) -> Explanation:
    """Hits in the first R ÷ R."""
    said = f"{wording.relevant(seen)} So many results are looked at."
    found = _hits(seen.first(seen.relevant))
    return Sum(found.steps, (said, *found.lines), found.expression, found.value).over(
        seen.relevant, otherwise=NO_RELEVANT
    )


@explains("Success", "i2t_R", "t2i_R")
def success(seen: Seen) -> Explanation:
    """1 for at least one hit."""
    found = _hits(seen)
    value = float(found.value > 0)
    line = "At least one hit: 1" if value else "Not one hit: 0"
    return Explanation(found.steps, (*found.lines, line), value)


@explains("Judged")
def judged_share(seen: Seen) -> Explanation:
    """Judged results ÷ results."""
    found = counted(seen, seen.judged, word="Judged", column="has a grade")
    return found.over(seen.length, otherwise="Of no result no share can be taken: no value.")


@explains("Ceiling")
def ceiling(seen: Seen) -> Explanation:
    """min(K, R) ÷ K; no result is looked at."""
    k, relevant = seen.k or 0, seen.relevant
    said = f"{wording.relevant(seen)} A perfect ranking has so many hits, but at most K = {k}."
    value = min(k, relevant)
    return Sum(seen.first(0).steps(), (said,), f"min({k}, {relevant})", value).over(k)


@explains("RR")
def reciprocal_rank(seen: Seen) -> Explanation:
    """1 ÷ rank of the first hit; the ranks down to it are looked at."""
    place = _first_hit(seen)
    steps = seen.first(place or seen.k).steps(hit=seen.hits[: place or None])
    if not place:
        said = f"Hits in {wording.scope(seen)}: none"
        return Explanation(steps, (*wording.came_back(seen), said, "No first hit: 0"), 0.0)
    lines = (f"First hit: rank {place}", f"1 ÷ {place} = {result(1 / place)}")
    return Explanation(steps, lines, 1 / place)


@explains("Rsum")
def recall_sum(seen: Seen) -> Explanation:
    """R@1 + R@5 + R@10."""
    return _three_recalls(seen).equals()


@explains("mR")
def mean_recall(seen: Seen) -> Explanation:
    """(R@1 + R@5 + R@10) ÷ 3."""
    return _three_recalls(seen).over(len(CUTOFFS))


@explains("AP")
def average_precision(seen: Seen, divisor: str = "relevant") -> Explanation:
    """Hits so far ÷ rank at each hit, added up and divided by one of four divisors."""
    found = _at_judged(seen) if divisor == "annotated" else _at_ranks(seen)
    count = int(found.steps["hit"].sum())
    if divisor == "retrieved" and count == 0 and seen.relevant:
        return found.none("No hit was found to divide by: 0")
    if divisor == "retrieved" and seen.relevant:
        said, number = f"Divided by the hits found: {count}.", count
    elif divisor == "min" and seen.k is not None:
        number = min(seen.relevant, seen.k)
        said = f"Divided by min(R, K) = min({seen.relevant}, {seen.k})."
    else:
        said, number = wording.relevant(seen), seen.relevant
    divided = Sum(found.steps, (*found.lines, said), found.expression, found.value)
    return divided.over(number, otherwise=NO_RELEVANT)


def _hits(seen: Seen, *said: str) -> Sum:
    found = counted(seen, seen.hits)
    lines = (*found.lines, *wording.not_judged(seen), *said)
    return Sum(found.steps, lines, found.expression, found.value)


def _first_hit(seen: Seen) -> int:
    """The rank of the first hit looked at, 0 without any."""
    places = np.flatnonzero(seen.hits)
    return int(places[0]) + 1 if len(places) else 0


def _three_recalls(seen: Seen) -> Sum:
    place = _first_hit(seen.first(max(CUTOFFS)))
    each = [int(0 < place <= k) for k in CUTOFFS]
    looked_at = seen.first(place or max(CUTOFFS))
    named = " + ".join(f"R@{k}" for k in CUTOFFS)
    lines = (
        f"First hit: rank {place}" if place else f"Hits in {wording.scope(looked_at)}: none",
        f"R@K is 1 if the first hit stands in the first K; {named}:",
    )
    expression = " + ".join(map(str, each))
    return Sum(looked_at.steps(hit=looked_at.hits), lines, expression, float(sum(each)))


def _at_ranks(seen: Seen) -> Sum:
    """Hits so far ÷ rank over the hits."""
    places = np.arange(1, seen.length + 1)
    rule = "Each hit adds: hits so far ÷ its rank."
    return _precisions(seen, {}, seen.hits, places, (rule, *wording.not_judged(seen)))


def _at_judged(seen: Seen) -> Sum:
    """The same in the list that unjudged results are left out of."""
    judged = seen.first(None).judged
    before: Counts = np.cumsum(judged) - judged
    depth = len(judged) if seen.k is None else int((before < seen.k).sum())
    looked_at = seen.first(depth)
    places = np.cumsum(looked_at.judged)
    rule = "Results without a grade are left out; each hit adds: hits so far ÷ its place."
    columns = {"place": np.where(looked_at.judged, places, np.nan)}
    return _precisions(looked_at, columns, looked_at.hits, np.maximum(places, 1), (rule,))


def _precisions(
    seen: Seen, columns: dict[str, Array], hits: Flags, places: Array, said: tuple[str, ...]
) -> Sum:
    found = np.cumsum(hits)
    terms = hits * found / places
    written = [f"{number}/{place}" for number, place in zip(found, places, strict=True)]
    columns = {**columns, "hit": hits, "hits_so_far": found}
    total = summed(
        seen, columns, terms, written, f"Hits in {wording.scope(seen)}: {wording.ranks(hits)}"
    )
    return Sum(total.steps, (*total.lines, *said), total.expression, total.value)
