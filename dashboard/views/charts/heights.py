"""How high a chart with a row for each of something is: known before it is drawn, so that its room
can be kept. Pixels, with axes and legend: what Streamlit fits a chart into."""

from __future__ import annotations

TOP, BOTTOM, KINDS = 48, 54, 72
"""Of an axis above or below the rows, and of a legend above."""


def of_rows(rows: int, step: float, *others: float) -> int:
    """The height of so many rows, `step` pixels each, and of what else there is.

    >>> of_rows(5, 30, TOP)
    198
    """
    return round(max(rows, 1) * step + sum(others))
