"""Single queries that are known to be right, or known to fail: a file that a team keeps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dashboard.commands.gate.checks import Check, Outcome
from dashboard.evaluation.comparison.compare import SAME
from dashboard.evaluation.digits import number
from dashboard.evaluation.metrics.registry import Measure, measure
from dashboard.storage.files.tables import read_table
from dashboard.tables import DataError, Table

KNOWN = Table(
    "known",
    {"query_id": "text", "metric": "text", "least": "number", "status": "text"},
    key=("query_id", "metric"),
)
STATUS = ("good", "fails")


@dataclass(frozen=True, eq=False)
class Known:
    """The table KNOWN, its index the line in the file, and the measure of each row."""

    file: str
    rows: pd.DataFrame
    measures: tuple[Measure, ...]


def read_known(path: Path) -> Known:
    """What a team knows of single queries.

    Raises DataError with its line for an unknown metric or status.
    """
    known = read_table(path, KNOWN)
    measures = []
    for line, row in zip(known.index, known.to_dict("records"), strict=True):
        if row["status"] not in STATUS:
            found = f"the status {row['status'][:80]!r}"
            raise DataError(path.name, found, " or ".join(STATUS), line=int(line))
        try:
            measures.append(measure(row["metric"]))
        except ValueError as problem:
            found = f"the metric {row['metric'][:80]!r}"
            raise DataError(path.name, found, str(problem).rstrip("."), line=int(line)) from problem
    return Known(path.name, known, tuple(measures))


def check_known(measurements: pd.DataFrame, candidate: str, known: Known) -> list[Check]:
    """A good query must keep at least its value; one that fails must still fail, strictly.

    One that was not asked at all cannot be decided.
    """
    mine = measurements[measurements["run"] == candidate]
    keys = zip(mine["query_id"], mine["metric"], mine["cutoff"].fillna(-1), strict=True)
    values = dict(zip(keys, mine["value"], strict=True))
    checks = []
    for (line, row), asked in zip(known.rows.iterrows(), known.measures, strict=True):
        key = (row["query_id"], asked.name, asked.cutoff or -1)
        name = f"{row['query_id'][:80]} {asked} at least {row['least']:g} ({row['status']})"
        if key in values:
            checks.append(Check("query", name, *_checked(values[key], row["least"], row["status"])))
        else:
            said = f"no such query is asked here ({known.file}, line {line}): correct or remove it"
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
