"""What a row of a comparison means: better, worse or unclear, in a clause and in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dashboard.evaluation.comparison.scores import written
from dashboard.evaluation.digits import SIGNIFICANT, chance_in_words, signed
from dashboard.tables import counted

__all__ = ["SIGNIFICANT", "claim", "direction", "verdict"]


def direction(row: Mapping[str, Any] | pd.Series) -> str:
    """Which way a row of `compare` points: better, worse or unclear.

    It is unclear where p, corrected for the measures shown, is 0.05 or more, or null.
    """
    p = row.get("p_holm", row["p"])
    if pd.isna(p) or not p < SIGNIFICANT:
        return "unclear"
    return "better" if row["delta"] > 0 else "worse"


def claim(row: Mapping[str, Any] | pd.Series, baseline: str, candidate: str) -> str:
    """What one row of `compare` says about two versions, in a clause without numbers."""
    if pd.isna(row["p"]):
        return f"{candidate} and {baseline} cannot be told apart"
    if row["better"] == 0 and row["worse"] == 0:
        return f"No difference between {candidate} and {baseline}"
    if direction(row) == "unclear":
        return f"No clear difference between {candidate} and {baseline}"
    return f"{candidate} is {direction(row)} than {baseline}"


def verdict(
    row: Mapping[str, Any] | pd.Series, baseline: str, candidate: str, label: str | None = None
) -> str:
    """One row of `compare` as a sentence: is it real, by how much, on how many queries.

    `label` is how a protocol shows the metric; without it the field's name is written. "Better" and
    "worse" are said only where p, corrected for the measures shown, is below 0.05.
    """
    cutoff = None if pd.isna(row["cutoff"]) else int(row["cutoff"])
    name = label or written(str(row["metric"]), cutoff)
    what = f"{claim(row, baseline, candidate)} at {name}"
    if pd.isna(row["p"]):
        return f"{what}: {_too_little(row)}"
    tail = f"{_chance(row)}, {row['scored']:,} of {_queries(row['total'])} scored"
    if row["better"] == 0 and row["worse"] == 0:
        return f"{what}: {tail}, all the same"
    counts = f"{row['better']:,} better, {row['same']:,} same, {row['worse']:,} worse"
    found = f"{_difference(row)}, {tail}: {counts}"
    return f"{what}: {found}" if direction(row) == "unclear" else f"{what} by {found}"


def _too_little(row: Mapping[str, Any] | pd.Series) -> str:
    """Why there is no p."""
    if row["scored"] == 0:
        return f"none of {_queries(row['total'])} is scored in both"
    if row["scored"] == 1:
        of = f"of {_queries(row['total'])} one is scored in both ({signed(row['delta'])})"
        return f"{of}, and a test needs two"
    alike = f"all {row['scored']:,} scored queries of {row['total']:,} belong together"
    return f"{alike}, and a test needs two groups"


def _difference(row: Mapping[str, Any] | pd.Series) -> str:
    return f"{signed(row['delta'])} [{signed(row['low'])}, {signed(row['high'])}]"


def _chance(row: Mapping[str, Any] | pd.Series) -> str:
    said = f"{chance_in_words(row['p'])} ({row['method']})"
    if row.get("tests", 1) > 1:
        said += f", {chance_in_words(row['p_holm'])} after Holm over {row['tests']} tests"
    return said


def _queries(number: int) -> str:
    return counted(number, "query", "queries")
