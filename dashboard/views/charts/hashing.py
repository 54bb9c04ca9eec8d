"""Hash codes: metrics over p and over the length of the codes, look-up by radius, and bits."""

from __future__ import annotations

import altair as alt
import pandas as pd

from dashboard.views.charts.colours import LEGEND, SAME, WORSE, Way, of_colour, of_dashes, of_shape
from dashboard.views.charts.equal_tables import once_for_equal_tables
from dashboard.views.charts.heights import KINDS, of_rows
from dashboard.views.charts.texts import tip, with_texts

ONE, OTHER = "#2f80d8", "#c8ced6"
LINE = 32
"""Bits in a line of the drawing."""
ROWS = 4
"""Rows in a line of it: the query's bits, the result's, marks where they differ, and a gap."""
DASHES = ([1, 0], [6, 3], [2, 2], [10, 3, 2, 3], [12, 4], [4, 6])
"""A method's line; its versions have colours of their own."""
_LINES = alt.Legend(
    orient="top", direction="horizontal", columns=3, title=None, symbolStrokeColor=SAME,
    symbolSize=300, symbolType="stroke",
)  # fmt: skip
SHARE = alt.Scale(domain=[0, 1])
_LOG = alt.Scale(type="log", nice=False, padding=12)


@once_for_equal_tables
def over_p(means: pd.DataFrame, ways: dict[str, Way]) -> alt.LayerChart:
    """The mean of a metric over p, a line a version, with the bounds over ties as a band.

    Columns: method, run, cutoff, mean, worst, best, scored, total.
    """
    there = _there(means, ways)
    base = alt.Chart(with_texts(means.dropna(subset=["mean"]), BOUND)).encode(
        x=alt.X("cutoff:Q", title="p", scale=_LOG, axis=_whole(means["cutoff"])),
        detail="run:N",
        color=of_colour(there),
        tooltip=[
            alt.Tooltip("run:N", title="Version"),
            alt.Tooltip("cutoff:Q", title="p", format=","),
            *BOUNDS,
        ],
    )
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=of_dashes(there))
    points = base.mark_point(filled=True, size=45, opacity=1).encode(shape=of_shape(there))
    return _banded(base, lines, points)


@once_for_equal_tables
def over_bits(means: pd.DataFrame, ways: dict[str, Way]) -> alt.LayerChart:
    """The mean of a metric over the length of the codes: a line a method, by its dashes, and a
    point a version, in its colour and shape.

    Columns: method, run, bits, mean, worst, best (equal to the mean where order does not matter),
    scored, total.
    """
    there = _there(means, ways)
    base = alt.Chart(with_texts(means.dropna(subset=["mean"]), BOUND)).encode(
        x=alt.X("bits:Q", title="bits of the codes", scale=_LOG, axis=_whole(means["bits"])),
        detail="method:N",
        tooltip=[
            alt.Tooltip("run:N", title="Version"),
            alt.Tooltip("method:N", title="Method"),
            *BOUNDS,
        ],
    )
    methods = means["method"].drop_duplicates().tolist()
    dashes = [DASHES[n % len(DASHES)] for n in range(len(methods))]
    scale = alt.Scale(domain=methods, range=dashes)
    line = base.mark_line(strokeWidth=2, color=SAME).encode(
        strokeDash=alt.StrokeDash("method:N", scale=scale, title=None, legend=_LINES)
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        color=of_colour(there, legend=False), shape=of_shape(there, legend=False)
    )
    return _banded(base.encode(color=alt.value(SAME)), line, points)


@once_for_equal_tables
def precision_recall(means: pd.DataFrame, ways: dict[str, Way]) -> alt.LayerChart:
    """Precision over recall, a line a version, a point a Hamming radius.

    Columns: method, run, radius, precision_found, recall, found, scored.
    """
    there = _there(means, ways)
    known = means.dropna(subset=["precision_found", "recall"])
    base = alt.Chart(with_texts(known, ("precision_found", "recall"))).encode(
        x=alt.X("recall:Q", title="recall", scale=SHARE),
        y=alt.Y("precision_found:Q", title="precision", scale=SHARE),
        color=of_colour(there),
        order="radius:Q",
        detail="run:N",
        tooltip=[
            alt.Tooltip("run:N", title="Version"),
            alt.Tooltip("radius:Q", title="Within Hamming distance", format=","),
            tip("precision_found", "Precision"),
            tip("recall", "Recall"),
            alt.Tooltip("found:Q", title="Queries with results", format=","),
            alt.Tooltip("scored:Q", title="of", format=","),
        ],
    )
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=of_dashes(there))
    points = base.mark_point(filled=True, size=35, opacity=1).encode(shape=of_shape(there))
    chart: alt.LayerChart = (lines + points).properties(height=280)
    return chart


