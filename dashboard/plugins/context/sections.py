"""Section of image search in context on Overview: agreement with satisfaction."""

from functools import lru_cache

import altair as alt
import streamlit as st

from dashboard.errors import DataError
from dashboard.evaluation.differences import write_p
from dashboard.evaluation.metrics import parse_one
from dashboard.plugins.context.judge import VIEWED, read_window
from dashboard.plugins.context.lists import DOUBTS, ViewedLists, read_lists
from dashboard.plugins.context.satisfaction import (
    Reading,
    compare_gains,
    describe_spread,
    explain_nulls,
    write_nulls,
)
from dashboard.storage.collection import Collection
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Rows
from dashboard.views.address import draw_text
from dashboard.views.charts import QUIET, list_fields, make_chart
from dashboard.views.data_tables import Column, draw_table

COLUMNS = (
    Column("discount", "Discount"),
    Column("r_original", "r, original gain", "number"),
    Column("r_context", "r, gain in context", "number"),
    Column("difference", "Difference", "number"),
    Column("low", "95 % from", "number wide", help="Zou 2007"),
    Column("high", "to", "number wide"),
    Column("p", "p", "number wide", help="Williams' T2"),
    Column("n", "Lists", "number wide"),
)


def draw_satisfaction(study: Study, choices: Choices) -> None:
    """Draw how metrics of viewed lists agree with satisfaction, and how relevance is spread."""
    if not all((study.collection.folder / name).is_file() for name in VIEWED):
        return
    measure = parse_one(choices["metric"])
    reading = Reading(10, *read_window(measure.name))
    st.markdown(
        "**Agreement with satisfaction**",
        help="Spearman's rank correlation of a metric of the lists that people saw with what they "
        f"said of them, scaled to 0 to 1 for each participant. Lists of {reading.rows} rows or "
        f"more, in their first {reading.rows}; window {reading.window}. The command satisfaction "
        "has the other tables.",
    )
    try:
        viewed, rows, spread = _read_section(study.collection, reading)
    except DataError as error:
        draw_text("warning", error)
        return
    draw_text("caption", DOUBTS.get(viewed.kind), *explain_nulls(viewed, reading, rows))
    left, right = st.columns([3, 2])
    with left:
        told = [write_nulls(row) for row in rows]
        for row in told:
            row["front"] = measure.name in (row["original"], row["context_aware"])
            row["p"] = None if row["p"] is None else write_p(row["p"]).removeprefix("= ")
        draw_table(COLUMNS, told)
    if not spread:
        return
    colour = alt.Scale(scheme="viridis", domain=[0, 1])
    right.altair_chart(
        make_chart([write_nulls(row) for row in spread])
        .mark_circle(size=50, stroke=QUIET, strokeWidth=0.5, opacity=0.9)
        .encode(
            x=alt.X("mean:Q", title="Mean relevance of the first five rows"),
            y=alt.Y("deviation:Q", title="Standard deviation"),
            color=alt.Color("satisfaction:Q", title="Satisfaction", scale=colour),
            tooltip=list_fields(
                {
                    "list_id:N": "list",
                    "mean_told:N": "mean",
                    "deviation_told:N": "deviation",
                    "satisfaction_told:N": "satisfaction",
                }
            ),
        )
        .properties(height=240)
    )


@lru_cache(maxsize=4)
def _read_section(collection: Collection, reading: Reading) -> tuple[ViewedLists, Rows, Rows]:
    """Return lists with answers, their correlations, and mean and deviation of each list."""
    viewed = read_lists(collection, [])
    return viewed, compare_gains(viewed, reading), describe_spread(viewed, reading)
