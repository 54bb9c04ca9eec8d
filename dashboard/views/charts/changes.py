"""How a candidate differs from its baseline: by metric, and query by query."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from dashboard.evaluation.comparison.verdict import direction
from dashboard.evaluation.digits import decimals, signed
from dashboard.tables import counted
from dashboard.views.charts.axes import of_differences, of_values, round_end
from dashboard.views.charts.colours import BETTER, FAINT, LEGEND, SAME, SMALL_SLICE, WORSE
from dashboard.views.charts.equal_tables import once_for_equal_tables
from dashboard.views.charts.heights import BOTTOM, KINDS, of_rows
from dashboard.views.charts.texts import tip, with_texts
from dashboard.views.labels import group_name


@once_for_equal_tables
def forest(rows: pd.DataFrame) -> alt.LayerChart:
    """Difference of each metric with its 95 % interval.

    Columns: label, delta, low, high, p, p_holm, scored. Better and worse are said only where p,
    corrected for the metrics shown, is below 0.05, as the verdict says them.
    """
    kinds = [direction(row).replace("unclear", _UNCLEAR) for _, row in rows.iterrows()]
    shown = with_texts(rows.assign(kind=kinds), (), (), ("p", "p_holm"))
    tips = [tip("p", "p"), tip("p_holm", "p after Holm")]
    return _intervals(shown, "Metric", tips, 30)


@once_for_equal_tables
def slice_intervals(rows: pd.DataFrame) -> alt.LayerChart:
    """Difference on each slice with its 95 % interval; slices with few scored queries are pale.

    Columns: by, slice, delta, low, high, scored. A slice is better or worse where its interval
    leaves out 0.
    """
    kinds = ["better" if low > 0 else "worse" if high < 0 else _UNCLEAR
             for low, high in zip(rows["low"], rows["high"], strict=True)]  # fmt: skip
    names = zip(rows["by"], rows["slice"], strict=True)
    labels = [name if by == "all" else f"{group_name(by)}: {name}" for by, name in names]
    strength = (rows["scored"] >= SMALL_SLICE).map({True: 1.0, False: 0.35})
    return _intervals(rows.assign(label=labels, kind=kinds, strength=strength), "Slice", [], 20)


def _intervals(
    rows: pd.DataFrame, what: str, tips: Sequence[alt.Tooltip], step: float
) -> alt.LayerChart:
    """A row for each difference: its interval as a bar, itself as a mark that tells its kind.

    Columns: label, delta, low, high, kind, scored; where some are pale, strength.
    """
    shown = with_texts(rows, (), ("delta", "low", "high"))
    ends = ", 95 % from " + shown["low_text"] + " to " + shown["high_text"]
    words = shown["label"] + ": " + shown["delta_text"] + ends.where(rows["low"].notna(), "")
    base = alt.Chart(shown.assign(words=words)).encode(
        y=alt.Y("label:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)),
        color=alt.Color("kind:N", scale=_kind_scale(), title=None, legend=LEGEND),
        description="words:N",
        tooltip=[
            alt.Tooltip("label:N", title=what),
            tip("delta", "Difference"),
            tip("low", "95 % from"),
            tip("high", "to"),
            *tips,
            alt.Tooltip("scored:Q", title="Queries scored in both", format=","),
        ],
    )
    if "strength" in shown:
        base = base.encode(opacity=alt.Opacity("strength:Q", scale=None, legend=None))
    every = rows[["low", "high", "delta"]].to_numpy().ravel()
    axis = alt.X("low:Q", **of_differences(every, "candidate − baseline"))
    zero = alt.Chart(pd.DataFrame({"zero": [0.0]})).mark_rule(
        strokeDash=[3, 3], opacity=0.6, aria=False
    )
    chart: alt.LayerChart = (
        zero.encode(x="zero:Q")
        + base.mark_rule(strokeWidth=3).encode(x=axis, x2="high:Q")
        + base.mark_point(filled=True, size=90, opacity=1).encode(x="delta:Q", shape=_kind_shape())
    ).properties(height=of_rows(len(rows), step, BOTTOM, KINDS))
    return chart


_UNCLEAR = "no clear difference"
_KINDS = {"better": BETTER, _UNCLEAR: SAME, "worse": WORSE}


def _kind_scale() -> alt.Scale:
    return alt.Scale(domain=list(_KINDS), range=list(_KINDS.values()))


def _kind_shape() -> alt.Shape:
    shapes = ["triangle-up", "circle", "triangle-down"]
    return alt.Shape("kind:N", scale=alt.Scale(domain=list(_KINDS), range=shapes), title=None)


@once_for_equal_tables
def differences(bins: pd.DataFrame, title: str, height: int = 280) -> alt.Chart:
    """How many queries differ by how much. Columns: low, high, queries, side.

    A click selects a bin as `pick`. height: in pixels.
    """
    width = (bins["high"] - bins["low"]).max() if len(bins) else 0
    gaps = bins["low"].diff().abs()
    half = (width or gaps[gaps > 0].min() if len(bins) > 1 else 0.1) * 0.42
    half = min(half, round_end(bins[["low", "high"]].abs().max().max()) / 8 if len(bins) else half)
    middle = (bins["low"] + bins["high"]) / 2
    rows = bins[["queries", "side", "low", "high"]].itertuples(index=False)
    words = [
        f"{_queries(n)} {side}, {signed(low)} to {signed(high)}" for n, side, low, high in rows
    ]
    shown = bins.assign(begin=middle - half, end=middle + half, words=words)
    pick = alt.selection_point(name="pick", fields=["low", "high"])
    digits = decimals([*bins["low"], *bins["high"]], least=2)
    chart: alt.Chart = (
        alt.Chart(shown)
        .mark_bar(cursor="pointer")
        .encode(
            x=alt.X(
                "begin:Q",
                **of_differences([*bins["low"], *bins["high"]], f"Difference in {title}"),
            ),
            x2="end:Q",
            y=alt.Y("queries:Q", title="Queries", axis=alt.Axis(tickMinStep=1, format="d")),
            y2=alt.datum(0),
            color=alt.Color("side:N", scale=_SIDES, title=None, legend=LEGEND),
            description="words:N",
            tooltip=[
                alt.Tooltip("side:N", title="Candidate is"),
                alt.Tooltip("queries:Q", title="Queries", format=","),
                alt.Tooltip("low:Q", title="from", format=f"+.{digits + 1}f"),
                alt.Tooltip("high:Q", title="to", format=f"+.{digits + 1}f"),
            ],
        )
        .add_params(pick)
        .properties(height=height)
    )
    return chart


@once_for_equal_tables
def pairs(deltas: pd.DataFrame, baseline: str, candidate: str) -> alt.LayerChart:
    """Each query's value in the baseline against the candidate; equal ones share a bubble. Where
    every value is 0 or 1, a bar for each of the four ways.

    Columns: baseline, candidate, outcome. A click selects a place as `pick`.
    """
    shown = _at_one_place(deltas)
    if len(shown) and set(shown["baseline"]) | set(shown["candidate"]) <= {0.0, 1.0}:
        return _four_ways(shown, baseline, candidate)
    largest = max([0.0, *shown["baseline"], *shown["candidate"]])
    most = round_end(largest) if largest < FAINT or largest > 1 else 1.0
    scale = alt.Scale(domain=[0, most], nice=False, padding=12)
    size = alt.Scale(domain=[0, max(10, shown["queries"].max())], range=[20, 900])
    ends = pd.DataFrame({"baseline": [0.0, most], "candidate": [0.0, most]})
    axis = of_values([most], None)["axis"]
    x = alt.X("baseline:Q", title=baseline, scale=scale, axis=axis)
    y = alt.Y("candidate:Q", title=candidate, scale=scale, axis=axis)
    line = alt.Chart(ends).mark_line(strokeDash=[3, 3], opacity=0.5, color=SAME, aria=False)
    pick = alt.selection_point(name="pick", fields=["baseline", "candidate"])
    bubbles = (
        alt.Chart(shown)
        .mark_circle(opacity=0.75, cursor="pointer")
        .encode(
            x=x,
            y=y,
            size=alt.Size("queries:Q", scale=size, legend=None),
            color=alt.Color("side:N", scale=_SIDES, title=None, legend=LEGEND),
            description="words:N",
            tooltip=[
                alt.Tooltip("queries:Q", title="Queries", format=","),
                tip("baseline", baseline),
                tip("candidate", candidate),
            ],
        )
        .add_params(pick)
    )
    chart: alt.LayerChart = (line.encode(x=x, y=y) + bubbles).properties(height=340)
    return chart


def _four_ways(shown: pd.DataFrame, baseline: str, candidate: str) -> alt.LayerChart:
    """How many queries went from 0 to 1, from 1 to 0, and stayed. Rows of `_at_one_place`."""
    ways = [f"{a:g} → {b:g}" for a, b in zip(shown["baseline"], shown["candidate"], strict=True)]
    pick = alt.selection_point(name="pick", fields=["baseline", "candidate"])
    base = alt.Chart(shown.assign(way=ways)).encode(
        y=alt.Y("way:N", title=f"{baseline} → {candidate}", sort=["0 → 1", "1 → 1", "0 → 0"]),
        x=alt.X(
            "queries:Q",
            title="Queries",
            axis=alt.Axis(tickMinStep=1, tickCount=5, format="d"),
            scale=alt.Scale(padding=24),  # for the number behind the longest bar
        ),
        description="words:N",
        tooltip=[
            alt.Tooltip("queries:Q", title="Queries", format=","),
            alt.Tooltip("way:N", title="Values"),
        ],
    )
    color = alt.Color("side:N", scale=_SIDES, title=None, legend=LEGEND)
    bars = base.mark_bar(cursor="pointer").encode(color=color).add_params(pick)
    words = base.mark_text(align="left", dx=5, color=SAME, aria=False).encode(text="queries:Q")
    chart: alt.LayerChart = (bars + words).properties(height=of_rows(4, 34, BOTTOM, KINDS))
    return chart


def _at_one_place(deltas: pd.DataFrame) -> pd.DataFrame:
    """A row for each pair of values that some query has: baseline, candidate, queries, side, and
    what it is in words."""
    known = deltas.dropna(subset=["delta"]).round({"baseline": 6, "candidate": 6})
    shown = known.groupby(["baseline", "candidate"]).size().reset_index(name="queries")
    shown["side"] = (shown["candidate"] - shown["baseline"]).map(_side)
    shown = with_texts(shown, ("baseline", "candidate"))
    words = [
        f"{_queries(row['queries'])}: {row['baseline_text']}, then {row['candidate_text']}"
        for row in shown.to_dict("records")
    ]
    return shown.assign(words=words)


def _queries(number: int) -> str:
    return counted(number, "query", "queries")


_SIDES = alt.Scale(domain=["worse", "same", "better"], range=[WORSE, SAME, BETTER])


def _side(delta: float) -> str:
    return "same" if abs(delta) < 1e-9 else "better" if delta > 0 else "worse"
