"""One list that somebody saw, picture by picture: why the second good picture is worth less."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.evaluation.digits import number
from dashboard.evaluation.metrics.context import DISCOUNTS
from dashboard.evaluation.metrics.registry import measure
from dashboard.evaluation.satisfaction.cag_steps import discount_of
from dashboard.evaluation.satisfaction.source_tables import Reading
from dashboard.experiment.collection import collections, media
from dashboard.experiment.protocols import context_study
from dashboard.experiment.protocols.context_study import Study
from dashboard.tables import DataError
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.labels import distinct_labels
from dashboard.views.protocols.context.grid import LESS, grid
from dashboard.views.protocols.context.rating import rate
from dashboard.views.protocols.context.shared import (
    KINDS,
    choices,
    heard,
    readable,
    reading,
    study_in_view,
    whose,
)
from dashboard.views.table_files import save_button, table_file
from dashboard.views.texts import plain


def query(view: View, query_id: str) -> None:
    """Draw the section of Query."""
    known = context_study.lists_of(view.collection)
    if known is None:
        return
    st.header("Participants' lists for this query", anchor=False)
    if not readable(view, known):
        return
    mine = known.places[known.places["query_id"] == query_id]
    if mine.empty:
        st.info("No list belongs to this query.")
        return
    asked = heard(view)
    if asked is None:
        return
    whose(asked)
    choices(view)
    list_id = _choose(view, asked, mine)
    read = reading(view)
    if read is not None:
        _steps(view, asked, list_id, read)
    rate(view.collection, query_id, list_id, _of(mine, list_id)["version"], asked)


def _choose(view: View, asked: Study, mine: pd.DataFrame) -> str:
    """Which of the query's lists is shown: the address' list, else the first."""
    ids = mine["list_id"].drop_duplicates().tolist()
    if view.list and view.list not in ids:
        st.caption(plain(f"List {view.list} belongs to another query."))
    chosen = view.list if view.list in ids else ids[0]
    said = context_study.answers(asked)
    said = said[said["list_id"].isin(ids)].dropna(subset=["satisfaction"])
    whose_words = KINDS[context_study.kind(asked)]
    names = {i: _name(_of(mine, i), said[said["list_id"] == i], whose_words) for i in ids}
    labels = distinct_labels(ids, names.__getitem__)
    st.session_state["choice-list"] = chosen
    st.selectbox(
        f"List ({len(ids):,} of this query)",
        list(labels),
        key="choice-list",
        format_func=labels.__getitem__,
        on_change=lambda: bar.go(list=st.session_state["choice-list"]),
    )
    return str(chosen)


def _of(mine: pd.DataFrame, list_id: str) -> dict[str, str]:
    first = mine[mine["list_id"] == list_id].iloc[0]
    return {name: str(first[name]) for name in ("list_id", "version", "participant")}


def _name(about: dict[str, str], said: pd.DataFrame, whose_words: str) -> str:
    """A list in the drop-down: `l017 · v0.2 · seen by p03 · satisfaction 4 of 5, simulated`."""
    given = ", ".join(f"{value:g}" for value in said["satisfaction"])
    parts = [about["list_id"], about["version"]]
    parts += [f"seen by {about['participant']}"] if about["participant"] else []
    parts.append(f"satisfaction {given} of 5, {whose_words}" if given else "not rated")
    return " · ".join(part for part in parts if part)


def _steps(view: View, asked: Study, list_id: str, read: Reading) -> None:
    """The list in its rows and columns, in words and as numbers."""
    discount = discount_of(measure(view.metric).name)
    steps = context_study.steps(asked, list_id, read, discount)
    depth = steps.loc[steps["rank"].notna(), "row"].max() if steps["rank"].notna().any() else 0
    shown_steps = steps[steps["row"] <= depth] if depth else steps
    st.markdown(_said(shown_steps, discount))
    items = media.media_of(
        collections.opened(view.collection), shown_steps["item_id"].unique().tolist()
    )
    grid(shown_steps, items, discount, key="list-of-pictures")
    st.caption(_legend(steps, shown_steps, read, discount))
    save_button(view, "list.csv", list=list_id)


@table_file("list", under="context")
def list_in_view(view: View) -> pd.DataFrame:
    """The list in view, a row a picture, for a file."""
    asked, read = study_in_view(view)
    known = context_study.lists_of(view.collection)
    if known is None or view.list not in set(known.places["list_id"]):
        raise DataError("lists.csv", f"no list {view.list[:80]!r}", "a list that people saw")
    steps = context_study.steps(asked, view.list, read, discount_of(measure(view.metric).name))
    return steps.assign(list_id=view.list)


def _legend(steps: pd.DataFrame, shown_steps: pd.DataFrame, read: Reading, discount: str) -> str:
    below = len(steps) - len(shown_steps)
    further = f"; {below} more below the counted rows" if below else ""
    window = "its pictures" if read.divide == "window" else "w"
    formula = DISCOUNTS[discount].in_words
    if discount == "AVG" and read.average == "rows":
        formula = "d(k) = 1 ÷ pictures in its row ÷ number of rows"
    return (
        f"Layout as the participant saw it: {len(shown_steps):,} places, "
        f"{int(shown_steps['rank'].notna().sum()):,} with a valid relevance{further}. "
        "r = relevance ÷ 100. r′ = r² ÷ largest r so far. g = mean of r′ over the last "
        f"{read.window} pictures, divided by {window}. Discount of the selected metric: {formula}. "
        "Bars: r pale, r′ full. A hit has r ≥ 0.5; no number here depends on it."
    )


def _said(steps: pd.DataFrame, discount: str) -> str:
    """The value of the list, and the picture that loses most beside a better one."""
    read = steps.dropna(subset=["rank"])
    if read.empty:
        return "No picture of this list has a valid relevance."
    if DISCOUNTS[discount].weights is None:
        value = f"largest g = **{number(read['gain'].max())}**"
    elif not DISCOUNTS[discount].divided:
        value = f"Σ g · d = **{number(read['adds'].sum())}**"
    else:
        total, over = read["adds"].sum(), f"{len(read):,}"
        value = f"Σ g · d ÷ {over} = {number(total)} ÷ {over} = **{number(total / len(read))}**"
    lost = (read["r"] - read["adjusted"]).astype(float)
    sentence = f"{discount} with the context-aware gain: {value}."
    if lost.max() <= LESS:
        return f"{sentence} No picture is discounted: none follows a better one."
    worst = read.iloc[int(lost.argmax())]
    r, best = float(worst["r"]), float(worst["best"])
    adjusted = number(worst["adjusted"])
    return (
        f"{sentence} Picture {int(worst['rank']):,} has a relevance of {number(r)}, but picture "
        f"{int(worst['best_rank']):,} before it has {number(best)}. After the better one it "
        f"counts only {number(r)} × {number(r)} ÷ {number(best)} = {adjusted}."
    )
