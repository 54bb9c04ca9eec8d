"""Lists that people saw: relevance by list, and how metrics agree with satisfaction."""

from __future__ import annotations

import altair as alt
import pandas as pd

from dashboard.views.charts.colours import SAME
from dashboard.views.charts.equal_tables import once_for_equal_tables
from dashboard.views.charts.heights import TOP, of_rows
from dashboard.views.charts.texts import tip, with_texts

DOT = "#2f80d8"
# the darkest part is left out: it could not be seen on the dark page
FELT = alt.Scale(domain=[0, 1], scheme=alt.SchemeParams(name="plasma", extent=[0.15, 0.95]))


@once_for_equal_tables
def means_and_deviations(spread: pd.DataFrame) -> alt.Chart:
    """The source's figure 3a: a point a list, mean relevance against its standard deviation.

    Columns: list_id, words, version, participant, mean, deviation, satisfaction (colour; null:
    grey). A click selects a list as `pick`.
    """
    felt = alt.Color(
        "satisfaction:Q",
        scale=FELT,
        legend=alt.Legend(
            orient="top",
            title="Satisfaction, 0 to 1 per participant",
            titleLimit=320,
            gradientLength=220,
        ),
    )
    pick = alt.selection_point(name="pick", fields=["list"], on="click", empty=False)
    chart: alt.Chart = (
        alt.Chart(_named(spread))
        .mark_circle(size=60, opacity=0.85, cursor="pointer", stroke=SAME, strokeWidth=0.5)
        .encode(
            x=alt.X("mean:Q", title="Mean of r", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("deviation:Q", title="Standard deviation of r", scale=alt.Scale(domainMin=0)),
            color=alt.condition("isValid(datum.satisfaction)", felt, alt.value(SAME)),
            tooltip=[*_ABOUT, *_MEAN, _FELT],
        )
        .add_params(pick)
        .properties(height=320)
    )
    return chart


@once_for_equal_tables
def deviations(spread: pd.DataFrame) -> alt.LayerChart:
    """The source's figure 3b: a point a list, standard deviation of r against that of r′.

    Columns: list_id, words, version, participant, deviation, deviation_in_context. Above the dashed
    line r′ varies more than r.
    """
    most = max(float(spread[["deviation", "deviation_in_context"]].max().max()), 0.05)
    ends = pd.DataFrame({"deviation": [0.0, most], "deviation_in_context": [0.0, most]})
    scale = alt.Scale(domain=[0, most], nice=False, padding=8)
    x = alt.X("deviation:Q", title="Standard deviation of r", scale=scale)
    y = alt.Y("deviation_in_context:Q", title="Standard deviation of r′", scale=scale)
    line = alt.Chart(ends).mark_line(strokeDash=[4, 3], color=SAME).encode(x=x, y=y)
    dots = (
        alt.Chart(_named(spread))
        .mark_circle(size=45, opacity=0.65, color=DOT)
        .encode(x=x, y=y, tooltip=[*_ABOUT, *_DEVIATIONS])
    )
    chart: alt.LayerChart = (line + dots).properties(height=320)
    return chart


@once_for_equal_tables
def gain_matrix(gains: pd.DataFrame) -> alt.LayerChart:
    """Spearman of each metric with satisfaction under both gains, the number in the cell.

    Columns: discount, gain, r, text (the number with its star and dagger), p, n.
    """
    shown = with_texts(gains.assign(ink=[_ink(r) for r in gains["r"]]), ("r",), (), ("p",))
    base = alt.Chart(shown).encode(
        x=alt.X("gain:N", title=None, sort=None, axis=alt.Axis(orient="top", labelAngle=0)),
        y=alt.Y("discount:N", title=None, sort=None),
        tooltip=[
            alt.Tooltip("discount:N", title="Discount"),
            alt.Tooltip("gain:N", title="Gain"),
            tip("r", "Spearman"),
            tip("p", "p"),
            alt.Tooltip("n:Q", title="Lists", format=","),
        ],
    )
    cells = base.mark_rect(cornerRadius=3, stroke="transparent", strokeWidth=3).encode(
        color=alt.Color("r:Q", scale=alt.Scale(scheme="redblue", domain=[-1, 1]), legend=None)
    )
    words = base.mark_text(fontSize=14).encode(
        text="text:N", color=alt.Color("ink:N", scale=None, legend=None)
    )
    high = of_rows(shown["discount"].nunique(), 36, TOP)
    chart: alt.LayerChart = (
        (cells + words).resolve_scale(color="independent").properties(height=high)
    )
    return chart


def _ink(r: float) -> str:
    """What can be read on a cell; without a number the page shines through, light or dark."""
    if pd.isna(r):
        return SAME
    return "#ffffff" if abs(r) > 0.6 else "#17202b"


def _named(spread: pd.DataFrame) -> pd.DataFrame:
    measured = ("mean", "deviation", "deviation_in_context", "satisfaction")
    there = [name for name in measured if name in spread]
    return with_texts(spread.rename(columns={"list_id": "list"}), there)


_ABOUT = [
    alt.Tooltip("list:N", title="List"),
    alt.Tooltip("words:N", title="Query"),
    alt.Tooltip("version:N", title="Version"),
    alt.Tooltip("participant:N", title="Seen by"),
]
_MEAN = [
    tip("mean", "Mean of r"),
    tip("deviation", "Standard deviation of r"),
]
_DEVIATIONS = [
    tip("deviation", "Standard deviation of r"),
    tip("deviation_in_context", "Standard deviation of r′"),
]
_FELT = tip("satisfaction", "Satisfaction")
