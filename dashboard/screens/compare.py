"""Is the candidate better than the baseline, how sure is that, and which queries changed?"""

import streamlit as st

from dashboard.commands.compare_versions import COLUMNS as METRICS
from dashboard.study.changes import count_outcomes, list_changes
from dashboard.views.address import draw_switch, draw_text
from dashboard.views.charts import draw_pickable, show_chart
from dashboard.views.comparison import (
    compare_on_page,
    draw_changes,
    draw_metrics,
    draw_verdict,
    filter_changes,
    name_columns,
    write_row,
)
from dashboard.views.components import make_line
from dashboard.views.downloads import draw_sharing
from dashboard.views.frame import draw_sections, open_page, split_page
from dashboard.views.queries import Pick, draw_queries

QUERIES = ("query_id", "text", "baseline", "candidate", "delta", "outcome")


study, choices = open_page("metrics", "shown", "picked", versions=2)
metric = choices["metric"]
rows, front = compare_on_page(study, choices)
told = draw_verdict(study, choices, front)
drawn = [*draw_sections("compare", study, choices), *draw_sections("picks", study, choices)]
picks = [each for each in drawn if isinstance(each, Pick)]
changes, picked = list_changes(study, *choices.pair, metric), choices["picked"]
meant = filter_changes(choices, changes, picks)
if picked and not meant:
    draw_text("info", f"No query is at {picked} in {metric}.")
charts = draw_changes(rows, changes, choices)
with make_line(horizontal_alignment="distribute"):
    counts = {"all": len(meant), **count_outcomes(meant)}
    names = {
        name: f"{name.capitalize()} {number:,}"
        for name, number in counts.items()
        if number or name in ("all", choices["outcome"])
    }
    draw_switch("outcome", choices["outcome"], names)
    draw_sharing(
        study,
        choices,
        told,
        name_columns(choices),
        [write_row(row) for row in rows],
        {"Metrics": (rows, METRICS), "Queries": (changes, QUERIES)},
        charts,
    )
left, right = split_page(7, 3)
with right:
    st.markdown("**Change per query**", help="Click a bar to list its queries.")
    draw_pickable(charts["Change per query"], "label", "picked")
    st.markdown("**Both versions**", help="Click a point to list its queries.")
    draw_pickable(charts["Both versions"], "point", "picked")
    st.markdown(
        "**Change by metric**",
        help="95 % intervals; ▲ ▼: clear after Holm, ●: not. "
        "Metrics that are better the other way are in the table below.",
    )
    show_chart(charts["Change by metric"])
with left:
    shown = [row for row in meant if choices["outcome"] in ("all", row["outcome"])]
    st.markdown(f"**Queries, worst first** – {len(shown):,} of {len(changes):,}")
    draw_queries(study, choices, shown, *picks[:1])
st.markdown("**Metrics**")
draw_metrics(study, rows, choices)
