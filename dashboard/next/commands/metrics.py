"""`metrics`: every metric with its formula and source."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from dashboard.next.commands.options import FINE

HELP = "every metric with its formula and source"
COLUMNS = ("metric", "formula", "source", "summary")


def add_arguments(parser: ArgumentParser) -> None:
    """Add no arguments."""


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Return a row a metric, under its name with the usual setting and `@K` where it takes one."""
    from dashboard.next.evaluation.metrics import METRICS

    rows = []
    for entry in METRICS.values():
        name = entry.name if entry.setting is None else f"{entry.name}({entry.setting:g})"
        cutoff = {"required": "@K", "optional": "[@K]", "never": ""}[entry.cutoff]
        row = {"metric": name + cutoff, "formula": entry.formula}
        rows.append(row | {"source": entry.source, "summary": entry.summary})
    return rows, COLUMNS, FINE
