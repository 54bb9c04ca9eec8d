"""What the versions found for one query: the cards first, then the numbers behind them."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.experiment.experiment import Experiment
from dashboard.views import summary
from dashboard.views.cards.grid import draw_grid
from dashboard.views.cards.query_results import results_of
from dashboard.views.cards.rows import row_versions
from dashboard.views.cards.verdicts import draw_verdicts, read_verdicts
from dashboard.views.frame.review import review, similarity
from dashboard.views.frame.steps import open_beside, open_clip, show_missed
from dashboard.views.view import View


def what_was_found(view: View, experiment: Experiment, query_id: str) -> None:
    """Draw one query with the results of each version, and how its values come about."""
    versions = row_versions(view)
    results = results_of(experiment, query_id, versions)
    values = summary.values(view, results)
    summary.describe(view, results)
    review(view)
    verdicts = read_verdicts(results)
    with st.container(key="found"):
        draw_grid(
            results,
            view,
            summary.in_front(view, values),
            verdicts,
            on_open=partial(open_clip, view.query),
            on_beside=partial(open_beside, view.query),
            on_missed=partial(show_missed, view.query),
        )
    if verdicts is not None:
        draw_verdicts(results, verdicts)
    summary.values_table(view, values)
    summary.explained(view, experiment, query_id, versions)
    similarity(view, results)
