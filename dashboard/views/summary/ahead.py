"""The numbers of a screen computed before it is drawn, with a word for whoever waits for them."""

from __future__ import annotations

import streamlit as st

from dashboard.experiment import judging, measuring
from dashboard.views.experiments import experiment_of
from dashboard.views.summary.measured import (
    comparison,
    measured,
    metrics_in_view,
    over_k,
    selected,
)
from dashboard.views.view import View

MANY = 2_000
"""So many queries may take longer than a blink; remembered numbers come at once."""


def measure_ahead(view: View) -> None:
    """Measure what the Overview shows; of many queries it is said that this is being done.

    The word stands where the numbers will: nothing jumps when it goes.
    """
    experiment = experiment_of(view)
    number = len(judging.queries(experiment))
    if number < MANY:
        return
    with st.spinner(f"Measuring {number:,} queries …"):
        measured(view, view.runs, " ".join(metrics_in_view(view)))
        over_k(view)
        if view.baseline != view.candidate:
            comparison(view)
        if len(view.runs) > 1:
            measuring.stability(experiment, view.runs, view.metric, selected(view, experiment))
