"""Compare: is the candidate better, by how much, and which queries say so; the worst come first."""

import streamlit as st

from dashboard.views import address, charts, controls, summary
from dashboard.views.choices import OUTCOMES
from dashboard.views.labels import short_label

view = controls.screen(
    "Compare", "Is the candidate better, how sure is that, and which queries say so?"
)
controls.need(view, "baseline", "candidate", "outcome")
summary.verdict(view)
if view.baseline == view.candidate:
    st.stop()

deltas = summary.deltas(view)
title = short_label(view, view.metric)
left, right = st.columns(2, gap="large")
with left:
    st.subheader("Every metric", anchor=False)
    st.altair_chart(
        charts.forest(summary.comparison(view)),
        alt="Mean difference of each metric with its 95 % interval",
    )
    st.caption(
        "Mean differences over the queries scored in both versions, with 95 % intervals. "
        "An interval that crosses zero shows no clear difference."
    )
with right:
    st.subheader("Every query", anchor=False)
    st.altair_chart(charts.differences(deltas, title), alt=f"Queries by difference in {title}")

st.subheader("Queries, worst first", anchor=False)
controls.segments("Show queries that are", "outcome", OUTCOMES, view)
chosen = deltas if view.outcome == "all" else deltas[deltas["outcome"] == view.outcome]
if chosen.empty:
    st.info("There is no such query here.")
    st.stop()
picked = st.dataframe(
    summary.readable(chosen, view),
    key="queries-by-difference",
    hide_index=True,
    on_select="rerun",
    selection_mode="single-row",
    column_config=summary.COLUMNS,
)
st.caption("Tick a row on its left to see the results behind its numbers.")
if picked["selection"]["rows"]:
    query_id = chosen["query_id"].iloc[picked["selection"]["rows"][0]]
    st.switch_page("screens/query.py", query_params=address.link(view, query=query_id, clip=""))
