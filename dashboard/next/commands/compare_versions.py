"""`compare`: a candidate against a baseline, with intervals and tests."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from dashboard.next.commands.options import FINE, FOUND, add_choices, add_collection, open_study_of

HELP = "a candidate against a baseline, with intervals and tests"
COLUMNS = (
    "metric", "cutoff", "baseline", "candidate", "delta", "low", "high", "p",
    "scored", "total", "better", "same", "worse", "p_holm",
)  # fmt: skip


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser, files=True)
    add_choices(parser, "baseline", "candidate", "metrics")


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Return a row a metric; the code is 1 if one regressed, or one that was named has no value.

    A metric regressed if the interval of its difference lies below 0, or, where all queries differ
    alike and there is none, if the difference is clear and negative.
    """
    from dashboard.next.evaluation.metrics import Measure

    study, choices = open_study_of(call)
    if choices["baseline"] == choices["candidate"]:
        name = choices["candidate"]
        print(f"note: baseline and candidate are both {name!r}; name two versions", file=sys.stderr)
    rows = study.compare(choices["baseline"], choices["candidate"], choices["metrics"])
    silent = [row for row in rows if not row["scored"]]
    for row in silent:
        name = Measure(row["metric"], row["cutoff"])
        print(f"note: {name}: no query is scored in both versions", file=sys.stderr)
    is_silent = bool(silent) and (bool(call.metrics) or len(silent) == len(rows))
    has_regressed = any(map(_is_regression, rows))
    return rows, COLUMNS, FOUND if has_regressed or is_silent else FINE


def _is_regression(row: dict[str, Any]) -> bool:
    from dashboard.next.evaluation.differences import SIGNIFICANT

    if row["high"] is not None:
        return bool(row["high"] < 0)
    return row["p"] is not None and row["p"] < SIGNIFICANT and row["delta"] < 0
