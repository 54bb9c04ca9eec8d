"""How versions stand: over K, by keyword, by slice."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from dashboard.views.charts.axes import of_values
from dashboard.views.charts.colours import (
    BASELINE,
    FAINT,
    SAME,
    SMALL_SLICE,
    VERSION_COLOURS,
    Way,
    further_rows,
    of_colour,
    of_dashes,
    of_shape,
)
from dashboard.views.charts.equal_tables import once_for_equal_tables
from dashboard.views.charts.heights import BOTTOM, KINDS, TOP, of_rows
from dashboard.views.charts.texts import tip, with_texts

FEW = 5
"""Curves that can be told apart."""
GRID, WIDE_GRID, LETTER = 320, 640, 7
"""Pixels: of all columns of the grid beside a table, of more than `FEW` below each other, and of a
letter of their names."""


@once_for_equal_tables
def curves(means: pd.DataFrame, ways: dict[str, Way]) -> alt.LayerChart:
    """The mean of one metric over K, a line a version. Of many versions a few are drawn in their
    ways, the others in grey.

    Columns: run, cutoff, mean, low, high (of the 95 % interval, drawn as a band), scored, total.
    """
    shown = with_texts(means.dropna(subset=["mean"]), ("mean",))
    front = {run: ways[run] for run in in_front(shown, ways)}
    y = of_values(shown[["mean", "high"]].to_numpy().ravel(), None)
    tips = [
        alt.Tooltip("run:N", title="Version"),
        alt.Tooltip("cutoff:Q", title="K", format=","),
        tip("mean", "Mean"),
        alt.Tooltip("scored:Q", title="Queries scored", format=","),
        alt.Tooltip("total:Q", title="of", format=","),
    ]
    x = alt.X("cutoff:Q", title="K", axis=alt.Axis(tickMinStep=1, format="d", grid=False))
    mean = alt.Y("mean:Q", **y)
    is_front = shown["run"].isin(list(front))
    base = alt.Chart(shown[is_front]).encode(x=x, y=mean, color=of_colour(front), tooltip=tips)
    rest = alt.Chart(shown[~is_front]).mark_line(strokeWidth=1.5, color=SAME, opacity=0.45)
    band = base.mark_area(opacity=0.12).encode(y=alt.Y("low:Q", **y), y2="high:Q")
    points = base.mark_point(filled=True, size=55).encode(shape=of_shape(front))
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=of_dashes(front))
    behind = [rest.encode(x=x, y=mean, detail="run:N", tooltip=tips)] * (not is_front.all())
    layers = alt.layer(*behind, band, lines, points)
    chart: alt.LayerChart = layers.properties(height=280 + further_rows(front))  # type: ignore[assignment]
    return chart


def in_front(means: pd.DataFrame, ways: dict[str, Way]) -> list[str]:
    """The versions that curves show in their ways: all of a few, of many the baseline, the
    candidate and those with the best means, in the order of `ways`. Columns: run, mean."""
    if len(ways) <= FEW:
        return list(ways)
    pair = [run for run, way in ways.items() if way.colour in (BASELINE.colour, VERSION_COLOURS[0])]
    best = means.groupby("run")["mean"].mean().sort_values(ascending=False, kind="stable").index
    chosen = list(dict.fromkeys([*pair[:2], *best]))[:FEW]
    return [run for run in ways if run in chosen]


@once_for_equal_tables
def keyword_bars(means: pd.DataFrame, ways: dict[str, Way]) -> alt.LayerChart:
    """The mean for the queries that ask for each keyword, a bar a version with its shape behind it;
    of many versions those alone that curves show in their ways.

    Columns: group, keyword, run, mean, scored. Keywords with fewer than 5 scored queries are shown
    pale.
    """
    ways = {run: ways[run] for run in in_front(means, ways)}
    means = means[means["run"].isin(list(ways))]
    shown = means.assign(
        name=means["keyword"] + "  (" + means["scored"].astype("str") + ")",
        strength=(means["scored"] >= SMALL_SLICE).map({True: 1.0, False: 0.35}),
    )
    shown = with_texts(shown, ("mean",))
    step = 13 * max(means["run"].nunique(), 1) / 0.8  # a fifth is left free between keywords
    base = alt.Chart(shown).encode(
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=220)),
        yOffset=alt.YOffset("run:N", sort=list(ways)),
        x=alt.X("mean:Q", **of_values(means["mean"], None)),
        color=of_colour(ways),
        opacity=alt.Opacity("strength:Q", scale=None, legend=None),
        tooltip=[
            alt.Tooltip("keyword:N", title="Keyword"),
            alt.Tooltip("run:N", title="Version"),
            tip("mean", "Mean"),
            alt.Tooltip("scored:Q", title="Queries scored", format=","),
        ],
    )
    ends = base.mark_point(filled=True, size=45, xOffset=7).encode(shape=of_shape(ways))
    high = of_rows(means["keyword"].nunique(), step, BOTTOM, KINDS, further_rows(ways))
    chart: alt.LayerChart = (base.mark_bar(cornerRadiusEnd=2) + ends).properties(height=high)
    return chart


@once_for_equal_tables
def slice_grid(means: pd.DataFrame, versions: Sequence[str]) -> alt.LayerChart:
    """One metric on every slice × version: one hue, the number in the cell, small slices pale.

    Columns: slice, run, mean, scored, delta, delta_low, delta_high. A click selects the slice as
    `pick`.
    """
    strongest = _strongest(means["mean"])
    shown = with_texts(_cells(means, strongest), ("mean",), ("delta", "delta_low", "delta_high"))
    base = alt.Chart(shown).encode(
        x=alt.X("run:N", title=None, sort=list(versions), axis=_names_above(versions)),
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)),
        tooltip=[
            alt.Tooltip("slice:N", title="Slice"),
            alt.Tooltip("run:N", title="Version"),
            tip("mean", "Mean"),
            alt.Tooltip("scored:Q", title="Queries scored", format=","),
            tip("delta", "Difference to the baseline"),
            tip("delta_low", "95 % from"),
            tip("delta_high", "to"),
        ],
    )
    pick = alt.selection_point(name="pick", fields=["slice"])
    blues = alt.Scale(scheme="blues", domain=[0, strongest])
    cells = base.mark_rect(
        cornerRadius=3, stroke="transparent", strokeWidth=3, cursor="pointer"
    ).encode(
        color=alt.Color("mean:Q", scale=blues, legend=None),
        opacity=alt.Opacity("strength:Q", scale=None, legend=None),
    )
    words = base.mark_text(fontSize=13).encode(
        text="mean_text:N", color=alt.Color("ink:N", scale=None, legend=None)
    )
    layers = (cells.add_params(pick) + words).resolve_scale(color="independent")
    slant = 0.7 * LETTER * min(max(map(len, versions)), 22) * (not _fit(versions))
    chart: alt.LayerChart = layers.properties(
        height=of_rows(shown["name"].nunique(), 30, TOP, slant)
    )
    return chart


def _cells(means: pd.DataFrame, strongest: float) -> pd.DataFrame:
    """The means with what is drawn of each: name of its slice, strength and ink."""
    most = means.groupby("slice")["scored"].transform("max")
    shares = means["mean"] / strongest
    return means.assign(
        strength=(means["scored"] >= SMALL_SLICE).map({True: 1.0, False: 0.35}),
        ink=[_ink(share, scored) for share, scored in zip(shares, means["scored"], strict=True)],
        name=means["slice"] + "  (" + most.astype("str") + ")",
    )


def _names_above(versions: Sequence[str]) -> alt.Axis:
    """The name of every version above its column: slanted where they would not fit side by side,
    because Vega leaves out those that overlap."""
    angle = 0 if _fit(versions) else -45
    return alt.Axis(orient="top", labelAngle=angle, labelOverlap=False, labelLimit=160)


def _fit(versions: Sequence[str]) -> bool:
    """Whether the names of versions fit side by side above their columns."""
    across = GRID if len(versions) <= FEW else WIDE_GRID
    return max(map(len, versions), default=0) * LETTER <= across / max(len(versions), 1)


def _strongest(means: pd.Series) -> float:
    """The mean that has the darkest cell: 1, unless all are far from it."""
    largest = float(means.max())
    return largest if 0 < largest < FAINT else max(1.0, largest)


def _ink(mean: float, scored: int) -> str:
    """What can be read on a cell; a pale one lets the page shine through, light or dark."""
    if scored < SMALL_SLICE:
        return SAME
    return "#ffffff" if mean > 0.55 else "#17202b"
