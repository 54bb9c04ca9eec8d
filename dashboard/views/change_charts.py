"""Charts of differences between two versions; points and bars of some can be picked."""

from typing import Any

import altair as alt
import streamlit as st

from dashboard.evaluation.differences import write_signed
from dashboard.evaluation.slicing import ALL
from dashboard.tables import Row, Rows
from dashboard.texts import write_number
from dashboard.views.address import set_choice
from dashboard.views.charts import (
    FIT,
    QUIET,
    make_axis,
    make_chart,
    pick_ink,
    protect_name,
    show_chart,
    tell_number,
)

WORSE, SAME, BETTER = "#d55e00", "#7b8794", "#00987a"
NAMES = ["worse", "same", "better", "not worse", "cannot tell", "few"]
COLOUR = alt.Color(
    "outcome:N",
    scale=alt.Scale(domain=NAMES, range=[WORSE, SAME, BETTER, SAME, SAME, SAME]),
    legend=None,
)
SHAPE = alt.Shape(
    "outcome:N",
    scale=alt.Scale(
        domain=NAMES,
        range=["triangle-down", "circle", "triangle-up", "diamond", "circle", "circle"],
    ),
    legend=None,
)
PICK = "pick"


def make_pick(field: str) -> Any:
    """Return the selection of one value of a field."""
    return alt.selection_point(name=PICK, fields=[field], toggle=False)


def draw_pickable(chart: Any, name: str, field: str, choice: str) -> None:
    """Draw a chart in which one value can be picked; the picked one is that of the address.

    Args:
        chart: It has the selection PICK.
        name: Name of the chart on its screen.
        field: Field of the value.
        choice: Key of the choice that the picked value becomes, "" for none any more.
    """
    now = st.query_params.get(choice, "")
    key = f"{name} {now}"  # a chart that kept what was picked before Back would not send it again

    def pick() -> None:
        picked = st.session_state[key]["selection"].get(PICK, [])
        set_choice(choice, str(picked[0].get(field, "")) if picked else "")

    show_chart(chart, {field: now} if now else None, on_select=pick, key=key)


def write_bin(change: float) -> str:
    """Return the end of a bin with as many decimals as it has, at least 3; no two are alike."""
    written = write_number(change, "+")
    written = written if float(written) == change else f"{change:+.12f}".rstrip("0")
    return written.replace("-", "−")


def draw_histogram(rows: Rows, metric: str) -> Any:
    """Return the number of queries by change; a bar can be picked.

    Args:
        rows: `bin`, `change` (the end of the bin that is farther from zero), queries and outcome.
        metric: Name of the metric.
    """
    pick = make_pick("label")
    base = make_chart([{**row, "label": write_bin(row["change"])} for row in rows]).encode(
        x=alt.X(
            "label:N",
            sort=None,
            title=[f"Change in {metric}", "(each bar: up to this)"],
            axis=alt.Axis(labelAngle=0, labelOverlap=True),
        ),
        y=alt.Y("queries:Q", title=None, axis=None),
        tooltip=[alt.Tooltip("label:N", title="change, up to"), alt.Tooltip("queries:Q")],
    )
    bars = base.mark_bar(stroke=QUIET, cursor="pointer").encode(
        color=COLOUR, opacity=alt.condition(pick, alt.value(1), alt.value(0.3))
    )
    counts = (
        base.transform_filter("datum.queries > 0")
        .mark_text(dy=-8, fontWeight="bold")
        .encode(text=alt.Text("queries:Q"))
    )
    return alt.layer(bars.add_params(pick), counts, height=150)


def draw_scatter(rows: Rows, metric: str, baseline: str, candidate: str) -> Any:
    """Return the values of both versions, equal ones as one point that can be picked.

    Args:
        rows: `point`, baseline, candidate, queries and outcome.
        metric: Name of the metric.
        baseline: Name of the version on the x axis.
        candidate: Name of the version on the y axis.
    """
    pick = make_pick("point")
    most = max((row[key] for row in rows for key in ("baseline", "candidate")), default=1.0)
    titles = f"{metric}, {baseline}", f"{metric}, {candidate}"
    diagonal = make_chart([{"value": 0.0}, {"value": most}]).mark_line(
        strokeDash=[4, 4], color=QUIET
    )
    points = (
        make_chart(rows)
        .mark_point(filled=True, stroke=QUIET, cursor="pointer")
        .encode(
            x=alt.X("baseline:Q", title=titles[0]),
            y=alt.Y("candidate:Q", title=titles[1]),
            color=COLOUR,
            shape=SHAPE,
            size=alt.Size("queries:Q", scale=alt.Scale(range=[60, 500], zero=True), legend=None),
            opacity=alt.condition(pick, alt.value(0.85), alt.value(0.25)),
            tooltip=[
                alt.Tooltip("queries:Q"),
                tell_number("baseline", baseline),
                tell_number("candidate", candidate),
            ],
        )
        .add_params(pick)
    )
    same = diagonal.encode(x=alt.X("value:Q", title=titles[0]), y=alt.Y("value:Q", title=titles[1]))
    return alt.layer(same, points, height=260)


