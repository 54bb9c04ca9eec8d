"""Query: one query, its keywords, and what each version found, ticked keyword by keyword."""

import streamlit as st

from dashboard.experiment import judging
from dashboard.experiment.collection import collections
from dashboard.views import frame, protocols, summary
from dashboard.views.experiments import experiment_of, versions_of

NEEDED = "baseline candidate query outcome between at find columns also differing beside"

view = frame.screen(
    "Query", "What did each version find, and what of it is relevant?", headed=False
)
frame.need(view, *NEEDED.split())
if not versions_of(view):
    protocols.query_without_versions(view)
    st.stop()
if view.baseline == view.candidate:
    summary.say_faulty_versions(view)

experiment = experiment_of(view)
order = summary.chosen(view, summary.deltas(view))
narrowed = frame.narrowed(view, len(order))
if order.empty and not view.query:
    if not narrowed:
        st.info("No query in this slice. Choose other queries or another slice on the left.")
    st.stop()
query_id = view.query or order["query_id"].iloc[0]
frame.show_query(view, query_id)
if not judging.is_query(experiment, query_id):
    kinds = collections.words(collections.opened(view.collection)).queries
    st.warning(
        f"This query is not one of the {kinds[view.queries].lower()}. Choose others on the left."
    )
    st.stop()

frame.show_results(view, experiment, query_id, frame.ordered(view, query_id, order))
protocols.query(view, query_id)
