"""Image-text matching: within which rank the first right answer stands."""

from __future__ import annotations

import altair as alt
import pandas as pd

from dashboard.views.charts.colours import SAME, Way, of_colour, of_dashes, of_shape
from dashboard.views.charts.equal_tables import once_for_equal_tables


@once_for_equal_tables
def within_rank(
    shares: pd.DataFrame, chance: pd.DataFrame, ways: dict[str, Way], marks: tuple[int, ...]
) -> alt.LayerChart:
    """The share of queries whose first right answer is within each rank, a line a version.

    shares: run, rank, share, queries; chance: rank, share of a random order, drawn dashed. marks:
    the ranks that tables report, as upright lines, where each version has its shape.
    """
    ticks = sorted({1, 5, 10, *(10**power for power in range(2, 8)), int(shares["rank"].max())})
    axis = alt.Axis(values=ticks, format=",d", grid=False, labelOverlap="greedy")
    log = alt.Scale(type="log", nice=False, padding=8)
    x = alt.X("rank:Q", title="rank", scale=log, axis=axis)
    y = alt.Y("share:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%"))
    tips = [
        alt.Tooltip("rank:Q", title="Within rank", format=","),
        alt.Tooltip("share:Q", title="Queries", format=".1%"),
    ]
    shown = {
        "x": x,
        "y": y,
        "color": of_colour(ways),
        "tooltip": [
            alt.Tooltip("run:N", title="Version"),
            *tips,
            alt.Tooltip("queries:Q", title="of", format=","),
        ],
    }
    lines = alt.Chart(shares).mark_line(strokeWidth=2)
    lines = lines.encode(**shown, strokeDash=of_dashes(ways))
    points = alt.Chart(shares[shares["rank"].isin(marks)]).mark_point(filled=True, opacity=1)
    points = points.encode(**shown, shape=of_shape(ways))
    dashed = alt.Chart(chance).mark_line(strokeDash=[4, 4], color=SAME, strokeWidth=1.5)
    upright = alt.Chart(pd.DataFrame({"rank": [mark for mark in marks if mark in ticks]}))
    rules = upright.mark_rule(strokeDash=[2, 3], opacity=0.5, color=SAME).encode(x=x)
    chart: alt.LayerChart = (
        rules + dashed.encode(x=x, y=y, tooltip=tips) + lines + points
    ).properties(height=300)
    return chart
