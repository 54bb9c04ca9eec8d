"""Is the candidate better than the baseline, how sure is that, and which queries changed?"""

import streamlit as st

from dashboard.next.commands.compare_versions import COLUMNS as METRICS
from dashboard.next.study.changes import (
    count_outcomes,
    group_changes,
    group_values,
    list_changes,
)
from dashboard.next.views.change_charts import (
    draw_forest,
    draw_histogram,
    draw_picked,
    draw_scatter,
)
from dashboard.next.views.charts import show_chart
from dashboard.next.views.comparison import (
    compare_metrics,
    draw_metrics,
    draw_outcomes,
    draw_verdict,
    make_forest,
    name_columns,
    show_progress,
    write_row,
)
from dashboard.next.views.downloads import draw_sharing, write_markdown
from dashboard.next.views.frame import open_page
from dashboard.next.views.layout import split_page
from dashboard.next.views.queries import draw_queries

QUERIES = ("query_id", "text", "baseline", "candidate", "delta", "outcome")

study, choices = open_page("baseline", "candidate", "metrics", "metric", "shown")
baseline, candidate, metric = choices["baseline"], choices["candidate"], choices["metric"]
with show_progress("Comparing the versions"):
    rows, front = compare_metrics(study, choices)
told = draw_verdict(study, choices, front)

changes = list_changes(study, baseline, candidate, metric)
bins, points = group_changes(changes), group_values(changes)
forest = draw_forest(make_forest(rows), "Candidate − baseline")
histogram = draw_histogram(bins, metric)
scatter = draw_scatter(points, metric, baseline, candidate)
filters, tools = st.columns([3, 2], vertical_alignment="center")
with filters:
    draw_outcomes(choices, count_outcomes(changes))
with tools:
    draw_sharing(
        study,
        choices,
        write_markdown(
            study.collection.title, told, name_columns(choices), [write_row(row) for row in rows]
        ),
        {"Metrics": (rows, METRICS), "Queries": (changes, QUERIES)},
        {"Change per query": histogram, "Both versions": scatter, "Change by metric": forest},
    )
left, right = split_page(7, 3)
with right:
    st.markdown("**Change per query**", help="Click a bar to list its queries.")
    picked_bins = draw_picked(histogram, "histogram", "bin")
    st.markdown("**Baseline × candidate**", help="Click a point to list its queries.")
    picked_points = draw_picked(scatter, "scatter", "point")
    st.markdown("**Change by metric**", help="95 % intervals; ▲ ▼: clear after Holm, ●: not.")
    show_chart(forest)
with left:
    shown = [
        row
        for row in changes
        if choices["outcome"] in ("all", row["outcome"])
        and (not picked_bins or row.get("bin") in picked_bins)
        and (not picked_points or row.get("point") in picked_points)
    ]
    st.markdown(f"**Queries, worst first** – {len(shown):,} of {len(changes):,}")
    draw_queries(study, choices, shown)
st.markdown("**Metrics**")
draw_metrics(rows, choices)
