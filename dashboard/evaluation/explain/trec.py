"""How the metrics come about that trec_eval has beside the usual."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.evaluation.explain import wording
from dashboard.evaluation.explain.binary import average_precision
from dashboard.evaluation.explain.seen import Explanation, Seen, explains
from dashboard.evaluation.explain.shapes import Sum, counted, summed
from dashboard.evaluation.explain.wording import NO_RELEVANT, number, result
from dashboard.evaluation.metrics.trec import ELEVEN, EPSILON
from dashboard.evaluation.rankings import Counts, Flags, Floats


@explains("bpref", "gm_bpref")
def binary_preference(seen: Seen) -> Explanation:
    """One for each hit, less the share of judged misses above it."""
    in_all, relevant = int(seen.rankings.judged_misses[0]), seen.relevant
    most = max(min(in_all, relevant), 1)
    above = np.minimum(np.cumsum(_misses(seen)), relevant)
    written = [f"(1 − {each}/{most})" if each else "1" for each in above]
    said = (
        f"Items judged not relevant: {in_all}; at most R = {relevant} of them count.",
        f"Each hit adds: 1 − judged misses above ÷ {most}.",
    )
    columns = {"hit": seen.hits, "judged_misses_so_far": np.cumsum(_misses(seen))}
    terms: Floats = np.where(seen.hits, 1 - above / most, 0.0)
    total = summed(seen, columns, terms, written, *said)
    return _over_relevant(total, seen)


@explains("infAP")
def inferred_average_precision(seen: Seen) -> Explanation:
    """The precision that is expected at each hit."""
    hits, misses = _above(seen.hits), _above(_misses(seen))
    pooled, ranks = _above(seen.judged), np.arange(1, seen.length + 1)
    share = (hits + EPSILON) / (hits + misses + 2 * EPSILON)
    expected = np.where(ranks == 1, 1.0, (1 + pooled * share) / ranks)
    terms: Floats = np.where(seen.hits, expected, 0.0)
    columns = {"hit": seen.hits, "pooled_above": pooled, "share_of_hits": share}
    rule = "Each hit adds: (1 + pooled results above × share of hits among the judged ones) ÷ rank."
    return _over_relevant(summed(seen, columns, terms, map(number, terms), rule), seen)


@explains("IPrec")
def interpolated_precision(seen: Seen, recall: float = 0.0, rounding: str = "up") -> Explanation:
    """The best precision from the rank on where enough is found."""
    precision, steps = _precision(seen)
    if not seen.relevant:
        return Explanation(steps, (*wording.came_back(seen), NO_RELEVANT), float("nan"))
    wanted, value = _interpolated(seen, precision, recall, rounding)
    found = int(seen.hits.sum())
    lines = (
        *wording.came_back(seen),
        f"Hits in {wording.scope(seen)}: {wording.ranks(seen.hits)}",
        f"Recall {recall:g} of R = {seen.relevant} wants {wanted}; found are {found}.",
        f"Best precision from there on: {result(value)}",
    )
    return Explanation(steps, lines, value)


@explains("11pt_avg")
def eleven_point_average(seen: Seen, rounding: str = "up") -> Explanation:
    """The mean of eleven interpolated precisions."""
    precision, steps = _precision(seen)
    each = [_interpolated(seen, precision, point, rounding)[1] for point in ELEVEN]
    lines = (
        *wording.came_back(seen),
        f"Hits in {wording.scope(seen)}: {wording.ranks(seen.hits)}",
        f"Interpolated precision at recall 0, 0.1 … 1: {', '.join(map(number, each))}",
    )
    total = Sum(steps, lines, wording.sum_of([number(one) for one in each]), float(sum(each)))
    if not seen.relevant:
        return total.over(0, otherwise=NO_RELEVANT)
    return total.over(len(ELEVEN))


@explains("gm_map")
def geometric_average_precision(seen: Seen) -> Explanation:
    """AP; the mean over the queries is another."""
    return average_precision(seen)


@explains("set_P")
def set_precision(seen: Seen) -> Explanation:
    """Hits ÷ results."""
    return _hits(seen).over(seen.length, otherwise="Of no result no share can be taken: no value.")


@explains("set_recall")
def set_recall(seen: Seen) -> Explanation:
    """Hits ÷ R."""
    return _hits(seen, wording.relevant(seen)).over(seen.relevant, otherwise=NO_RELEVANT)


@explains("set_map")
def set_average_precision(seen: Seen) -> Explanation:
    """Hits² ÷ (results × R)."""
    hits, product = _hits(seen, wording.relevant(seen)), seen.length * seen.relevant
    squared = Sum(hits.steps, hits.lines, f"{hits.expression}²", hits.value**2)
    none = NO_RELEVANT if not seen.relevant else "Of no result no share can be taken: no value."
    return squared.over(product, otherwise=none, written=f"({seen.length} × {seen.relevant})")


@explains("set_F")
def set_f(seen: Seen, x: float = 1.0) -> Explanation:
    """(x + 1) · hits ÷ (x · R + results), the harmonic mean without its common factors."""
    hits = _hits(seen, wording.relevant(seen))
    if not seen.relevant:
        return hits.over(0, otherwise=NO_RELEVANT)
    rule = "(x + 1) · P · R ÷ (x · P + R) is (x + 1) · hits ÷ (x · relevant items + results)."
    top = Sum(
        hits.steps,
        (*hits.lines, rule),
        f"{number(x + 1)} × {hits.expression}",
        (x + 1) * hits.value,
    )
    below = x * seen.relevant + seen.length
    if not below:
        return top.none("Nothing to divide by: 0")
    return top.over(below)


@explains("set_relative_P")
def set_relative_precision(seen: Seen) -> Explanation:
    """Hits ÷ min(results, R)."""
    most = min(seen.length, seen.relevant)
    none = NO_RELEVANT if not seen.relevant else "Of no result no share can be taken: no value."
    written = f"min({seen.length}, {seen.relevant})"
    return _hits(seen, wording.relevant(seen)).over(most, otherwise=none, written=written)


@explains("num_q")
def number_of_queries(seen: Seen) -> Explanation:
    """1; no result is looked at."""
    return Explanation(seen.first(0).steps(), ("Each query counts: 1",), 1.0)


@explains("num_ret")
def number_of_results(seen: Seen) -> Explanation:
    """How many came back."""
    line = f"Results that came back: {seen.returned}"
    return Explanation(seen.steps(), (line,), float(seen.returned))


@explains("num_rel")
def number_of_relevant(seen: Seen) -> Explanation:
    """R; no result is looked at."""
    line = f"Relevant items in all: {seen.relevant}"
    return Explanation(seen.first(0).steps(), (line,), float(seen.relevant))


@explains("num_rel_ret")
def number_of_hits(seen: Seen) -> Explanation:
    """How many of the results are hits."""
    found = _hits(seen)
    lines = (*found.lines, f"Relevant items that came back: {found.expression}")
    return Explanation(found.steps, lines, found.value)


def _hits(seen: Seen, *said: str) -> Sum:
    found = counted(seen, seen.hits)
    lines = (*found.lines, *wording.not_judged(seen), *said)
    return Sum(found.steps, lines, found.expression, found.value)


def _over_relevant(total: Sum, seen: Seen) -> Explanation:
    lines = (*total.lines, wording.relevant(seen))
    return Sum(total.steps, lines, total.expression, total.value).over(
        seen.relevant, otherwise=NO_RELEVANT
    )


def _misses(seen: Seen) -> Flags:
    misses: Flags = seen.rankings.misses[0, : seen.length]
    return misses


def _above(flags: Flags) -> Counts:
    """How many stand before each rank."""
    before: Counts = np.cumsum(flags) - flags
    return before


def _precision(seen: Seen) -> tuple[Floats, pd.DataFrame]:
    """Hits so far ÷ rank, and that as steps."""
    hits_so_far = np.cumsum(seen.hits)
    precision = hits_so_far / np.arange(1, seen.length + 1)
    columns = {"hit": seen.hits, "hits_so_far": hits_so_far, "precision": precision}
    return precision, seen.steps(**columns)


def _interpolated(seen: Seen, precision: Floats, recall: float, rounding: str) -> tuple[int, float]:
    """How many hits a recall wants, and the best precision from there on."""
    wanted = int(np.floor(recall * seen.relevant + {"up": 0.9, "nearest": 0.5}[rounding]))
    there = precision[np.cumsum(seen.hits) >= wanted]
    return wanted, float(there.max(initial=0.0))
