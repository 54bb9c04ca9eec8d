"""Agreement of people on what several of them judged, and the pairs on which they do not.

`unsure` is no answer. A figure that is not defined is None, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from dashboard.next.evaluation.differences import replace_nan
from dashboard.next.evaluation.measurement import Row
from dashboard.next.evaluation.statistics import SEED, compute_bootstrap_interval
from dashboard.next.plugins.reviews.verdicts import UNSURE, VERDICT, Verdict, keep_last_of_pairs
from dashboard.next.tables import FloatArray

FEW_PAIRS = 30
"""Pairs below which a figure of agreement says little."""
RESAMPLES = 1_000
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
    """Return rows of COLUMNS: of all people, then Cohen's kappa of each two.

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
    found = [_make_share(people, codes), _make_figure("alpha", people, codes, compute_alpha)]
    for two in combinations(range(len(people)), 2):
        both = codes[:, two][~np.isnan(codes[:, two]).any(axis=1)]
        if len(both):
            found.append(_make_figure("kappa", [people[at] for at in two], both, compute_kappa))
    return found


def _make_share(people: Sequence[str], codes: FloatArray) -> Row:
    same, compared = np.zeros((len(codes), 1)), np.zeros((len(codes), 1))
    for one, other in combinations(codes.T, 2):
        same[:, 0] += one == other
        compared[:, 0] += ~np.isnan(one) & ~np.isnan(other)
    low, high = compute_bootstrap_interval(same, compared)[:, 0].tolist()
    return _make_row("agreement", people, float(same.sum() / compared.sum()), low, high, codes)


def _make_figure(
    measure: str, people: Sequence[str], codes: FloatArray, compute: Callable[[FloatArray], float]
) -> Row:
    drawn = np.random.default_rng(SEED).integers(0, len(codes), (RESAMPLES, len(codes)))
    value, low, high = compute(codes), np.nan, np.nan
    if len(codes) > 1 and not np.isnan(value):
        resampled = np.array([compute(codes[places]) for places in drawn])
        known = resampled[~np.isnan(resampled)]
        if len(known) >= RESAMPLES / 2:
            low, high = np.quantile(known, [0.025, 0.975]).tolist()
    return _make_row(measure, people, value, low, high, codes)


def _make_row(
    measure: str, people: Sequence[str], value: float, low: float, high: float, codes: FloatArray
) -> Row:
    row: Row = {"measure": measure, "people": ", ".join(people), "value": replace_nan(value)}
    row |= {"low": replace_nan(low), "high": replace_nan(high), "pairs": len(codes)}
    why = ONE_VALUE if np.isnan(value) else None
    return row | {"few": len(codes) < FEW_PAIRS, "why": why}


def compute_alpha(codes: FloatArray) -> float:
    """Compute Krippendorff's alpha, NaN if all said the same.

    Args:
        codes: Shape [pairs, people]; NaN for who said nothing.
    """
    import evalica
    import pandas as pd

    found: Any = evalica.alpha(pd.DataFrame(codes.T), distance="nominal")
    return float(found.alpha) if found.expected else float("nan")


def compute_kappa(codes: FloatArray) -> float:
    """Compute Cohen's kappa, NaN if both said the same of all. codes: [pairs, 2]."""
    values = np.unique(codes)
    if len(values) < 2:
        return float("nan")
    first, second = ((codes[:, [at]] == values).mean(axis=0) for at in (0, 1))
    expected = float(first @ second)
    return (float((codes[:, 0] == codes[:, 1]).mean()) - expected) / (1 - expected)


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
