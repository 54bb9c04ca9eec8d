"""Slices: where each version is better or worse; a slice leads to its queries."""

import streamlit as st

from dashboard.experiment import measuring
from dashboard.experiment.collection import collections
from dashboard.views import address, charts, frame, layout, summary
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import group_name, short_label
from dashboard.views.texts import plain

view = frame.screen(
    "Slices",
    "On which kinds of queries is the candidate better or worse?",
    comparing="Slices needs two versions",
)
frame.need(view, "baseline", "candidate", "runs", "by")
opened = collections.opened(view.collection)

ways = {by: group_name(by) for by in measuring.slices_of(opened)}
with layout.buttons(ways.values(), "by"):
    frame.segments("Slice by", "by", ways, view)
summary.say_faulty_versions(view)
if not summary.comparable(view):
    st.stop()
experiment = experiment_of(view)
versions = tuple(dict.fromkeys([*view.runs, view.baseline, view.candidate]))
only = summary.selected(view, experiment)
means = measuring.slice_means(experiment, versions, view.baseline, view.metric, view.by, only)
parts = summary.without_unlike(view, means[means["by"] != "all"])
if parts.empty:
    st.info("These queries have no such slices. Slice by something else, or choose other queries.")
    st.stop()

st.header(plain(f"{short_label(view, view.metric)} by {group_name(view.by)}"), anchor=False)
summary.no_items(view, versions)
summary.not_run(view, versions)
few = len(versions) <= charts.FEW  # the numbers of more do not fit into cells of half the page
left, right = st.columns(2, gap="large") if few else (st.container(), st.container())
with left:
    clicked = layout.chart(
        charts.slice_grid(parts, versions),
        key=f"grid-{view.by}",
        on_select="rerun",
        alt=f"Mean {short_label(view, view.metric)} of each slice and version",
    )
    st.caption("In brackets: number of scored queries. Pale: fewer than five.")
with right:
    candidate = parts[parts["run"] == view.candidate].sort_values("delta", kind="stable")
    readable = summary.readable_slices(candidate)
    picked = layout.rows(
        readable,
        key=f"slices-{view.by}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        column_config=summary.SLICE_COLUMNS,
        written=summary.SLICES_WRITTEN,
    )
    st.caption(
        plain(
            f"{view.candidate} minus {view.baseline}, worst first. The 95 % intervals are not "
            "corrected for the number of slices. Select a slice to see its queries."
        )
    )
summary.verdicts_by_cause(view, view.by)
chosen = [point["slice"] for point in clicked["selection"].get("pick", [])]
chosen += [candidate["slice"].iloc[row] for row in picked["selection"]["rows"]]
if chosen:
    there = address.link(view, slice=f"{view.by}={chosen[0]}", outcome="all")
    st.switch_page("screens/compare.py", query_params=there)
