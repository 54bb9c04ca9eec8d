"""Charts as inline SVG, coloured by the page's own style so that they fit light, dark and paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dashboard.evaluation.comparison.changes import bins
from dashboard.evaluation.digits import number, signed
from dashboard.views.report.markup import Markup, joined, tag

INTERVAL_WIDTH = 160
_ROW = 22
_WIDTH, _HEIGHT = 420, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 42


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high` are drawn from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)


def steps(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers between `low` and `high`, at most about `most`.

    >>> steps(-0.13, 0.31)
    [-0.1, 0.0, 0.1, 0.2, 0.3]
    >>> steps(0, 23, 4)
    [0.0, 10.0, 20.0]
    """
    raw = (high - low) / most
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * n for n in (1, 2, 5, 10) if size * n >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(n * step, 10) for n in range(first, last + 1)]


def kind(low: float, high: float) -> str:
    """What an interval of differences says: better, worse or same."""
    return "better" if low > 0 else "worse" if high < 0 else "same"


def interval_scale(rows: pd.DataFrame) -> Scale | None:
    """One scale for the intervals of many rows (delta, low, high), 0 included; None: no number."""
    cells = rows[["delta", "low", "high"]].to_numpy("float64", na_value=math.nan).ravel()
    numbers = [float(cell) for cell in cells if not math.isnan(cell)]
    if not numbers:
        return None
    low, high = min(0.0, *numbers), max(0.0, *numbers)
    spare = (high - low) * 0.04 or 0.1
    return Scale(low - spare, high + spare, 8, INTERVAL_WIDTH - 8)


def interval(row: pd.Series, scale: Scale | None) -> Markup:
    """A difference as a mark and its 95 % interval as a bar, beside a line at 0."""
    if scale is None or pd.isna(row["delta"]):
        return Markup("")
    at, middle = scale(row["delta"]), _ROW / 2
    parts = [_line(scale(0), 0, scale(0), _ROW, "zero")]
    said = signed(row["delta"])
    meaning = "same"
    if not pd.isna(row["low"]):
        meaning = kind(row["low"], row["high"])
        parts.append(_line(scale(row["low"]), middle, scale(row["high"]), middle, "bar"))
        said += f", 95 % from {signed(row['low'])} to {signed(row['high'])}"
    parts.append(_mark(at, middle, meaning))
    label = tag("title", said)
    box = f"0 0 {INTERVAL_WIDTH} {_ROW}"
    return tag("svg", label, *parts, class_=f"interval {meaning}", viewBox=box, role="img")


def interval_axis(scale: Scale | None) -> Markup:
    """The numbers over a column of intervals."""
    if scale is None:
        return Markup("")
    numbers = [
        tag("text", f"{value:+g}" if value else "0", x=scale(value), y=14, class_="middle")
        for value in steps(scale.low, scale.high, 4)
    ]
    box = f"0 0 {INTERVAL_WIDTH} 18"
    return tag("svg", *numbers, class_="interval", viewBox=box, aria_hidden="true")


def histogram(deltas: pd.DataFrame, title: str) -> Markup:
    """How many queries differ by how much; each bar says worse, same or better by its colour."""
    counted = bins(deltas)
    if counted.empty:
        return tag("p", "No query is scored in both versions.")
    width = _bar_width(counted)
    reach = max(abs(counted["low"]).max(), abs(counted["high"]).max()) + width
    x = Scale(-reach, reach, _LEFT, _WIDTH - _RIGHT)
    y = Scale(0, float(counted["queries"].max()) * 1.1, _HEIGHT - _BOTTOM, _TOP)
    bars = []
    for row in counted.itertuples():
        middle, top = (row.low + row.high) / 2, y(row.queries)
        left, wide = x(middle - width * 0.42), x(width * 0.84) - x(0)
        said = f"{row.queries} queries {row.side}, {signed(row.low)} to {signed(row.high)}"
        high = round(y(0) - top, 2)
        bars.append(
            tag(
                "rect", tag("title", said), x=left, y=top, width=round(wide, 2), height=high,
                class_=str(row.side),
            )
        )  # fmt: skip
    axes = _axes(x, y, f"Difference in {title}", "Queries", signed=True, whole=True)
    return _figure(f"Queries by difference in {title}", axes, bars)


