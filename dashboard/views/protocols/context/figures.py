"""The source's figure 3: how relevance is spread in each list."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.satisfaction.source_tables import FIRST_PAGE, Reading
from dashboard.experiment.collection import collections
from dashboard.experiment.protocols import context_study
from dashboard.experiment.protocols.context_study import Study
from dashboard.tables import counted
from dashboard.views import address, layout
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.charts import context as charts
from dashboard.views.protocols.context.shared import marked, none_left, study_in_view
from dashboard.views.table_files import save_button, table_file
from dashboard.views.texts import plain, shown


def spread(view: View, asked: Study, read: Reading) -> None:
    """Figure 3a and 3b."""
    table = context_study.spread(asked, read.rows)
    if table.empty:
        st.info(none_left(read.rows))
        return
    names = collections.query_names(collections.opened(view.collection))
    drawn = table.assign(words=table["query_id"].map(names).map(shown))
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Figure 3a: mean and standard deviation of r**")
        layout.chart(
            charts.means_and_deviations(drawn),
            key="figure-3a",
            on_select=_open_list(drawn),
            selection_mode="pick",
            alt="Each list's mean relevance against its standard deviation, by satisfaction",
        )
        _link(view)
    with right:
        st.markdown("**Figure 3b: standard deviation of r and of r′**")
        layout.chart(
            charts.deviations(drawn), alt="Each list's standard deviation of r against that of r′"
        )
    st.caption(_explained(table, read.rows))
    save_button(view, "figure-3.csv")


@table_file("figure-3", under="context")
def spread_in_view(view: View) -> pd.DataFrame:
    """What figure 3 draws, for a file."""
    asked, read = study_in_view(view)
    return marked(asked, context_study.spread(asked, read.rows))


def _explained(table: pd.DataFrame, rows: int) -> str:
    """Which lists the points are, and what their places mean."""
    felt = int(table["satisfaction"].notna().sum())
    return (
        f"{counted(len(table), 'list')} of at least {rows} rows, in their first "
        f"{min(rows, FIRST_PAGE):,}; {felt:,} with a satisfaction. r = relevance ÷ 100, "
        "r′ = r² ÷ largest r so far. Above the dashed line r′ varies more than r: "
        f"{_wider(table):,} of {len(table):,} lists. Select a point to open its list."
    )


def _wider(table: pd.DataFrame) -> int:
    """The lists in which r′ varies more than r."""
    return int((table["deviation_in_context"] > table["deviation"] + 1e-12).sum())


def varied(asked: Study, read: Reading) -> str:
    """The answer of the figures for their title; empty where there is nothing to draw."""
    table = context_study.spread(asked, read.rows)
    if table.empty:
        return ""
    return f" · r′ varies more than r in {_wider(table):,} of {counted(len(table), 'list')}"


def _open_list(drawn: pd.DataFrame) -> Any:
    query_of = dict(zip(drawn["list_id"], drawn["query_id"], strict=True))

    def chosen() -> None:
        points = st.session_state["figure-3a"]["selection"].get("pick", [])
        if points and points[0].get("list") in query_of:
            bar.go(list=points[0]["list"], query=query_of[points[0]["list"]], clip="")

    return chosen


def _link(view: View) -> None:
    if view.list:
        st.page_link(
            "screens/query.py",
            label=f"List {plain(view.list)}, picture by picture",
            icon=":material/grid_view:",
            query_params=address.link(view),
        )
