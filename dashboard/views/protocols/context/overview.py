"""The source's tables 1 to 3 and figure 3, for the lists that a collection's people saw."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.evaluation.satisfaction.source_tables import Reading
from dashboard.experiment.protocols import context_study
from dashboard.experiment.protocols.context_study import Study
from dashboard.tables import between
from dashboard.views import layout
from dashboard.views.address.choices import View
from dashboard.views.protocols.context import agreement
from dashboard.views.protocols.context.figures import spread, varied
from dashboard.views.protocols.context.shared import (
    choices,
    heard,
    marked,
    notes,
    readable,
    reading,
    study_in_view,
    whose,
)
from dashboard.views.table_files import save_button, table_file


def overview(view: View) -> None:
    """Draw the section of the Overview."""
    known = context_study.lists_of(view.collection)
    st.header("Participants' lists", anchor=False)
    if known is None:
        st.caption(
            "None. Add `lists.csv` (what each participant saw) and `satisfaction.csv` (their "
            "ratings)."
        )
        return
    if not readable(view, known):
        return
    asked = heard(view)
    if asked is None:
        return
    whose(asked)
    choices(view)
    read = reading(view)
    if read is not None:
        for title, draw in SECTIONS.items():
            answer = varied(asked, read) if draw is spread else ""
            with layout.section(f"{title}{answer}", draw.__name__):
                draw(view, asked, read)
    notes(known)


def _sizes(view: View, asked: Study, read: Reading) -> None:
    """Table 1, and what each step of cleaning left."""
    sizes, steps = context_study.sizes(asked), context_study.cleaning(asked, read.rows)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Table 1 of the source, for these lists**")
        layout.table(_counted(sizes, "part"), "table-1")
        st.caption(_worked(view))
    with right:
        st.markdown("**Cleaning, step by step**")
        layout.table(_counted(steps, "step"), "cleaning")
        st.caption(
            "In the source's order. Images: places with a valid relevance. Invalid: places without "
            "one (−1, −2 or no answer); they are skipped."
        )
    save_button(view, "cleaning.csv")


@table_file("cleaning", under="context")
def cleaning_in_view(view: View) -> pd.DataFrame:
    """What each step of cleaning left, for a file."""
    asked, read = study_in_view(view)
    return marked(asked, context_study.cleaning(asked, read.rows))


def _counted(table: pd.DataFrame, first: str) -> pd.DataFrame:
    words = table.drop(columns=first).map(lambda n: "not recorded" if pd.isna(n) else f"{n:,}")
    title = "Part" if first == "part" else "After"
    return (
        words.set_axis(table[first].str.capitalize(), axis=0)
        .rename_axis(title)
        .rename(columns=str.capitalize)
    )


def _worked(view: View) -> str:
    """Where relevance comes from: of how many workers each."""
    low, high = context_study.workers(view.collection)
    if not high:
        return "Relevance: averages from qrels. A list is one query as one participant saw it."
    return (
        f"Relevance: mean of {between(low, high)} workers' valid answers per query and image. A "
        "list is one query as one participant saw it; the source calls it a query."
    )


SECTIONS = {
    "Mean and deviation of relevance": spread,
    "Lists before and after cleaning": _sizes,
    "Lists of low and high relevance variance": agreement.halves,
    "Original and context-aware gain": agreement.gains,
    "Depths of the source": agreement.depths,
}
"""What the section holds, each part under its title."""
