"""Where is the candidate better or worse than the baseline?"""

from functools import partial
from typing import Any

import streamlit as st

from dashboard.commands.compare_slices import COLUMNS as SLICES
from dashboard.evaluation.slicing import JOIN, describe_worst
from dashboard.study.changes import keep_inside, list_changes
from dashboard.texts import count_things
from dashboard.views.address import escape_markdown, merge_choices
from dashboard.views.charts import draw_forest, draw_heatmap, draw_pickable
from dashboard.views.comparison import (
    MAX_LINES,
    SLICE_COLUMNS,
    compare_on_page,
    draw_verdict,
    make_cells,
    make_lines,
    show_progress,
    write_slice,
)
from dashboard.views.components import make_line
from dashboard.views.data_tables import draw_folded, draw_table, write_table
from dashboard.views.downloads import draw_sharing
from dashboard.views.frame import find_pages, open_page, split_page
from dashboard.views.queries import draw_queries

MAX_PAIRS = 20


study, choices = open_page("metrics", "shown", "picked_slice", versions=2)
versions = choices.pair
metric, within = choices["metric"], choices["slice"]
_, front = compare_on_page(study, choices)
with show_progress("Comparing the slices"):
    rows = study.compare_slices(*versions, metric)
told = draw_verdict(study, choices, front)
worst = describe_worst(rows)
if not rows:
    st.info(worst)
    st.stop()
with make_line(horizontal_alignment="distribute"):
    st.markdown(escape_markdown(worst), width="content")
    tools = st.container(width="content")

left, right = split_page(1, 1)
with left:
    st.markdown(
        f"**Slices** – {min(MAX_LINES, len(rows))} of {len(rows):,}, worst first",
        help="▲ ▼: clear, p below 0.05 after Holm over all slices; ●: not clear. Intervals: 95 %, "
        "not corrected. Slices with fewer than 5 queries are last and have no interval.",
    )
    charts = {"Slices": draw_forest(make_lines(rows), f"Change in {metric}", picked=True)}
    draw_pickable(charts["Slices"], "name", "picked_slice")
    pairs = study.compare_slices(*versions, metric, pairs=True)
    if pairs:
        st.markdown(
            "**Pairs of slices with 5 queries or more** – "
            f"{min(MAX_PAIRS, len(pairs))} of {len(pairs):,}, worst first"
        )
        draw_table(SLICE_COLUMNS, [write_slice(row, within) for row in pairs[:MAX_PAIRS]])
with right:
    columns = list(dict.fromkeys(name.partition("=")[0] for name in study.list_slices()))
    if columns[1:]:
        pick: Any = partial(st.selectbox, label_visibility="collapsed", width=200)
        with make_line():
            st.markdown("**Two columns**", width="content")
            first = pick("Lines", columns, key="slices-first")
            columns.remove(first)
            second = pick("Columns", columns, key="slices-second")
        cells = make_cells(study.cross_slices(*versions, metric, first, second))
        charts["Two columns"] = draw_heatmap(cells, first, second)
        draw_pickable(charts["Two columns"], "slice", "picked_slice")
        st.caption("Mean change and number of queries; * fewer than 5. Click a cell to list them.")
    if picked := choices["picked_slice"]:
        found = keep_inside(study, picked, list_changes(study, *versions, metric))
        named, number = escape_markdown(JOIN.join(picked)), count_things(len(found), "query")
        st.markdown(f"**{named}**: {number}, worst first")
        st.page_link(
            find_pages()["compare"],
            label="Use as slice in Compare",
            query_params=merge_choices(slice=JOIN.join([*within, *picked]), picked_slice=""),
        )
        draw_queries(study, choices, found)
written = [write_slice(row, within) for row in rows]
draw_folded("All slices as a table", write_table(SLICE_COLUMNS, written))
with tools:
    said = f"{told} {worst}"
    tables = {"Slices": (rows, SLICES), "Pairs": (pairs, SLICES)}
    draw_sharing(study, choices, said, SLICE_COLUMNS, written, tables, charts)