@once_for_equal_tables
def code_bits(pairs: pd.DataFrame) -> alt.LayerChart:
    """Two codes above each other, bit by bit, with a mark under each bit that differs.

    Columns: place (from 1), whose (query or result), sign (1 or -1), differs.
    """
    shown = _laid_out(pairs)
    marks = shown[shown["differs"] & (shown["whose"] == "query")]
    marks = marks.assign(row=marks["row"] + 2, mark="≠")
    lines = (int(pairs["place"].max()) - 1) // LINE + 1
    rows = [ROWS * line + row for line in range(lines) for row in range(ROWS)][:-1]
    # every row has its name: an axis that thins its labels leaves some that read as another's
    labels = alt.Axis(
        labelExpr=_row_names(int(pairs["place"].max())),
        labelOverlap=False, labelFlush=False, grid=False, ticks=False, domain=False,
    )  # fmt: skip
    y = alt.Y("row:O", title=None, scale=alt.Scale(domain=rows), axis=labels)
    x = alt.X("bit:O", axis=None, scale=alt.Scale(domain=list(range(LINE))))
    tips = [
        alt.Tooltip("place:Q", title="Bit", format=","),
        alt.Tooltip("whose:N", title="of the"),
        alt.Tooltip("sign:N", title="is"),
    ]
    colour = alt.Scale(domain=["+1", "−1"], range=[ONE, OTHER])
    cells = (
        alt.Chart(shown)
        .mark_rect(cornerRadius=2, strokeWidth=2, stroke="transparent", xOffset=1, x2Offset=-1)
        .encode(
            x=x,
            y=y,
            color=alt.Color("sign:N", scale=colour, title=None, legend=LEGEND),
            stroke=alt.condition("datum.differs", alt.value(WORSE), alt.value("transparent")),
            tooltip=tips,
        )
    )
    words = alt.Chart(marks).mark_text(color=WORSE, fontSize=13, fontWeight="bold")
    drawn = cells + words.encode(x=x, y=y, text="mark:N", tooltip=tips)
    chart: alt.LayerChart = drawn.properties(height=of_rows(len(rows), 20, KINDS))
    return chart


BOUND = ("mean", "worst", "best")
BOUNDS = [
    alt.Tooltip("mean:Q", title="Mean, ties in gallery order", format=".3f"),
    tip("worst", "lower bound"),
    tip("best", "upper bound"),
    alt.Tooltip("scored:Q", title="Queries scored", format=","),
    alt.Tooltip("total:Q", title="of", format=","),
]


def _laid_out(pairs: pd.DataFrame) -> pd.DataFrame:
    """Each bit with its place in the drawing (bit across, row down) and its sign in words."""
    place = pairs["place"] - 1
    return pairs.assign(
        bit=place % LINE,
        row=ROWS * (place // LINE) + pairs["whose"].map({"query": 0, "result": 1}),
        sign=pairs["sign"].map({1: "+1", -1: "−1"}),
    )


def _row_names(bits: int) -> str:
    """What stands beside each row: of which bits the query's are, the result's, and the marks."""
    first = f"{LINE} * floor(datum.value / {ROWS})"
    of_bits = f"'query ' + ({first} + 1) + '–' + min({first} + {LINE}, {bits})"
    return f"[{of_bits}, 'result', 'differs', ''][datum.value % {ROWS}]"


def _banded(base: alt.Chart, line: alt.Chart, points: alt.Chart) -> alt.LayerChart:
    band = base.mark_area(opacity=0.14).encode(y=alt.Y("worst:Q", title=None), y2="best:Q")
    y = alt.Y("mean:Q", title=None, scale=SHARE)
    chart: alt.LayerChart = (band + line.encode(y=y) + points.encode(y=y)).properties(height=280)
    return chart


def _there(means: pd.DataFrame, ways: dict[str, Way]) -> dict[str, Way]:
    """The ways, the same as everywhere, of the versions that a table has."""
    runs = set(means["run"])
    return {run: way for run, way in ways.items() if run in runs}


def _whole(values: pd.Series) -> alt.Axis:
    """An axis with a mark at each of the values and nowhere else."""
    there = sorted(int(value) for value in values.dropna().unique())
    return alt.Axis(values=there, format="d", grid=False, labelOverlap="greedy")
