"""What both sections say: whose answers count, what is wrong with the files, how lists are read."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.evaluation.satisfaction.source_tables import Reading
from dashboard.experiment.protocols import context_study
from dashboard.experiment.protocols.context_study import (
    NONE,
    REAL,
    REVIEWERS,
    SIMULATED,
    Lists,
    Study,
)
from dashboard.tables import DataError, counted
from dashboard.views import summary
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.frame.widgets import segments
from dashboard.views.texts import plain

ROWS = ("5", "10", "15")
DIVIDE = {"window": "its pictures", "w": "w"}
AVERAGE = {"pictures": "pictures (as CG)", "rows": "row means"}
OVER_ROWS = "AVG: mean of the row means; every row has the same weight. "
KINDS = {
    REAL: "by participants",
    SIMULATED: "simulated",
    REVIEWERS: "by reviewers",
    NONE: "not rated",
}
BANNER = "Simulated by a browsing model: this satisfaction supports no conclusion."
NOBODY = (
    "These lists have no satisfaction ratings. Rate lists on the Query screen to see "
    "correlations here."
)

WAY_BACK = (
    "To return to the simulated satisfaction, remove all ratings: enter the reviewer's name under "
    "each rated list there and click the chosen value again."
)


def readable(view: View, known: Lists) -> bool:
    """Say what of the lists' files cannot be used; whether enough is left to go on."""
    for problem in known.refused.values():
        st.error(plain(str(problem), None), icon=":material/error:")
    if any(getattr(view, key) is None for key in ("rows", "window", "divide", "average", "list")):
        st.info("Nothing was computed for this link. Choose another value.")
    return not {"lists", "relevance"} & set(known.refused)


def heard(view: View) -> Study | None:
    """What people said of the lists; None, and why, where it cannot be read."""
    try:
        return context_study.study_of(view.collection)
    except DataError as problem:
        st.error(plain(str(problem), None), icon=":material/error:")
        return None


def whose(asked: Study) -> None:
    """The banner of a page that rests on satisfaction: whose it is. It cannot be closed."""
    kind = context_study.kind(asked)
    if kind == SIMULATED:
        st.warning(BANNER, icon=":material/smart_toy:")
    elif kind == NONE:
        st.info(NOBODY, icon=":material/person_off:")
    elif kind == REVIEWERS:
        numbers = _numbers(context_study.ratings(asked))
        words = zip(("rating", "list", "reviewer"), numbers, strict=True)
        ratings, rated, people = (counted(n, word) for word, n in words)
        sentence = f"Satisfaction: {ratings} of {rated} by {people}, entered on the Query screen."
        known = context_study.lists_of(asked.collection)
        if known is not None and known.kind == SIMULATED:
            sentence = f"{sentence} {WAY_BACK}"
        st.info(sentence, icon=":material/reviews:")


def _numbers(given: pd.DataFrame) -> tuple[int, int, int]:
    return len(given), given["list_id"].nunique(), given["author"].nunique()


def reading(view: View) -> Reading | None:
    """How the address wants lists to be read; None where it cannot be followed."""
    if not (view.rows and view.window and view.divide and view.average):
        return None
    return Reading(int(view.rows), int(view.window), view.divide, view.average)


def study_in_view(view: View) -> tuple[Study, Reading]:
    """What people said of the lists, and how the address wants these to be read, for a file.

    Raises DataError where either is not to be had.
    """
    known, read = context_study.lists_of(view.collection), reading(view)
    if known is None or read is None:
        raise DataError("lists.csv", "no lists that can be read as asked", "lists that people saw")
    for name in {"lists", "relevance"} & set(known.refused):
        raise known.refused[name]
    return context_study.study_of(view.collection), read


def choices(view: View) -> None:
    """How deep lists are read, and over what the context-aware gain is averaged."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        given = dict.fromkeys([*ROWS, *([view.rows] if view.rows else [])])
        segments("Rows per list", "rows", {rows: rows for rows in given}, view)
        st.session_state["choice-window"] = int(view.window or Reading.window)
        st.number_input(
            "Window w (pictures)",
            min_value=1,
            max_value=10_000,
            key="choice-window",
            on_change=lambda: bar.go(window=str(st.session_state["choice-window"])),
            width=180,
        )
        segments("Window divisor", "divide", DIVIDE, view)
        segments("AVG over", "average", AVERAGE, view)


def notes(known: Lists) -> None:
    """What of the lists' files was left out or repaired."""
    findings = known.findings
    summary.notes(findings[findings["level"] != "error"], "on the files of the lists")


def none_left(rows: int) -> str:
    """Why there is nothing to correlate."""
    return (
        f"Nothing to correlate: after cleaning, no list of at least {rows} rows has a usable "
        "rating. A participant counts after three lists with at least two different ratings."
    )


def marked(asked: Study, table: pd.DataFrame) -> pd.DataFrame:
    """A table to take away, which says in each row whose answers it rests on."""
    marked = table.copy()
    marked.insert(0, "answers", context_study.kind(asked))
    return marked
