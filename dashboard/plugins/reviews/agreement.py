"""Agreement of people on what several of them judged, and the pairs on which they do not.

`unsure` is no answer. A figure that is not defined is None, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from dashboard.evaluation.differences import replace_nan
from dashboard.evaluation.measurement import Row
from dashboard.evaluation.statistics import (
    compute_alpha,
    compute_alpha_of_counts,
    compute_bootstrap_interval,
    compute_kappa,
    compute_kappa_of_counts,
    resample_figure,
)
from dashboard.plugins.reviews.verdicts import (
    DECISION,
    UNSURE,
    VERDICT,
    Verdict,
    has_pair,
    keep_last,
    keep_last_of_pairs,
)
from dashboard.storage.collection import Collection
from dashboard.tables import FloatArray

FEW_PAIRS = 30
"""Pairs below which a figure of agreement says little."""
MAX_PEOPLE = 6
"""People of whom each two have a kappa: those with the most pairs."""
COLUMNS = ("measure", "people", "value", "low", "high", "pairs", "few", "why")
DIFFERING = ("query_id", "item_id", "people", "minority", "values")
ONE_VALUE = "all said the same, so that no disagreement is expected by chance"
Answers = dict[tuple[str, str], dict[str, str]]


def list_answers(rows: Sequence[Verdict]) -> Answers:
    """Return what each person says of each pair that two or more are sure about."""
    said = keep_last_of_pairs(row for row in rows if row.kind == VERDICT)
    answers = {
        pair: {name: row.value for name, row in people.items() if row.value != UNSURE}
        for pair, people in said.items()
    }
    return {pair: people for pair, people in answers.items() if len(people) >= 2}


def measure_agreement(rows: Sequence[Verdict]) -> list[Row]:
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
    number = {value: float(place) for place, value in enumerate(values)}
    codes = np.full((len(answers), len(people)), np.nan)
    for place, pair in enumerate(sorted(answers)):
        for name, value in answers[pair].items():
            codes[place, people.index(name)] = number[value]
    counts = np.stack([(codes == code).sum(axis=1) for code in number.values()], axis=1)
    spread = resample_figure(counts.astype(np.float64), compute_alpha_of_counts)
    alpha = compute_alpha(codes), *spread
    found = [_make_share(people, codes), _make_row("alpha", people, codes, *alpha)]
    busiest = np.argsort(np.isnan(codes).sum(axis=0), kind="stable")[:MAX_PEOPLE]
    for two in combinations(sorted(busiest.tolist()), 2):
        both = codes[:, two][~np.isnan(codes[:, two]).any(axis=1)]
        if len(both):
            cells = both[:, 0] * len(values) + both[:, 1]
            given = (cells[:, None] == np.arange(len(values) ** 2)).astype(np.float64)
            kappa = compute_kappa(both), *resample_figure(given, compute_kappa_of_counts)
            found.append(_make_row("kappa", [people[at] for at in two], both, *kappa))
    return found


def _make_share(people: Sequence[str], codes: FloatArray) -> Row:
    same, compared = np.zeros((len(codes), 1)), np.zeros((len(codes), 1))
    for one, other in combinations(codes.T, 2):
        same[:, 0] += one == other
        compared[:, 0] += ~np.isnan(one) & ~np.isnan(other)
    low, high = compute_bootstrap_interval(same, compared)[:, 0].tolist()
    return _make_row("agreement", people, codes, float(same.sum() / compared.sum()), low, high)


def _make_row(
    measure: str, people: Sequence[str], codes: FloatArray, value: float, low: float, high: float
) -> Row:
    row: Row = {"measure": measure, "people": ", ".join(people), "value": replace_nan(value)}
    row |= {"low": replace_nan(low), "high": replace_nan(high), "pairs": len(codes)}
    why = ONE_VALUE if np.isnan(value) else None
    return row | {"few": len(codes) < FEW_PAIRS, "why": why}


def list_disagreements(rows: Sequence[Verdict]) -> list[Row]:
    """Return rows of DIFFERING: pairs on which people differ, the most evenly divided first.

    `minority` is the share that is not of the most frequent value; `values` such as
    `not 1, relevant 2`.
    """
    found = []
    for pair, people in list_answers(rows).items():
        counts = Counter(people.values())
        if len(counts) > 1:
            minority = 1 - max(counts.values()) / counts.total()
            told = ", ".join(f"{value} {counts[value]}" for value in sorted(counts))
            row: Row = {"query_id": pair[0], "item_id": pair[1], "people": counts.total()}
            found.append(row | {"minority": minority, "values": told})
    keys = ("query_id", "item_id")
    found.sort(key=lambda row: (-row["minority"], -row["people"], *(row[key] for key in keys)))
    return found


def list_undecided(rows: Sequence[Verdict]) -> list[Row]:
    """Return the rows of `list_disagreements` on which nobody has decided."""
    decided = {row.pair for row in keep_last(row for row in rows if row.kind == DECISION)}
    found = list_disagreements(rows)
    return [row for row in found if (row["query_id"], row["item_id"]) not in decided]


def keep_there(found: Sequence[Row], collection: Collection) -> list[Row]:
    """Return the disagreements on pairs that a collection still has."""
    return [row for row in found if has_pair(collection, (row["query_id"], row["item_id"]))]
