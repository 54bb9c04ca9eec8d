"""The verdict as a picture: difference, interval, counts of queries and the lowest slice, as HTML.

The page brings the style, `STYLE`. Every number in the picture is one of the row that the sentence
below it is made of, so that text and figures cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from dashboard.evaluation.comparison.verdict import claim, direction
from dashboard.evaluation.digits import number, signed
from dashboard.tables import counted
from dashboard.views.charts.axes import round_end
from dashboard.views.charts.colours import BETTER, SAME, WORSE
from dashboard.views.texts import shown

_COLOURS = f":root {{ --better: {BETTER}; --same: {SAME}; --worse: {WORSE}; }}\n"
STYLE = _COLOURS + Path(__file__).with_name("verdict.css").read_text(encoding="utf-8")
MARKS = {"better": "▲", "same": "●", "worse": "▼"}
NOTHING_CLEAR = ("unclear", "unlike")


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdict:
    """What a comparison says at one metric.

    row: the metric's row of `comparison`. metric: its short name. alike: whether the versions may
    be compared; if not, nothing is called better or worse. links: the address of the queries that
    are better, same or worse, where they are listed. lowest, lowest_row, lowest_link: name, row and
    address of the slice with the lowest difference, where there is one.
    """

    row: Mapping[str, Any] | pd.Series
    baseline: str
    candidate: str
    metric: str
    alike: bool = True
    links: Mapping[str, str]
    lowest: str = ""
    lowest_row: Mapping[str, Any] | pd.Series | None = None
    lowest_link: str = ""

    @property
    def kind(self) -> str:
        """better, worse, unclear, or unlike where the versions may not be compared."""
        return direction(self.row) if self.alike else "unlike"

    @property
    def claim(self) -> str:
        """Which version is better, in a clause."""
        if not self.alike:
            return f"{self.candidate} − {self.baseline}, not comparable"
        if not self.row["scored"]:
            return f"No query is scored in both {self.candidate} and {self.baseline}"
        return claim(self.row, self.baseline, self.candidate)


def picture(verdict: Verdict) -> str:
    """The verdict as an HTML element of the class `verdict`."""
    parts = (_figure(verdict), _interval(verdict.row), _queries(verdict))
    return f'<div class="verdict {verdict.kind}">{"".join(parts)}</div>'


def _figure(verdict: Verdict) -> str:
    """The difference in large figures, what it means, and the two means."""
    row = verdict.row
    mark = MARKS[verdict.kind] + " " if verdict.kind not in NOTHING_CLEAR else ""
    means = f"{number(row['baseline'])} → {number(row['candidate'])}"
    return (
        f'<div class="figure"><div class="claim">{_bdi(verdict.claim)}</div>'
        f'<div class="delta">{mark}{signed(row["delta"])}</div>'
        f'<div class="means">{_bdi(verdict.metric)} {means}</div></div>'
    )


def _interval(row: Mapping[str, Any] | pd.Series) -> str:
    """The difference and its 95 % interval over an axis with 0 in the middle."""
    if pd.isna(row["low"]) or pd.isna(row["delta"]):
        few = "too few scored queries" if row["scored"] else "nothing is scored"
        return f'<div class="interval none">no interval: {few}</div>'
    low, high, delta = (float(row[name]) for name in ("low", "high", "delta"))
    end = round_end(max(abs(low), abs(high), abs(delta)))
    left, right, middle = (_place(value, end) for value in (low, high, delta))
    words = f"95 % interval {signed(low)} to {signed(high)}"
    ticks = "".join(
        f'<span class="tick" style="left:{_place(value, end):.2f}%">{_tick(value)}</span>'
        for value in (-end, 0.0, end)
    )
    return (
        f'<div class="interval" role="img" aria-label="{words}">'
        f'<div class="axis"><i class="zero"></i>'
        f'<i class="span" style="left:{left:.2f}%;width:{max(right - left, 0.5):.2f}%"></i>'
        f'<i class="dot" style="left:{middle:.2f}%"></i>{ticks}</div>'
        f'<div class="bounds">{words}</div></div>'
    )


def _place(value: float, end: float) -> float:
    """Per cent of the way from −end to end."""
    return 50 + 50 * value / end


def _tick(value: float) -> str:
    return f"{value:+g}".replace("-", "−") if value else "0"


def _queries(verdict: Verdict) -> str:
    """How many queries are better, same and worse, as a bar and in words, and the lowest slice."""
    row, links = verdict.row, verdict.links
    there = {name: int(row[name]) for name in MARKS}
    bar = "".join(
        f'<a class="{name}" style="flex-grow:{n}" href="{escape(links[name])}" tabindex="-1" '
        f'aria-hidden="true" title="{_counted(n)} {name}"></a>'
        for name, n in there.items()
        if n
    )
    words = "".join(_count(verdict, name, n) for name, n in there.items())
    return (
        f'<div class="queries"><div class="bar">{bar}</div><div class="counts">{words}</div>'
        f"{_lowest(verdict)}</div>"
    )


def _count(verdict: Verdict, name: str, number_of: int) -> str:
    sign = "" if verdict.kind == "unlike" else f'<i class="{name}" aria-hidden="true"></i> '
    text = f"{number_of:,} {name}" if verdict.kind != "unlike" else f"{number_of:,} {_PLAIN[name]}"
    if not number_of:
        return f"<span>{sign}{text}</span>"
    return f'<a href="{escape(verdict.links[name])}">{sign}{text}</a>'


_PLAIN = {"better": "higher", "same": "same", "worse": "lower"}
"""What the counts are called where nothing may be called better or worse."""


def _lowest(verdict: Verdict) -> str:
    """The slice with the lowest difference, which is the worst where it is below 0."""
    row = verdict.lowest_row
    if row is None:
        return ""
    what = "Worst slice" if row["delta"] < 0 else "Lowest slice"
    about = f"{signed(row['delta'])}, {_counted(int(row['scored']))}"
    link = f'<a href="{escape(verdict.lowest_link)}">{_bdi(verdict.lowest, 60)}</a>'
    return f'<div class="lowest">{what}: {link} {about}</div>'


def _counted(number_of: int) -> str:
    return counted(number_of, "query", "queries")


def _bdi(text: str, longest: int = 120) -> str:
    """Data as text of its own direction."""
    return f"<bdi>{escape(shown(text, longest))}</bdi>"
