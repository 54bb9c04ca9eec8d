"""What a reader takes away from the comparison: a report as one file, and its tables."""

from __future__ import annotations

from datetime import date

import pandas as pd
import streamlit as st

from dashboard.evaluation.metrics.registry import parse
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of
from dashboard.views.report import Comparison, report
from dashboard.views.report.exports import as_csv, as_json
from dashboard.views.summary.measurements import metrics_in_view, selected


def hand_over(view: View, queries: pd.DataFrame) -> None:
    """Buttons that save the report on this comparison, and its queries as CSV and JSON.

    The report is made when its button is pressed; the tables are ready before, as in
    `views.protocols.tables`.
    """
    name = f"{view.collection}-{view.candidate}-against-{view.baseline}"
    with st.container(horizontal=True):
        st.download_button(
            "Report",
            lambda: _report(view).encode(),
            file_name=f"{name}.html",
            mime="text/html",
            icon=":material/description:",
            help="One HTML file that opens offline.",
            on_click="ignore",
        )
        for kind, written in (("CSV", as_csv), ("JSON", as_json)):
            st.download_button(
                f"Queries as {kind}",
                written(queries).encode(),
                file_name=f"{name}-queries.{kind.lower()}",
                icon=":material/download:",
                on_click="ignore",
            )


def _report(view: View) -> str:
    return report(_comparison(view)).html


def _comparison(view: View) -> Comparison:
    """The comparison in view for a report, with the numbers that the screen shows."""
    experiment = experiment_of(view)
    return Comparison(
        experiment,
        view.baseline,
        view.candidate,
        parse(" ".join(metrics_in_view(view))),
        parse(view.metric)[0],
        date.today().isoformat(),
        names=view.names,
        only=selected(view, experiment),
        part=view.slice,
    )