def _bar_width(counted: pd.DataFrame) -> float:
    wide = float((counted["high"] - counted["low"]).max())
    gaps = counted["low"].diff().dropna()
    return wide or float(gaps.min() if len(gaps) else 0.1)


def pairs(deltas: pd.DataFrame, baseline: str, candidate: str, title: str) -> Markup:
    """Each query's value in the baseline against the candidate; equal ones share a larger dot."""
    known = deltas.dropna(subset=["delta"]).round({"baseline": 6, "candidate": 6})
    if known.empty:
        return Markup("")
    dots = known.groupby(["baseline", "candidate"]).size().reset_index(name="queries")
    most = float(max([1.0, *dots["baseline"], *dots["candidate"]]))
    x = Scale(0, most, _LEFT + 12, _WIDTH - _RIGHT - 12)
    y = Scale(0, most, _HEIGHT - _BOTTOM - 12, _TOP + 12)
    largest = dots["queries"].max()
    marks = [_line(x(0), y(0), x(most), y(most), "zero")]
    for row in dots.itertuples():
        delta = row.candidate - row.baseline
        side = "same" if abs(delta) < 1e-6 else "better" if delta > 0 else "worse"
        radius = round(3 + 11 * math.sqrt(row.queries / max(largest, 10)), 1)
        said = f"{row.queries} queries: {number(row.baseline)}, then {number(row.candidate)}"
        marks.append(
            tag(
                "circle", tag("title", said), cx=x(row.baseline), cy=y(row.candidate), r=radius,
                class_=f"dot {side}",
            )
        )  # fmt: skip
    axes = _axes(x, y, baseline, candidate)
    return _figure(f"{title} of each query in {baseline} and in {candidate}", axes, marks)


def _axes(
    x: Scale, y: Scale, under: str, beside: str, *, signed: bool = False, whole: bool = False
) -> list[Markup]:
    parts = [_line(_LEFT, _HEIGHT - _BOTTOM, _WIDTH - _RIGHT, _HEIGHT - _BOTTOM, "axis")]
    for value in steps(x.low, x.high):
        said = f"{value:+g}" if signed and value else f"{value:g}"
        parts.append(_word(said, x(value), _HEIGHT - _BOTTOM + 15, "middle"))
    for value in [v for v in steps(y.low, y.high) if not whole or v == int(v)]:
        parts.append(_word(f"{value:g}", _LEFT - 6, y(value) + 4, "end"))
        parts.append(_line(_LEFT, y(value), _WIDTH - _RIGHT, y(value), "grid"))
    parts.append(_word(_short(under), (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, "middle title"))
    turned = f"translate(11 {(_TOP + _HEIGHT - _BOTTOM) / 2}) rotate(-90)"
    parts.append(tag("text", _short(beside), transform=turned, class_="middle title"))
    return parts


def _figure(title: str, axes: Sequence[Markup], marks: Sequence[Markup]) -> Markup:
    box = f"0 0 {_WIDTH} {_HEIGHT}"
    drawn = tag(
        "svg", joined([*axes, *marks]), class_="chart", viewBox=box, role="img", aria_label=title
    )
    return tag("figure", tag("figcaption", title), drawn)


def _mark(x: float, y: float, meaning: str) -> Markup:
    """A triangle up, a triangle down or a dot: told apart without colours, too."""
    if meaning == "same":
        return tag("circle", cx=x, cy=y, r=4.5)
    up = -1 if meaning == "better" else 1
    points = f"{x - 6},{y - 5 * up} {x + 6},{y - 5 * up} {x},{y + 5 * up}"
    return tag("polygon", points=points)


def _line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def _word(word: str, x: float, y: float, class_: str) -> Markup:
    return tag("text", word, x=round(x, 2), y=round(y, 2), class_=class_)


def _short(word: str) -> str:
    return word if len(word) <= 48 else f"{word[:47]}…"
