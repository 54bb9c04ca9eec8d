"""How versions stand by mean average precision."""

from __future__ import annotations

import altair as alt
import pandas as pd

from dashboard.views.charts.axes import of_values
from dashboard.views.charts.colours import Way, of_colour, of_shape
from dashboard.views.charts.equal_tables import once_for_equal_tables
from dashboard.views.charts.heights import BOTTOM, of_rows
from dashboard.views.charts.texts import tip, with_texts


@once_for_equal_tables
def standings(table: pd.DataFrame, ways: dict[str, Way]) -> alt.LayerChart:
    """The mean of each version with its 95 % interval, in the order of the rows.

    Columns: run, mean, low, high, scored, total.
    """
    known = with_texts(table.dropna(subset=["mean"]), ("mean", "low", "high"))
    base = alt.Chart(known).encode(
        y=alt.Y("run:N", title=None, sort=known["run"].tolist(), axis=alt.Axis(labelLimit=200)),
        color=of_colour(ways, legend=False),
        tooltip=[
            alt.Tooltip("run:N", title="Version"),
            tip("mean", "mAP"),
            tip("low", "95 % from"),
            tip("high", "to"),
            alt.Tooltip("scored:Q", title="Queries scored", format=","),
            alt.Tooltip("total:Q", title="of", format=","),
        ],
    )
    axis = alt.X("low:Q", **of_values(known["high"], "mAP with its 95 % interval"))
    interval = base.mark_rule(strokeWidth=3).encode(x=axis, x2="high:Q")
    mean = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X("mean:Q"), shape=of_shape(ways, legend=False)
    )
    chart: alt.LayerChart = (interval + mean).properties(height=of_rows(len(known), 36, BOTTOM))
    return chart
