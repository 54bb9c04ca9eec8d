"""`compare`: a candidate against a baseline, with intervals and tests."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from dashboard.next.commands.options import FINE, add_choices, add_collection, open_study_of

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
    """Return a row a metric."""
    study, choices = open_study_of(call)
    rows = study.compare(choices["baseline"], choices["candidate"], choices["metrics"])
    return rows, COLUMNS, FINE