def draw_bar(row: Row) -> Any:
    """Return one difference with its interval on an axis with 0; delta, low, high and outcome."""
    texts = {f"{end}_text": write_signed(row[end]) for end in ("low", "high")}
    base = make_chart([{**row, **texts}])
    bar = base.mark_rule(strokeWidth=8).encode(
        x=alt.X(
            "low:Q",
            title=None,
            scale=alt.Scale(padding=24, nice=False),
            axis=alt.Axis(tickCount=6),
        ),
        x2=alt.X2("high:Q"),
        color=COLOUR,
    )
    zero = base.mark_rule(strokeDash=[4, 4], color=QUIET).encode(x=alt.XDatum(0, title=None))
    point = base.mark_tick(thickness=3, size=24).encode(x=alt.X("delta:Q", title=None))
    ends = [
        base.mark_text(dy=-16).encode(x=alt.X(f"{end}:Q"), text=alt.Text(f"{end}_text:N"))
        for end in ("low", "high")
    ]
    return alt.layer(zero, bar, point, *ends, height=88)


def draw_forest(rows: Rows, title: str, picked: bool = False) -> Any:
    """Return differences with their intervals, one below the other.

    Args:
        rows: name, label (how it is shown), delta, low and high (None: no interval), outcome, and
            note at the right end.
        title: Title of the axis.
        picked: Whether a point can be picked, by its name.
    """
    rows = [
        row | {end: row["delta"] for end in ("low", "high") if row[end] is None}
        for row in rows
        if row["delta"] is not None
    ]
    axis = make_axis(rows, "low", "high")
    base = make_chart(rows).encode(
        y=alt.Y("name:N", sort=[row["name"] for row in rows], title=None, axis=None),
        tooltip=[alt.Tooltip("name:N"), alt.Tooltip("note:N")],
    )
    bars = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", title=title, axis=axis), x2=alt.X2("high:Q"), color=COLOUR
    )
    points = base.mark_point(filled=True, size=90, opacity=1, cursor="pointer").encode(
        x=alt.X("delta:Q", title=title), color=COLOUR, shape=SHAPE
    )
    if picked:
        pick = make_pick("name")
        points = points.encode(
            stroke=alt.condition(pick, alt.value(pick_ink()), alt.value(None), empty=False)
        )
        points = points.add_params(pick)
    left = base.mark_text(align="left", dx=4, dy=-14, limit=alt.expr("width - 150")).encode(
        x=alt.XValue(0), text=alt.Text("label:N")
    )
    right = base.mark_text(align="right", dy=-14).encode(
        x=alt.XValue("width"), text=alt.Text("note:N")
    )
    # a mark for each bar: a line would cross names and notes
    zero = base.mark_tick(size=18, thickness=2, color=QUIET).encode(x=alt.XDatum(0, title=title))
    return alt.layer(zero, bars, points, left, right, height=36 * len(rows), autosize=FIT)


def draw_heatmap(rows: Rows, first: str, second: str) -> Any:
    """Return the mean difference of each pair of slices; a cell can be picked.

    Args:
        rows: `first` and `second` (the values), gain, queries, note ("+0.033") and count ("n 3*",
            marked where there are too few queries for an interval).
        first: Column of the lines.
        second: Column of the columns.
    """
    pick = make_pick("slice")
    farthest = max((abs(row["gain"]) for row in rows if row["gain"] is not None), default=1.0)
    scale = alt.Scale(
        domain=[-farthest, 0, farthest], range=[WORSE, "#e9edf2", BETTER], interpolate="lab"
    )
    first_names, second_names = (  # in the order of the rows, "all" last
        sorted(dict.fromkeys(protect_name(row[key]) for row in rows), key=ALL.__eq__)
        for key in ("first", "second")
    )
    wrap = alt.Axis(labelAngle=-90, labelLimit=180, orient="top", title=None, ticks=False)
    base = make_chart(rows).encode(
        x=alt.X("second:N", sort=second_names, axis=wrap),
        y=alt.Y(
            "first:N", sort=first_names, title=None, axis=alt.Axis(labelLimit=130, ticks=False)
        ),
        tooltip=[
            alt.Tooltip("first:N", title=protect_name(first)),
            alt.Tooltip("second:N", title=protect_name(second)),
            alt.Tooltip("note:N", title="difference"),
            alt.Tooltip("queries:Q"),
        ],
    )
    cells = base.mark_rect(cornerRadius=4, stroke=QUIET, cursor="pointer").encode(
        color=alt.Color("gain:Q", scale=scale, legend=None),
        strokeWidth=alt.condition(pick, alt.value(3), alt.value(1), empty=False),
    )
    ink = alt.condition("isValid(datum.gain)", alt.value("#0e151d"), alt.value(QUIET))
    inked, size = base.encode(color=ink), alt.expr("bandwidth('x') < 46 ? 9.5 : 12")
    notes = inked.mark_text(dy=-7, fontWeight="bold", fontSize=size).encode(text=alt.Text("note:N"))
    counts = inked.mark_text(dy=8, fontSize=size).encode(text=alt.Text("count:N"))
    return alt.layer(
        cells.add_params(pick), notes, counts, height=46 * len(first_names), autosize=FIT
    )
