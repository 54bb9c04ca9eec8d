"""What a row of a comparison means, in one sentence that a person can repeat."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, log10
from typing import Any

import pandas as pd

from dashboard.evaluation.scores import written

SIGNIFICANT = 0.05


def verdict(
    row: Mapping[str, Any] | pd.Series, baseline: str, candidate: str, label: str | None = None
) -> str:
    """One row of `compare` as a sentence: is it real, by how much, on how many queries.

    `label` is how a protocol shows the metric; without it the field's name is written. "Better" and
    "worse" are said only where p, corrected for the measures shown, is below 0.05.
    """
    cutoff = None if pd.isna(row["cutoff"]) else int(row["cutoff"])
    name = label or written(str(row["metric"]), cutoff)
    scored, total = int(row["scored"]), int(row["total"])
    if scored == 0:
        return (
            f"{candidate} and {baseline} cannot be compared at {name}: "
            f"none of {_queries(total)} is scored in both"
        )
    if scored == 1:
        return (
            f"{candidate} and {baseline} cannot be told apart at {name}: of {_queries(total)} one "
            f"is scored in both ({row['delta']:+.2f}), and a test needs two"
        )
    if pd.isna(row["p"]):
        return (
            f"{candidate} and {baseline} cannot be told apart at {name}: "
            f"all {scored} scored queries of {total} belong together, and a test needs two groups"
        )
    tail = f"{_chance(row)}, {scored} of {_queries(total)} scored"
    if row["better"] == 0 and row["worse"] == 0:
        return f"No difference between {candidate} and {baseline} at {name}: {tail}, all the same"
    counts = f"{row['better']} better, {row['same']} same, {row['worse']} worse"
    found = f"{_difference(row)}, {tail}: {counts}"
    if row.get("p_holm", row["p"]) >= SIGNIFICANT:
        return f"No clear difference between {candidate} and {baseline} at {name}: {found}"
    word = "better" if row["delta"] > 0 else "worse"
    return f"{candidate} is {word} than {baseline} at {name} by {found}"


def _difference(row: Mapping[str, Any] | pd.Series) -> str:
    width = float(row["high"] - row["low"])
    places = min(6, max(2, 1 + ceil(-log10(width)))) if width > 0 else 2
    return f"{row['delta']:+.{places}f} [{row['low']:+.{places}f}, {row['high']:+.{places}f}]"


def _chance(row: Mapping[str, Any] | pd.Series) -> str:
    said = f"p {_number(row['p'])} ({row['method']})"
    if row.get("tests", 1) > 1:
        said += f", p {_number(row['p_holm'])} after Holm over {row['tests']} tests"
    return said


def _number(p: float) -> str:
    return "< 0.0001" if p < 0.9e-4 else f"= {p:.2g}"


def _queries(number: int) -> str:
    return "1 query" if number == 1 else f"{number:,} queries"
