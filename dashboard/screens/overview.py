"""Overview: versions by metrics, curves over K, and the keywords that make a difference."""

import streamlit as st

from dashboard.experiment.collection import collections
from dashboard.tables import counted
from dashboard.views import charts, frame, layout, protocols, summary
from dashboard.views.experiments import experiment_of, versions_of
from dashboard.views.labels import group_name, short_label
from dashboard.views.texts import plain

view = frame.screen("Overview", "How good is each version, and is the candidate better?")
frame.need(view, "baseline", "candidate", "runs")
collection = collections.opened(view.collection)
if not versions_of(view):
    protocols.without_versions(view)
    st.stop()
ways = {
    v: w
    for v, w in charts.version_ways(versions_of(view), view.baseline, view.candidate).items()
    if v in view.runs
}

summary.collection_line(view)
summary.problems(collection)
comparable = summary.comparable(view)
summary.measure_together(view)
if comparable:
    with frame.beside_title():
        summary.copy_as_markdown(view)
    summary.verdict(view)
summary.what_corrections_change(view, view.runs)
st.header("Versions by metrics", anchor=False)
summary.versions_by_metrics(view)
summary.no_items(view, view.runs)
summary.not_run(view, view.runs)
summary.judged_how(experiment_of(view))
summary.index_notes(experiment_of(view), view.runs)
summary.how_judged(view)
if again := charts.colours_again(versions_of(view)):
    st.caption(again)
protocols.overview(view)

means, title = summary.over_k(view)
by_keyword = summary.by_keyword(view)
few = len(view.runs) <= 4  # a table with a column for each place fits beside the curves
left, right = st.columns(2, gap="large") if few else (st.container(), st.container())
with left:
    st.header(f"{plain(title)} over K", anchor=False)
    if means["mean"].notna().any():
        layout.chart(charts.curves(means, ways), alt=f"Mean {title} over K, one line per version")
    else:
        st.info("No query is scored, so there is no curve to draw.")
    if (grey := len(ways) - charts.FEW) > 0:
        st.caption(f"Grey: {counted(grey, 'other version')}. Point at a line to see its name.")
with right:
    if len(view.runs) > 1:
        summary.order(view)
if groups := summary.groups_of(view, by_keyword):
    front = short_label(view, view.metric)
    with layout.section(summary.keywords_in_words(view, by_keyword), "keywords") as part:
        columns = st.columns(2, gap="large")
        for place, group in enumerate(groups if part.open else ()):
            with columns[place % 2]:
                layout.chart(
                    charts.keyword_bars(by_keyword[by_keyword["group"] == group], ways),
                    alt=f"Mean {front} for each {group_name(group)} in the queries",
                )
        which = ("", " The baseline, the candidate and the best.")[len(ways) > charts.FEW]
        st.caption(f"In brackets: number of scored queries. Pale: fewer than five.{which}")
if len(view.runs) > 1:
    summary.every_pair(view)
summary.notes(collection.findings)
