"""Is the candidate better than the baseline, how sure is that, and which queries show it?"""

import numpy as np
import streamlit as st

from dashboard.next.evaluation.compare import describe_difference, list_differences
from dashboard.next.evaluation.metrics import Measure, parse_one
from dashboard.next.views.address import escape_markdown
from dashboard.next.views.charts import draw_differences, draw_intervals
from dashboard.next.views.frame import open_page, open_query

study, choices = open_page("baseline", "candidate", "metrics", "metric")
baseline, candidate, metric = choices["baseline"], choices["candidate"], choices["metric"]

rows = [
    {"name": str(Measure(row["metric"], row["cutoff"]))} | row
    for row in study.compare(baseline, candidate, choices["metrics"])
]
front = parse_one(metric)
row = next((each for each in rows if each["name"] == str(front)), None)
if row is None:  # the metric of the lists is not among those compared
    (row,) = study.compare(baseline, candidate, metric)
st.subheader(escape_markdown(describe_difference(row, metric, baseline, candidate)))
columns = ["name", "baseline", "candidate", "delta", "low", "high", "p", "p_holm"]
columns += ["better", "same", "worse", "scored", "total"]
st.dataframe([{name: row[name] for name in columns} for row in rows], hide_index=True)
st.caption(
    "Interval: bootstrap, queries of one scene drawn together. p: randomisation test; p_holm: "
    "corrected by Holm over the metrics shown."
)
st.altair_chart(draw_intervals([row for row in rows if row["low"] is not None]))

st.subheader("Queries")
values = [study.values(version, metric) for version in (baseline, candidate)]
delta, order = list_differences(*values)
queries, table = study.queries, study.collection.queries
differences = [
    {"query_id": table.ids[q], "text": table["text"][q] or table["item_id"][q], "delta": d}
    for q, d in zip(queries[order].tolist(), delta[order].tolist(), strict=True)
    if not np.isnan(d)
]
event = st.altair_chart(draw_differences(differences, metric), on_select="rerun", key="differences")
st.caption("Click a bar to open the query.")
if picked := event.selection.get("pick"):
    open_query(choices, picked[0]["query_id"])
