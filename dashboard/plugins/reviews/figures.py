"""Figures of what people said: progress, agreement, and which version they prefer.

`unsure` is no answer. A figure that is not defined is None, with the reason.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from dashboard.evaluation.differences import SIGNIFICANT, replace_nan, write_p
from dashboard.evaluation.metrics import parse_one
from dashboard.evaluation.statistics import (
    compute_alpha,
    compute_bootstrap_interval,
    compute_kappa,
    resample_figure,
)
from dashboard.plugins.reviews.judging_lists import JudgingList
from dashboard.plugins.reviews.verdicts import (
    DECISION,
    PREFERENCE,
    PREFERENCES,
    UNSURE,
    VERDICT,
    Verdict,
    Verdicts,
    has_pair,
    keep_last,
    keep_last_of_pairs,
)
from dashboard.storage.collection import Collection
from dashboard.storage.runs import Pair
from dashboard.tables import FloatArray, Names, Row, Rows, Texts
from dashboard.texts import count_things

FEW_PAIRS = 30
"""Pairs below which a figure of agreement says little."""
Judged = dict[str, set[Pair]]
"""Pairs that each person has judged, by name."""
Scores = dict[str, int | None]
"""What `score_queries` returns."""
MAX_PEOPLE = 6
"""People of whom each two have a kappa: those with the most pairs."""
COLUMNS = ("measure", "people", "value", "low", "high", "pairs", "few", "why")
DIFFERING = ("query_id", "item_id", "people", "minority", "values")
ONE_VALUE = "all said the same, so that no disagreement is expected by chance"


def find_judged(lists: Sequence[JudgingList], rows: Verdicts) -> dict[str, Judged]:
    """Return the pairs of each list that each person has judged, by its id and their name.

    A verdict on a pair counts, whichever list the person worked on; one on a pair that is gone
    does not.

    Args:
        lists: Lists of one collection.
        rows: All rows of it.
    """
    wanted = defaultdict(list)
    for made in lists:
        for pair in made.asked:
            wanted[pair].append(made.id)
    found: dict[str, Judged] = {made.id: {} for made in lists}
    for row in keep_last(rows):
        for id in wanted.get(row.pair, ()):
            if row.kind == VERDICT or row.list_id == id:
                found[id].setdefault(row.author, set()).add(row.pair)
    return found


def count_values(made: JudgingList, rows: Verdicts) -> Rows:
    """Return query_id, item_id, people and values of each pair of a list, such as `not 1`.

    What counts is said at `find_judged`; a decision is no verdict.
    """
    said = keep_last_of_pairs(row for row in rows if row.kind == VERDICT or row.list_id == made.id)
    return [
        _count_pair(pair, Counter(row.answer for row in said.get(pair, {}).values()))
        for pair in made.pairs
    ]


def _count_pair(pair: Pair, counts: Counter[str]) -> Row:
    return {
        "query_id": pair[0],
        "item_id": pair[1] or None,
        "people": counts.total(),
        "values": ", ".join(f"{value} {counts[value]}" for value in sorted(counts)) or None,
    }


def list_answers(rows: Verdicts) -> dict[Pair, Texts]:
    """Return what each person says of each pair that two or more are sure about."""
    answers = {
        pair: {name: row.answer for name, row in people.items() if row.value != UNSURE}
        for pair, people in keep_last_of_pairs(rows, VERDICT).items()
    }
    return {pair: people for pair, people in answers.items() if len(people) >= 2}


def measure_agreement(rows: Verdicts) -> Rows:
    """Return rows of COLUMNS: of all people, then Cohen's kappa of each two of the busiest.

    `agreement` is the share of comparisons of two people on a pair in which they said the same;
    `alpha` Krippendorff's with values that are equal or not (Krippendorff 2004); `kappa` Cohen's
    (1960). Intervals are of 95 %, by resampled pairs: BCa for agreement; percentiles for the
    others, whose resamples in which all say one thing have no value and are left out.
    """
    answers = list_answers(rows)
    if not answers:
        return []
    people = sorted({name for each in answers.values() for name in each})
    values = sorted({value for each in answers.values() for value in each.values()})
    said = np.array([
        [[each.get(name) == value for value in values] for name in people]
        for _, each in sorted(answers.items())
    ])  # fmt: skip
    counts = said.sum(axis=1).astype(float)
    number = counts.sum(axis=1, keepdims=True)
    same = (counts * (counts - 1)).sum(axis=1, keepdims=True)
    compared = number * (number - 1)
    ends = compute_bootstrap_interval(same, compared)[:, 0].tolist()
    found = [
        _make_row("agreement", people, counts, float(same.sum() / compared.sum()), *ends),
        _make_row("alpha", people, counts, *resample_figure(counts, compute_alpha)),
    ]
    busiest = np.argsort(-said.any(axis=2).sum(axis=0), kind="stable")[:MAX_PEOPLE]
    for one, other in combinations(sorted(busiest.tolist()), 2):
        pairs = (said[:, one, :, None] & said[:, other, None, :]).reshape(len(said), -1)
        both = pairs[pairs.any(axis=1)].astype(float)
        if len(both):
            two = [people[one], people[other]]
            found.append(_make_row("kappa", two, both, *resample_figure(both, compute_kappa)))
    return found


def _make_row(
    measure: str, people: Names, pairs: FloatArray, value: float, low: float, high: float
) -> Row:
    return {
        "measure": measure,
        "people": ", ".join(people),
        "value": replace_nan(value),
        "low": replace_nan(low),
        "high": replace_nan(high),
        "pairs": len(pairs),
        "few": len(pairs) < FEW_PAIRS,
        "why": ONE_VALUE if np.isnan(value) else None,
    }


def list_disagreements(rows: Verdicts) -> Rows:
    """Return rows of DIFFERING: pairs on which people differ, the most evenly divided first.

    `minority` is the share that is not of the most frequent value; `values` such as
    `not 1, relevant 2`.
    """
    found = []
    for pair, people in list_answers(rows).items():
        counts = Counter(people.values())
        if len(counts) > 1:
            found.append(
                _count_pair(pair, counts) | {"minority": 1 - max(counts.values()) / counts.total()}
            )
    found.sort(key=lambda row: (-row["minority"], -row["people"], row["query_id"], row["item_id"]))
    return found


def list_undecided(rows: Verdicts) -> Rows:
    """Return the rows of `list_disagreements` on which nobody has decided."""
    decided = {row.pair for row in keep_last(rows, DECISION)}
    return [
        row for row in list_disagreements(rows) if (row["query_id"], row["item_id"]) not in decided
    ]


def keep_there(found: Rows, collection: Collection) -> Rows:
    """Return the disagreements on pairs that a collection still has."""
    return [row for row in found if has_pair(collection, row["query_id"], row["item_id"])]


SCORES = {"much better": 2, "better": 1, "same": 0, "worse": -1, "much worse": -2}
"""Values of a preference for the candidate; CANNOT_SAY is none."""
CANNOT_SAY = PREFERENCES[-1]


def shuffle_sides(made: JudgingList, query_id: str, author: str) -> tuple[str, str]:
    """Return the versions at the left and at the right: for a person and query always the same."""
    named = "\n".join((made.seed, made.id, query_id, author))
    pair = (made.baseline, made.candidate)
    return pair[::-1] if hashlib.sha256(named.encode()).digest()[0] % 2 else pair


def list_preferences(made: JudgingList, rows: Iterable[Verdict]) -> Verdicts:
    """Return the last answer of each person on each query of a list."""
    last = keep_last(rows, PREFERENCE)
    return [row for row in last if row.list_id == made.id and row.value in PREFERENCES]


def score_queries(answers: Verdicts) -> Scores:
    """Return for each query 1 if the candidate won, -1 if the baseline did, 0, or None."""
    said: dict[str, list[int]] = {row.query_id: [] for row in answers}
    for row in answers:
        if row.value in SCORES:
            said[row.query_id].append(SCORES[row.value])
    return {query: int(np.sign(sum(each))) if each else None for query, each in said.items()}


def describe_preference(scores: Scores, baseline: str, candidate: str) -> tuple[str, str]:
    """Return which version people prefer, "" if the sign test cannot tell, and the counts in words.

    A query counts once. The 95 % interval is of the winner's share (Clopper and Pearson 1934); the
    test has two sides and leaves ties out.
    """
    counts = Counter(scores.values())
    same, unsaid = counts[0], counts[None]
    rest = f" In {count_things(same, 'query')} neither version won." if same else ""
    if unsaid:
        rest += f" For {count_things(unsaid, 'query')} nobody could say which is better."
    decided = counts[1] + counts[-1]
    if not decided:
        return "", f"No version won a query.{rest}"
    from scipy.stats import binomtest  # type: ignore[import-untyped]

    won = max(counts[1], counts[-1])
    test = binomtest(won, decided)
    low, high = test.proportion_ci(0.95, method="exact")
    who = candidate if won == counts[1] else baseline
    winner = who if test.pvalue < SIGNIFICANT else ""
    if 2 * won == decided:
        who = f"{baseline} and {candidate} each"
    return winner, (
        f"{who} won {won} of {count_things(decided, 'query')} with a winner (95 % interval "
        f"{100 * low:.0f}–{100 * high:.0f} %), p {write_p(test.pvalue)}.{rest}"
    )


def compare_with_metric(scores: Scores, changes: Iterable[Row], metric: str) -> tuple[int, int]:
    """Return in how many queries people and metric name the same winner, and of how many.

    Args:
        scores: What `score_queries` returns.
        changes: Rows of `list_changes`.
        metric: Their metric.
    """
    sign = parse_one(metric).sign
    both = [(scores.get(row["query_id"]), row["delta"]) for row in changes]
    same = [(sign * delta > 0) == (score > 0) for score, delta in both if score and delta]
    return sum(same), len(same)
