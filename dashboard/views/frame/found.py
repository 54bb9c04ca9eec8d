"""What the versions found for one query: the cards first, then the numbers behind them."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.experiment.experiment import Experiment
from dashboard.views import summary
from dashboard.views.cards import results, said
from dashboard.views.frame.review import review, similarity
from dashboard.views.frame.steps import open_beside, open_clip, show_missed
from dashboard.views.view import View


def what_was_found(view: View, experiment: Experiment, query_id: str) -> None:
    """Draw one query with the results of each version, and how its values come about."""
    versions = results.versions(view)
    found = results.find(experiment, query_id, versions)
    values = summary.values(view, found)
    summary.describe(view, found)
    review(view)
    spoken = said.read(found)
    with st.container(key="found"):
        results.draw(
            found,
            view,
            summary.in_front(view, values),
            spoken,
            on_open=partial(open_clip, view.query),
            on_beside=partial(open_beside, view.query),
            on_missed=partial(show_missed, view.query),
        )
    if spoken is not None:
        said.below(found, spoken)
    summary.values_table(view, values)
    summary.explained(view, experiment, query_id, versions)
    similarity(view, found)
