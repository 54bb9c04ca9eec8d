"""Whether metrics fell by more than chance explains: over all queries, and slice by slice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from dashboard.commands.gate.conditions import Condition
from dashboard.evaluation.comparison.scores import Scores, scores
from dashboard.evaluation.digits import chance_in_words, signed
from dashboard.evaluation.statistics.paired import holm
from dashboard.evaluation.statistics.resampling import bootstrap_interval, randomisation_p
from dashboard.tables import counted

Outcome = Literal["passed", "failed", "undecided", "small"]
BREAKS: tuple[Outcome, ...] = ("failed", "undecided")
LEAST = 10
"""A slice with fewer scored queries, or all of one scene, is reported and never fails."""
SIGNIFICANT = 0.05
WHOLE_RULE = "fails where the 95 % interval of the difference lies entirely below the limit"
SLICE_RULE = (
    f"fails where the 95 % interval lies entirely below the limit and p against the limit, by "
    f"Holm over all slices of {LEAST} or more scored queries, is below {SIGNIFICANT:g}"
)
Groups = Mapping[str, str] | None


@dataclass(frozen=True)
class Check:
    """One check of the gate: its name, its outcome, and the reason in a sentence."""

    kind: Literal["versions", "metric", "slice", "query"]
    name: str
    outcome: Outcome
    reason: str

    @property
    def breaks(self) -> bool:
        """Whether the gate fails by this check; one that cannot be decided fails, too."""
        return self.outcome in BREAKS


def check_whole(
    measurements: pd.DataFrame,
    baseline: str,
    candidate: str,
    limits: Iterable[Condition],
    groups: Groups = None,
) -> list[Check]:
    """A check for each condition, over all queries that are scored in both versions.

    groups (query_id → group): queries that are drawn together.
    """
    table = scores(measurements)
    checks = []
    for condition in limits:
        column = _differences(table, baseline, candidate, condition)[:, None]
        low, high = bootstrap_interval(column, groups=table.grouped(groups))
        number = int((~np.isnan(column)).sum())
        said = _in_words(column[:, 0], low[0], high[0])
        if np.isnan(high[0]):
            both = counted(number, "query", "queries")
            why = f"{both} scored in both versions; an interval needs two groups"
            checks.append(Check("metric", str(condition), "undecided", why))
        else:
            fell = high[0] < condition.limit
            checks.append(Check("metric", str(condition), "failed" if fell else "passed", said))
    return checks


def check_slices(
    measurements: pd.DataFrame,
    baseline: str,
    candidate: str,
    limits: Iterable[Condition],
    slices: pd.DataFrame,
    groups: Groups = None,
) -> list[Check]:
    """A check for each condition and slice (query_id, by, slice); small slices never fail."""
    table = scores(measurements)
    names, inside = _members(table.query_ids, slices)
    codes = table.grouped(groups)
    checks = []
    for condition in limits:
        delta = _differences(table, baseline, candidate, condition)
        columns = np.where(inside, delta[:, None], np.nan)
        low, high = bootstrap_interval(columns, groups=codes)
        p, _ = randomisation_p(columns - condition.limit, groups=codes)
        enough = (~np.isnan(columns)).sum(axis=0) >= LEAST
        corrected = holm(np.where(enough, p, np.nan))
        for at, (by, name) in enumerate(names):
            said = _in_words(columns[:, at], low[at], high[at])
            title = f"{condition} where {by} is {name}"
            checks.append(_slice(title, said, condition.limit, high[at], corrected[at]))
    return checks


def _slice(title: str, said: str, limit: float, high: float, p: float) -> Check:
    """The check of one slice; p is null where it is small or all of one scene."""
    if np.isnan(p):
        return Check("slice", title, "small", said)
    outcome: Outcome = "failed" if high < limit and p < SIGNIFICANT else "passed"
    return Check(
        "slice", title, outcome, f"{said}, {chance_in_words(p)} against {limit:g} after Holm"
    )


def _differences(
    table: Scores, baseline: str, candidate: str, condition: Condition
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Candidate minus baseline of each query, NaN where either is null. [Q]"""
    values = table.column(condition.measure.name, condition.measure.cutoff)
    return np.round(values[:, table.place(candidate)] - values[:, table.place(baseline)], 12)


def _members(
    query_ids: Sequence[str], slices: pd.DataFrame
) -> tuple[list[tuple[str, str]], np.ndarray[Any, np.dtype[np.bool_]]]:
    """The slices by name, and which query is in which. [Q, S]"""
    known = slices[slices["query_id"].isin(list(query_ids))]
    known = known.iloc[pd.factorize(known["by"])[0].argsort(kind="stable")]
    parts = {
        (str(by), str(name)): part["query_id"]
        for (by, name), part in known.groupby(["by", "slice"], sort=False)
    }
    index = pd.Index(list(query_ids))
    inside = np.zeros((len(index), len(parts)), dtype=bool)
    for place, part in enumerate(parts.values()):
        inside[index.get_indexer(pd.Index(part)), place] = True
    return list(parts), inside


def _in_words(column: np.ndarray[Any, Any], low: float, high: float) -> str:
    known = column[~np.isnan(column)]
    if not len(known):
        return "no query is scored in both versions"
    interval = "no interval" if np.isnan(low) else f"95 % from {signed(low)} to {signed(high)}"
    return f"{signed(known.mean())}, {interval}, {counted(len(known), 'query', 'queries')}"
