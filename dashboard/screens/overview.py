"""Overview: the verdict, versions by metrics, a curve over K, slices and worst queries."""

import streamlit as st

from dashboard.commands.compare_versions import COLUMNS as METRICS
from dashboard.commands.measure import MEANS
from dashboard.evaluation.slicing import SMALL_SLICE, describe_worst
from dashboard.study.changes import count_outcomes, describe_gaps, list_changes
from dashboard.texts import count_things
from dashboard.views.address import draw_text, escape_markdown, merge_choices
from dashboard.views.charts import (
    colour_versions,
    draw_curve,
    draw_forest,
    draw_slice_values,
    show_chart,
)
from dashboard.views.comparison import (
    MAX_SLICES,
    compare_on_page,
    count_queries,
    draw_verdict,
    list_versions,
    make_forest,
    name_curve,
    pick_slices,
    show_progress,
)
from dashboard.views.components import make_line
from dashboard.views.data_tables import draw_table
from dashboard.views.downloads import draw_sharing
from dashboard.views.frame import draw_sections, find_pages, open_page, split_page
from dashboard.views.queries import draw_queries

WORST = 5
MAX_BESIDE = 5  # versions whose table has room beside the curve

study, choices = open_page("runs", "metrics", "shown", versions=1)
collection, runs, metric = study.collection, choices["runs"], choices["metric"]
versions = choices.pair
is_compared = versions[0] != versions[1]
top = make_line(horizontal_alignment="distribute")
counted = f"{len(collection.items):,} items · {count_queries(study)}"
counted += f" · {count_things(len(collection.versions), 'version')}"
title, contents = map(escape_markdown, (collection.title, counted))
top.markdown(f"## {title} :small[{contents}]")
with show_progress(f"Measuring {len(runs)} versions"):
    curve = name_curve(metric)
    study.measure(runs, f"{choices['metrics']} {curve}")  # of one search
    means = study.list_means(runs, choices["metrics"])
rows, front = compare_on_page(study, choices)
with st.container(border=True):
    told = draw_verdict(study, choices, front, runs)
    changes = list_changes(study, *versions, metric)
    if is_compared:
        left, right = st.columns([3, 2], vertical_alignment="center")
        with left:
            show_chart(draw_forest(make_forest([front], metric), f"Change in {metric}"))
        with right, make_line():
            counts = count_outcomes(changes)
            for name, sign in {"better": "▲", "same": "●", "worse": "▼"}.items():
                st.page_link(
                    find_pages()["compare"],
                    label=f"{sign} {counts[name]:,} {name}",
                    query_params=merge_choices(outcome=name),
                )
    for sentence in describe_gaps(study, runs)["note"]:
        draw_text("caption", sentence)

colours = colour_versions([*versions, *runs])
curves = draw_sections("curve", study, choices)
charts = {title: each[title] for each in curves for title in each}
if not curves and curve:
    points = study.list_means(runs, curve)
    name = points[0]["metric"]
    charts[f"{name} over K"] = draw_curve(points, name, colours)
is_wide = len(runs) > MAX_BESIDE or not charts
left, right = (st.container(), st.container()) if is_wide else split_page(7, 4)
with left:
    st.markdown(f"**Versions by metrics**{' – ★: best version' if len(runs) > 1 else ''}")
    table = list_versions(study, choices, rows)
    draw_table(*table)
    if hidden := [name for name in choices.compared if name not in runs]:
        draw_text("caption", f"Compared, but hidden by the choice of runs: {', '.join(hidden)}.")
    if study.rules.names and study.rules.name in collection.protocols:
        draw_text("caption", study.rules.names)
beside = right.columns(len(charts)) if is_wide and charts else [right] * len(charts)
for place, (title, chart) in zip(beside, charts.items(), strict=True):
    with place:
        st.markdown(f"**{escape_markdown(title)}**")
        show_chart(chart)
worse = [row for row in changes if row["outcome"] == "worse"]
listed, note = (worse, " that got worse") if is_compared else (changes, "")
if listed:
    st.markdown(f"**Worst queries** – {min(WORST, len(listed))} of {len(listed):,}{note}")
    draw_queries(study, choices, listed[:WORST])
if slices := pick_slices(study.list_slice_means(runs, metric)):
    title = f"{metric} by slice"
    st.markdown(
        f"**{escape_markdown(title)}**",
        help=f"The largest slices, at most {MAX_SLICES}, with {SMALL_SLICE} queries or more",
    )
    if is_compared:
        draw_text("caption", describe_worst(study.compare_slices(*versions, metric)))
    charts[title] = draw_slice_values(slices, metric, colours)
    show_chart(charts[title])
draw_sections("overview", study, choices)
draw_text("caption", study.rules.definition)
tables = {"Versions": (means, MEANS)} | ({"Comparison": (rows, METRICS)} if is_compared else {})
with top:
    draw_sharing(study, choices, told, *table, tables, charts)
