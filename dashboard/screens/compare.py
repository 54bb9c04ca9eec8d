"""Compare: is the candidate better, by how much, and which queries say so; the worst come first."""

import streamlit as st

from dashboard.evaluation.comparison.changes import bins
from dashboard.views import address, charts, frame, layout, reviews, summary
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import short_label
from dashboard.views.texts import plain

BY_METRIC = (
    "Mean differences over the queries scored in both versions, with 95 % intervals. Coloured: "
    "p < 0.05 after Holm correction over these metrics."
)

view = frame.screen(
    "Compare",
    "Is the candidate better, how sure is that, and which queries?",
    comparing="Compare needs two versions",
)
frame.need(view, "baseline", "candidate", "outcome", "between", "at", "find")
summary.say_faulty_versions(view)
if not summary.comparable(view):
    st.stop()
with frame.beside_title():
    summary.report_link(view)
    summary.copy_as_markdown(view)
summary.verdict(view)
summary.what_corrections_change(view, (view.baseline, view.candidate))
summary.verdicts_by_cause(view)
reviews.estimates_of_pair(view)
summary.no_items(view, (view.baseline, view.candidate))
summary.not_run(view, (view.baseline, view.candidate))

deltas = summary.deltas(view)
title = short_label(view, view.metric)
left, right = st.columns([11, 9], gap="large")
with left:
    chosen = summary.chosen(view, deltas)
    with st.container(horizontal=True, vertical_alignment="center", key="queries-heading"):
        st.header("Queries, worst first", anchor=False, width="content")
        summary.save_queries(view)
    frame.filters(view)
    picked = summary.pick_query(view, chosen, len(deltas))
with right:
    by_metric = summary.comparison(view)
    if not by_metric["delta"].notna().any():
        st.info(plain(summary.nothing_scored(view), None))
    else:
        st.header("Change per query", anchor=False, help="Click a bar to list its queries.")
        layout.chart(
            charts.differences(bins(deltas), title, height=230),
            key="differences",
            on_select=frame.clicked("differences", "between", "low", "high"),
            alt=f"Queries by difference in {title}",
        )
        st.header("Change by metric", anchor=False, help=BY_METRIC)
        layout.chart(
            charts.forest(by_metric),
            alt="Mean difference of each metric with its 95 % interval",
        )
        st.header("Query by query", anchor=False, help="Click a place to list its queries.")
        layout.chart(
            charts.pairs(deltas, view.baseline, view.candidate),
            key="pairs",
            on_select=frame.clicked("pairs", "at", "baseline", "candidate"),
            alt=f"{title} of each query in {view.baseline} and in {view.candidate}",
        )
summary.judged_how(experiment_of(view))
summary.index_notes(experiment_of(view), (view.baseline, view.candidate))
summary.index_cost(view)
summary.identities(view)
if picked:
    st.switch_page("screens/query.py", query_params=address.link(view, query=picked, clip=""))
