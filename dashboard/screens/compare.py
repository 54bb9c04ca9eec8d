"""Is the candidate better than the baseline, how sure is that, and which queries changed?"""

import streamlit as st

from dashboard.commands.compare_versions import COLUMNS as METRICS
from dashboard.study.changes import count_outcomes, group_changes, group_values, list_changes
from dashboard.views.address import draw_reset, draw_switch, draw_text
from dashboard.views.charts import (
    draw_forest,
    draw_histogram,
    draw_pickable,
    draw_scatter,
    show_chart,
)
from dashboard.views.comparison import (
    compare_on_page,
    draw_metrics,
    draw_verdict,
    filter_changes,
    make_forest,
    name_columns,
    write_row,
)
from dashboard.views.components import make_line
from dashboard.views.downloads import draw_sharing
from dashboard.views.frame import draw_sections, open_page, split_page
from dashboard.views.queries import draw_queries

QUERIES = ("query_id", "text", "baseline", "candidate", "delta", "outcome")


study, choices = open_page("metrics", "shown", versions=2)
(baseline, candidate), metric = choices.pair, choices["metric"]
rows, front = compare_on_page(study, choices)
told = draw_verdict(study, choices, front)
draw_sections("compare", study, choices)
picks = draw_sections("picks", study, choices)
changes, picked = list_changes(study, baseline, candidate, metric), choices["picked"]
meant = filter_changes(choices, changes, picks)
if picked and not meant:
    draw_text("info", f"No query is at {picked} in {metric}.")
forest = draw_forest(make_forest(rows, metric), "Candidate − baseline")
histogram = draw_histogram(group_changes(changes), metric)
scatter = draw_scatter(group_values(changes), metric, baseline, candidate)
filters, tools = st.columns([3, 2], vertical_alignment="center")
with filters:
    counts = {"all": len(meant), **count_outcomes(meant)}
    names = {
        name: f"{name.capitalize()} {number:,}"
        for name, number in counts.items()
        if number or name in ("all", choices["outcome"])
    }
    draw_switch("outcome", choices["outcome"], names)
with tools:
    draw_sharing(
        study,
        choices,
        told,
        name_columns(choices),
        [write_row(row) for row in rows],
        {"Metrics": (rows, METRICS), "Queries": (changes, QUERIES)},
        {"Change per query": histogram, "Both versions": scatter, "Change by metric": forest},
    )
left, right = split_page(7, 3)
with right:
    st.markdown("**Change per query**", help="Click a bar to list its queries.")
    draw_pickable(histogram, "label", "picked")
    st.markdown("**Both versions**", help="Click a point to list its queries.")
    draw_pickable(scatter, "point", "picked")
    st.markdown(
        "**Change by metric**",
        help="95 % intervals; ▲ ▼: clear after Holm, ●: not. "
        "Metrics that are better the other way are in the table below.",
    )
    show_chart(forest)
with left:
    shown = [row for row in meant if choices["outcome"] in ("all", row["outcome"])]
    with make_line():
        counted = f"{len(shown):,} of {len(changes):,}"
        st.markdown(f"**Queries, worst first** – {counted}", width="content")
        if picked:
            draw_reset(f"{metric}: {picked} ✕", "picked", key="chip-picked")
    draw_queries(study, choices, shown, *picks[:1])
st.markdown("**Metrics**")
draw_metrics(study, rows, choices)
