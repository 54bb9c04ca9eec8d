"""Single queries that are known to be right, or known to fail: a file that a team keeps."""

from __future__ import annotations

import pandas as pd

from dashboard.commands.gate.checks import Check, Outcome
from dashboard.evaluation.comparison.compare import SAME
from dashboard.evaluation.digits import number
from dashboard.experiment.plain_files import KnownQueries


def check_known_queries(
    measurements: pd.DataFrame, candidate: str, known: KnownQueries
) -> list[Check]:
    """A good query must have at least its value; one that is known to fail must still fail.

    A query that is not measured cannot be decided.
    """
    mine = measurements[measurements["run"] == candidate]
    keys = zip(mine["query_id"], mine["metric"], mine["cutoff"].fillna(-1), strict=True)
    values = dict(zip(keys, mine["value"], strict=True))
    checks = []
    for (line, row), measure in zip(known.rows.iterrows(), known.measures, strict=True):
        key = (row["query_id"], measure.name, measure.cutoff or -1)
        name = f"{row['query_id'][:80]} {measure} at least {row['least']:g} ({row['status']})"
        if key in values:
            checks.append(Check("query", name, *_checked(values[key], row["least"], row["status"])))
        else:
            said = (
                f"no such query is measured here ({known.file}, line {line}): correct or remove it"
            )
            checks.append(Check("query", name, "undecided", said))
    return checks


def _checked(value: float, least: float, status: str) -> tuple[Outcome, str]:
    reached = bool(value >= least - SAME)  # a null reaches nothing
    has = "not scored" if pd.isna(value) else number(value)
    if status == "good":
        return ("passed", has) if reached else ("failed", f"{has}; it was known to be good")
    if reached:
        return "failed", f"{has}; it was known to fail and passes now: promote it to good"
    return "passed", f"{has}; fails as it is known to"
