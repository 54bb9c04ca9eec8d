"""Search: type a text, choose an item or upload a picture, and see what each version finds."""

import streamlit as st

from dashboard.experiment import judging
from dashboard.experiment.collection import collections
from dashboard.experiment.experiment import TYPED
from dashboard.views import frame, summary
from dashboard.views.experiments import experiment_of

view = frame.screen(
    "Search",
    "What does each version find for a text, an item or a picture?",
    comparing="Search needs a version",
    stored=False,
    headed=False,
)
frame.need(view, "baseline", "candidate", "text", "item", "columns", "also", "differing", "beside")
if view.baseline == view.candidate:
    summary.say_faulty_versions(view)
if not frame.search_form(view):
    st.stop()
experiment = experiment_of(view, live=True)
if judging.needs_text_model(experiment) and collections.text_model() != "ready":
    frame.wait_for_text_model()
    st.stop()
frame.show_results(view, experiment, TYPED)
