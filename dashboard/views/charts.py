"""Tables become charts: each function takes a table and gives an alt.Chart; imports no Streamlit.

Names from data never become field names or expressions: every chart gets columns with names of our
own and carries the data's words as values only.
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

# Told apart with any colour vision; at least 3:1 against the light and the dark page.
VERSION_COLOURS = (
    "#2f80d8", "#d9750b", "#1e9a6e", "#c65b9b", "#8a6fd1", "#a8860b", "#d2492a", "#4b8fa6",
)  # fmt: skip
BETTER, SAME, WORSE = "#1e9a6e", "#7d8794", "#d2492a"
SMALL_SLICE = 5
LEGEND = alt.Legend(orient="top", direction="horizontal", title=None, symbolOpacity=1)


def version_colours(versions: Sequence[str]) -> dict[str, str]:
    """One colour for each version, the same on every screen and chart."""
    return {v: VERSION_COLOURS[i % len(VERSION_COLOURS)] for i, v in enumerate(versions)}


def _version_scale(colours: dict[str, str]) -> alt.Scale:
    return alt.Scale(domain=list(colours), range=list(colours.values()))


def curves(means: pd.DataFrame, colours: dict[str, str]) -> alt.LayerChart:
    """The mean of one metric over K, a line a version.

    Columns: run, cutoff, mean, low, high (of the 95 % interval, drawn as a band), scored, total.
    """
    shown = means.dropna(subset=["mean"])
    base = alt.Chart(shown).encode(
        x=alt.X("cutoff:Q", title="K", axis=alt.Axis(tickMinStep=1, format="d", grid=False)),
        y=alt.Y("mean:Q", title=None, scale=alt.Scale(domainMin=0)),
        color=alt.Color("run:N", scale=_version_scale(colours), title=None, legend=LEGEND),
        tooltip=[
            alt.Tooltip("run:N", title="Version"),
            alt.Tooltip("cutoff:Q", title="K"),
            alt.Tooltip("mean:Q", title="Mean", format=".3f"),
            alt.Tooltip("scored:Q", title="Queries scored"),
            alt.Tooltip("total:Q", title="of"),
        ],
    )
    band = base.mark_area(opacity=0.12).encode(
        y=alt.Y("low:Q", title=None),
        y2="high:Q",
        color=alt.Color("run:N", scale=_version_scale(colours), title=None, legend=LEGEND),
    )
    points = base.mark_point(filled=True, size=55).encode(
        shape=alt.Shape("run:N", title=None, legend=LEGEND, scale=alt.Scale(domain=list(colours)))
    )
    return (band + base.mark_line(strokeWidth=2) + points).properties(height=280)


def keyword_bars(means: pd.DataFrame, colours: dict[str, str]) -> alt.Chart:
    """The mean for the queries that ask for each keyword, a bar a version.

    Columns: group, keyword, run, mean, scored. Keywords with fewer than 5 scored queries are shown
    pale.
    """
    shown = means.assign(
        name=means["keyword"] + "  (" + means["scored"].astype("str") + ")",
        strength=(means["scored"] >= SMALL_SLICE).map({True: 1.0, False: 0.35}),
    )
    bars = (
        alt.Chart(shown)
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=220)),
            yOffset=alt.YOffset("run:N", sort=list(colours)),
            x=alt.X("mean:Q", title=None, scale=alt.Scale(domainMin=0)),
            color=alt.Color("run:N", scale=_version_scale(colours), title=None, legend=LEGEND),
            opacity=alt.Opacity("strength:Q", scale=None, legend=None),
            tooltip=[
                alt.Tooltip("keyword:N", title="Keyword"),
                alt.Tooltip("run:N", title="Version"),
                alt.Tooltip("mean:Q", title="Mean", format=".3f"),
                alt.Tooltip("scored:Q", title="Queries scored"),
            ],
        )
        .properties(height=alt.Step(13))
    )
    return bars


def forest(rows: pd.DataFrame) -> alt.LayerChart:
    """Difference of each metric with its 95 % interval.

    Columns: label, delta, low, high, p, scored.
    """
    shown = rows.assign(
        kind=[_kind(low, high) for low, high in zip(rows["low"], rows["high"], strict=True)]
    )
    base = alt.Chart(shown).encode(
        y=alt.Y("label:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)),
        color=alt.Color("kind:N", scale=_kind_scale(), title=None, legend=LEGEND),
        tooltip=[
            alt.Tooltip("label:N", title="Metric"),
            alt.Tooltip("delta:Q", title="Difference", format="+.3f"),
            alt.Tooltip("low:Q", title="95 % from", format="+.3f"),
            alt.Tooltip("high:Q", title="to", format="+.3f"),
            alt.Tooltip("p:Q", title="p", format=".4f"),
            alt.Tooltip("scored:Q", title="Queries scored in both"),
        ],
    )
    axis = alt.X("low:Q", title="candidate − baseline", axis=alt.Axis(format="+.2f"))
    zero = alt.Chart(pd.DataFrame({"zero": [0.0]})).mark_rule(strokeDash=[3, 3], opacity=0.6)
    return (
        zero.encode(x="zero:Q")
        + base.mark_rule(strokeWidth=3).encode(x=axis, x2="high:Q")
        + base.mark_point(filled=True, size=90, opacity=1).encode(x="delta:Q", shape=_kind_shape())
    ).properties(height=alt.Step(30))


_KINDS = {"better": BETTER, "no clear difference": SAME, "worse": WORSE}


def _kind(low: float, high: float) -> str:
    return "better" if low > 0 else "worse" if high < 0 else "no clear difference"


def _kind_scale() -> alt.Scale:
    return alt.Scale(domain=list(_KINDS), range=list(_KINDS.values()))


def _kind_shape() -> alt.Shape:
    shapes = ["triangle-up", "circle", "triangle-down"]
    return alt.Shape("kind:N", scale=alt.Scale(domain=list(_KINDS), range=shapes), title=None)


def differences(bins: pd.DataFrame, title: str) -> alt.Chart:
    """How many queries differ by how much. Columns: low, high, queries, side.

    A click selects a bin as `pick`.
    """
    width = (bins["high"] - bins["low"]).max() if len(bins) else 0
    gaps = bins["low"].diff().abs()
    half = (width or gaps[gaps > 0].min() if len(bins) > 1 else 0.1) * 0.42
    middle = (bins["low"] + bins["high"]) / 2
    shown = bins.assign(begin=middle - half, end=middle + half)
    pick = alt.selection_point(name="pick", fields=["low", "high"])
    return (
        alt.Chart(shown)
        .mark_bar(cursor="pointer")
        .encode(
            x=alt.X("begin:Q", title=f"Difference in {title}", axis=alt.Axis(format="+.2f")),
            x2="end:Q",
            y=alt.Y("queries:Q", title="Queries", axis=alt.Axis(tickMinStep=1, format="d")),
            y2=alt.datum(0),
            color=alt.Color("side:N", scale=_SIDES, title=None, legend=LEGEND),
            tooltip=[
                alt.Tooltip("side:N", title="Candidate is"),
                alt.Tooltip("queries:Q", title="Queries"),
                alt.Tooltip("low:Q", title="from", format="+.3f"),
                alt.Tooltip("high:Q", title="to", format="+.3f"),
            ],
        )
        .add_params(pick)
        .properties(height=280)
    )


def pairs(deltas: pd.DataFrame, baseline: str, candidate: str) -> alt.LayerChart:
    """Each query's value in the baseline against the candidate; equal ones share a bubble.

    Columns: baseline, candidate, outcome. A click selects a place as `pick`.
    """
    known = deltas.dropna(subset=["delta"]).round({"baseline": 6, "candidate": 6})
    shown = known.groupby(["baseline", "candidate"]).size().reset_index(name="queries")
    shown["side"] = (shown["candidate"] - shown["baseline"]).map(_side)
    most = float(max([1.0, *shown["baseline"], *shown["candidate"]]))
    scale = alt.Scale(domain=[0, most], nice=False, padding=12)
    size = alt.Scale(domain=[0, max(10, shown["queries"].max())], range=[20, 900])
    ends = pd.DataFrame({"baseline": [0.0, most], "candidate": [0.0, most]})
    x = alt.X("baseline:Q", title=baseline, scale=scale)
    y = alt.Y("candidate:Q", title=candidate, scale=scale)
    line = alt.Chart(ends).mark_line(strokeDash=[3, 3], opacity=0.5, color=SAME).encode(x=x, y=y)
    pick = alt.selection_point(name="pick", fields=["baseline", "candidate"])
    bubbles = (
        alt.Chart(shown)
        .mark_circle(opacity=0.75, cursor="pointer")
        .encode(
            x=x,
            y=y,
            size=alt.Size("queries:Q", scale=size, legend=None),
            color=alt.Color("side:N", scale=_SIDES, title=None, legend=LEGEND),
            tooltip=[
                alt.Tooltip("queries:Q", title="Queries"),
                alt.Tooltip("baseline:Q", title=baseline, format=".3f"),
                alt.Tooltip("candidate:Q", title=candidate, format=".3f"),
            ],
        )
        .add_params(pick)
    )
    return (line + bubbles).properties(height=340)


_SIDES = alt.Scale(domain=["worse", "same", "better"], range=[WORSE, SAME, BETTER])


def _side(delta: float) -> str:
    return "same" if abs(delta) < 1e-9 else "better" if delta > 0 else "worse"


def slice_grid(means: pd.DataFrame, versions: Sequence[str]) -> alt.LayerChart:
    """One metric on every slice × version: one hue, the number in the cell, small slices pale.

    Columns: slice, run, mean, scored, delta, delta_low, delta_high. A click selects the slice as
    `pick`.
    """
    most = means.groupby("slice")["scored"].transform("max")
    shown = means.assign(
        strength=(means["scored"] >= SMALL_SLICE).map({True: 1.0, False: 0.35}),
        text=means["mean"].map(lambda x: "–" if pd.isna(x) else f"{x:.2f}"),
        name=means["slice"] + "  (" + most.astype("str") + ")",
    )
    base = alt.Chart(shown).encode(
        x=alt.X(
            "run:N", title=None, sort=list(versions), axis=alt.Axis(orient="top", labelAngle=0)
        ),
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)),
        opacity=alt.Opacity("strength:Q", scale=None, legend=None),
        tooltip=[
            alt.Tooltip("slice:N", title="Slice"),
            alt.Tooltip("run:N", title="Version"),
            alt.Tooltip("mean:Q", title="Mean", format=".3f"),
            alt.Tooltip("scored:Q", title="Queries scored"),
            alt.Tooltip("delta:Q", title="Difference to the baseline", format="+.3f"),
            alt.Tooltip("delta_low:Q", title="95 % from", format="+.3f"),
            alt.Tooltip("delta_high:Q", title="to", format="+.3f"),
        ],
    )
    pick = alt.selection_point(name="pick", fields=["slice"])
    cells = base.mark_rect(
        cornerRadius=3, stroke="transparent", strokeWidth=3, cursor="pointer"
    ).encode(color=alt.Color("mean:Q", scale=alt.Scale(scheme="blues", domain=[0, 1]), legend=None))
    on_dark = alt.condition("datum.mean > 0.55", alt.value("#ffffff"), alt.value("#17202b"))
    words = base.mark_text(fontSize=13).encode(text="text:N", color=on_dark)
    return (cells.add_params(pick) + words).properties(height=alt.Step(30))
