"""Means with their bounds over ties, which both the curves and the numbers of each version show."""

from __future__ import annotations

import pandas as pd

from dashboard.experiment import measuring
from dashboard.views import summary
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of


def bounded(view: View, known: pd.DataFrame, metrics: str) -> pd.DataFrame:
    """A row a version and metric, with the method and the bits of `known`: mean, worst, best.

    Raises ValueError where a metric's bounds over the orders of ties are not known.
    """
    experiment = experiment_of(view)
    table = measuring.tie_bounds(
        experiment, tuple(known["run"]), metrics, summary.selected(view, experiment)
    )
    return table.merge(known, on="run")


def torn(table: pd.DataFrame) -> str:
    """Where no bounds are known, in a sentence."""
    unknown = table.loc[table["mean"].notna() & table["worst"].isna(), "run"]
    if unknown.empty:
        return ""
    return (
        " No bounds where rankings are cut within ties to fit in memory: "
        f"{', '.join(dict.fromkeys(unknown))}."
    )
