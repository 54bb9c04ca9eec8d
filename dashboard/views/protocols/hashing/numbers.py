"""Each version of codes in numbers: the metric in front, and the look-up within a radius."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.evaluation.binary_codes import USUAL
from dashboard.evaluation.digits import number
from dashboard.experiment import measuring
from dashboard.views import layout, summary
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import short_label
from dashboard.views.protocols.hashing.shared import bounded, torn
from dashboard.views.texts import plain, shown

_LOOK_UP = {
    f"Precision within radius {USUAL}": "precision",
    "Precision of queries with results": "precision_found",
    "Queries with results": "found",
    "Results, mean": "items",
    f"Recall within radius {USUAL}": "recall",
}


def numbers(view: View, known: pd.DataFrame, near: pd.DataFrame) -> None:
    """The metric in front with its bounds over ties, and the look-up, a row a version."""
    table, said = _means(view, known)
    drawn = pd.DataFrame(
        {
            "Version": table["run"].map(shown),
            short_label(view, view.metric): table["mean"],
            "lower bound": table["worst"],
            "upper bound": table["best"],
            "Queries scored": table["scored"],
        }
    )
    if len(near):
        within = near[near["radius"] == USUAL].set_index("run").reindex(table["run"])
        for name, column in _LOOK_UP.items():
            drawn[name] = within[column].to_numpy()
    with st.expander("Numbers per version"):
        floats = [str(name) for name in drawn if pd.api.types.is_float_dtype(drawn[name])]
        layout.rows(drawn, dict.fromkeys(floats, number), hide_index=True)
        if said:
            st.caption(plain(said, None))


def _means(view: View, known: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The means of the metric in front, with their bounds, and in words where none are known."""
    try:
        table = bounded(view, known, view.metric)
    except ValueError:
        experiment = experiment_of(view)
        means = measuring.means(
            experiment, view.runs, view.metric, summary.selected(view, experiment)
        )
        front = short_label(view, view.metric)
        unknown = f"Bounds over ties are not available for {front}."
        return means.assign(worst=float("nan"), best=float("nan")), unknown
    return table, torn(table).strip()
