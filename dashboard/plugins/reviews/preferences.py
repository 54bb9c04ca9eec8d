"""Lists compared blind: sides, and what people prefer between two versions, query by query."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.evaluation.differences import find_sign, write_p
from dashboard.evaluation.measurement import Row
from dashboard.evaluation.metrics import parse_one
from dashboard.plugins.reviews.judging_lists import JudgingList
from dashboard.plugins.reviews.verdicts import (
    PREFERENCE,
    PREFERENCES,
    UNSURE,
    VERDICT,
    Verdict,
    keep_last,
)

SCORES = {"much better": 2, "better": 1, "same": 0, "worse": -1, "much worse": -2}
"""Values of a preference for the candidate; CANNOT_SAY is none."""
CANNOT_SAY = PREFERENCES[-1]
LEVEL = 0.05
"""p of the sign test from which on no version is called preferred."""


@dataclass(frozen=True)
class Preference:
    """Queries by the mean of what their people said; a query counts once.

    Attributes:
        better: Queries in which the candidate won.
        worse: Queries in which the baseline won.
        same: Queries in which neither won.
        unsaid: Queries of which nobody could say anything.
        low: Lower end of the 95 % interval of the winner's share (Clopper and Pearson 1934); None
            without a query that one version won.
        high: Its upper end.
        p: Of the two-sided sign test, ties left out.
    """

    better: int
    worse: int
    same: int
    unsaid: int
    low: float | None = None
    high: float | None = None
    p: float | None = None


def shuffle_sides(made: JudgingList, query_id: str, author: str) -> tuple[str, str]:
    """Return the versions at the left and at the right: for a person and query always the same."""
    named = "\n".join((made.seed, made.id, query_id, author))
    is_turned = hashlib.sha256(named.encode()).digest()[0] % 2 == 1
    pair = (made.baseline, made.candidate)
    return pair[::-1] if is_turned else pair


def list_preferences(made: JudgingList, rows: Iterable[Verdict]) -> list[Verdict]:
    """Return the last answer of each person on each query of a list."""
    mine = [row for row in rows if row.kind == PREFERENCE and row.list_id == made.id]
    return [row for row in keep_last(mine) if row.value in (*SCORES, CANNOT_SAY)]


def score_queries(answers: Sequence[Verdict]) -> dict[str, int | None]:
    """Return for each query 1 if the candidate won, -1 if the baseline did, 0, or None."""
    said: dict[str, list[int]] = {}
    for row in answers:
        scores = said.setdefault(row.query_id, [])
        if row.value in SCORES:
            scores.append(SCORES[row.value])
    sums = {query: sum(scores) if scores else None for query, scores in said.items()}
    return {query: s if s is None else (s > 0) - (s < 0) for query, s in sums.items()}


def measure_preference(scores: Mapping[str, int | None]) -> Preference:
    """Return counts of the queries of `score_queries`, with interval and test of the winner."""
    counts = Counter(scores.values())
    better, worse = counts[1], counts[-1]
    found = Preference(better, worse, counts[0], counts[None])
    if not better + worse:
        return found
    from scipy.stats import binomtest  # type: ignore[import-untyped]

    test = binomtest(max(better, worse), better + worse)
    interval = test.proportion_ci(0.95, method="exact")
    low, high, p = map(float, (interval.low, interval.high, test.pvalue))
    return replace(found, low=low, high=high, p=p)


def describe_preference(found: Preference, baseline: str, candidate: str) -> str:
    """Return who won how many queries, with interval and p, in a sentence."""
    decided = found.better + found.worse
    rest = f" In {_count(found.same)} neither version won." if found.same else ""
    if found.unsaid:
        rest += f" For {_count(found.unsaid)} nobody could say which is better."
    if found.low is None or found.high is None or found.p is None:
        return f"No version won a query.{rest}"
    won = max(found.better, found.worse)
    who = candidate if found.better >= found.worse else baseline
    who = f"{baseline} and {candidate} each" if found.better == found.worse else who
    interval = f"95 % interval {100 * found.low:.0f}–{100 * found.high:.0f} %"
    p = write_p(found.p)
    return f"{who} won {won} of {_count(decided)} with a winner ({interval}), p {p}.{rest}"


def _count(queries: int) -> str:
    return f"{queries} {'query' if queries == 1 else 'queries'}"


def name_winner(found: Preference, baseline: str, candidate: str) -> str:
    """Return the version that people prefer; "" if the sign test cannot tell."""
    if found.p is None or found.p >= LEVEL:
        return ""
    return candidate if found.better > found.worse else baseline


def compare_with_metric(
    scores: Mapping[str, int | None], changes: Iterable[Row], metric: str
) -> tuple[int, int]:
    """Return in how many queries people and metric name the same winner, and of how many.

    Args:
        scores: What `score_queries` returns.
        changes: Rows of `list_changes`.
        metric: Their metric.
    """
    sign = find_sign(parse_one(metric))
    same = compared = 0
    for row in changes:
        score = scores.get(row["query_id"])
        if score and row["delta"]:
            compared += 1
            same += (sign * row["delta"] > 0) == (score > 0)
    return same, compared


def make_verdicts(answers: Iterable[Verdict]) -> list[Verdict]:
    """Return answers as verdicts better, worse, same or unsure, for their agreement."""
    words = {2: "candidate", 1: "candidate", 0: "same", -1: "baseline", -2: "baseline"}
    return [
        replace(
            row, kind=VERDICT, value=words[SCORES[row.value]] if row.value in SCORES else UNSURE
        )
        for row in answers
    ]
