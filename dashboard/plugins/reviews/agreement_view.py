"""Agreement of people, with intervals, and nothing where it is not defined."""

from __future__ import annotations

import streamlit as st

from dashboard.evaluation.measurement import Row
from dashboard.plugins.reviews.agreement import FEW_PAIRS, measure_agreement
from dashboard.plugins.reviews.list_view import Reviews
from dashboard.plugins.reviews.verdicts import Verdict
from dashboard.views.comparison import show_progress
from dashboard.views.data_tables import Column, draw_table

NAMES = {
    "agreement": "Same verdict",
    "alpha": "Krippendorff's alpha",
    "kappa": "Cohen's kappa",
}
COLUMNS = [
    Column(key="name", label="Agreement", help="unsure is no answer"),
    Column(key="people", label="People", wrap=True),
    Column(key="shown", label="Value", number=True),
    Column(key="interval", label="95 % interval", number=True),
    Column(key="pairs", label="Pairs", number=True, wide=True),
    Column(key="note", label="Note", wrap=True, wide=True),
]


@st.cache_data(max_entries=4, show_spinner=False)
def _measure(key: tuple[str, int, int], _rows: list[Verdict]) -> list[Row]:
    return measure_agreement(_rows)


def draw_agreement(reviews: Reviews) -> None:
    """Draw the agreement of all people, and of each two."""
    last = reviews.rows[-1] if reviews.rows else None
    key = (last.collection, len(reviews.rows), last.number) if last else ("", 0, 0)
    with show_progress("Measuring the agreement"):
        found = _measure(key, list(reviews.rows))
    if not found:
        st.caption("No pair has a verdict of two people yet: there is no agreement to measure.")
        return
    if found[0]["few"]:
        st.markdown(f"{found[0]['pairs']} pairs: too few for a firm value")
    draw_table(COLUMNS, [_write(row) for row in found])
    for why in dict.fromkeys(row["why"] for row in found if row["why"]):
        st.caption(f"Not defined: {why}.")
    st.caption(
        "Share of comparisons of two people in which they said the same; alpha and kappa take off "
        "what chance gives: 1 is full agreement, 0 chance. Intervals by resampled pairs."
    )


def _write(row: Row) -> Row:
    is_share = row["measure"] == "agreement"
    numbers = [
        "" if value is None else f"{value:.0%}" if is_share else f"{value:.2f}"
        for value in (row["value"], row["low"], row["high"])
    ]
    few = f"fewer than {FEW_PAIRS} pairs" if row["few"] else ""
    return row | {
        "name": NAMES[row["measure"]],
        "shown": numbers[0] or "not defined",
        "interval": f"{numbers[1]} to {numbers[2]}" if numbers[1] else "not defined",
        "note": few,
    }
