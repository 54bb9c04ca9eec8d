"""Overview: versions by metrics, curves over K, and the keywords that make a difference."""

import streamlit as st

from dashboard.views import cached, charts, controls, summary
from dashboard.views.labels import group_name, label

view = controls.screen("Overview", "How good is each version, and is the candidate better?")
controls.need(view, "baseline", "candidate", "runs")
collection = cached.opened(view.collection)
colours = {v: c for v, c in charts.version_colours(collection.versions).items() if v in view.runs}

summary.collection_line(collection)
summary.verdict(view)
st.subheader("Versions by metrics", anchor=False)
summary.versions_by_metrics(view)

left, right = st.columns(2, gap="large")
with left:
    st.subheader("Over K", anchor=False)
    means, title = summary.over_k(view)
    st.altair_chart(charts.curves(means, colours, title), alt=f"Mean {title}, a line a version")
with right:
    st.subheader("By keyword asked for", anchor=False)
    means = summary.by_keyword(view)
    for group in [g for g in collection.groups if g in set(means["group"])]:
        st.caption(group_name(group))
        st.altair_chart(
            charts.keyword_bars(means[means["group"] == group], colours, label(view, view.metric)),
            alt=f"Mean {view.metric} for each {group_name(group)} asked for",
        )
    st.caption("In brackets: scored queries. Pale bars rest on fewer than five.")
summary.findings(collection)
