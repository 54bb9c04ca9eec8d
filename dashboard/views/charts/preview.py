"""The picture of a link in chat programs, 1200 × 630 pixels: title, sentence and, where there is a
verdict, its difference, interval and counts of queries. Imports no Streamlit."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd
import vl_convert

from dashboard.evaluation.digits import signed
from dashboard.views.charts.axes import round_end
from dashboard.views.charts.colours import BETTER, SAME, WORSE
from dashboard.views.charts.verdict import MARKS
from dashboard.views.texts import shown

WIDE, HIGH = 1200, 630
INK, QUIET, LINE = "#17202b", "#566170", "#d8dee6"
COLOURS = {"better": BETTER, "same": SAME, "worse": WORSE}
_LEFT, _RIGHT = 60, WIDE - 60


def preview_png(
    title: str, sentence: str, row: Mapping[str, Any] | pd.Series | None, kind: str
) -> bytes:
    """The picture as PNG.

    row: delta, low, high and, of all queries, better, same, worse; None where nothing is known.
    kind: better, worse, same or unclear.
    """
    return bytes(vl_convert.svg_to_png(_svg(title, sentence, row, kind)))


def _svg(title: str, sentence: str, row: Mapping[str, Any] | pd.Series | None, kind: str) -> str:
    parts = _lines(title, 52, 44, 100, 2, INK, "700")
    if row is None or pd.isna(row["delta"]):
        parts += _lines(sentence, 34, 64, 290, 5, QUIET)
    else:
        parts += _lines(sentence, 28, 80, 480, 4, QUIET)
        parts += [*_difference(row, kind), *_counts(row)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" '
        f'font-family="Liberation Sans"><rect width="{WIDE}" height="{HIGH}" fill="#fff"/>'
        f"{''.join(parts)}</svg>"
    )


def _lines(
    text: str, size: int, letters: int, top: int, most: int, colour: str, weight: str = "400"
) -> list[str]:
    """A text in at most so many lines of so many letters."""
    lines = textwrap.wrap(shown(text, letters * most), letters)
    cut = [*lines[: most - 1], lines[most - 1] + "…"] if len(lines) > most else lines
    return [
        _text(_LEFT, top + place * size * 1.25, line, size, colour, weight)
        for place, line in enumerate(cut)
    ]


def _text(
    x: float, y: float, words: str, size: int, colour: str, weight: str = "400", anchor: str = ""
) -> str:
    end = f' text-anchor="{anchor}"' if anchor else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" '
        f'fill="{colour}"{end}>{escape(words)}</text>'
    )


def _difference(row: Mapping[str, Any] | pd.Series, kind: str) -> list[str]:
    """The difference in large figures and, where there is one, its interval over an axis."""
    colour = COLOURS.get(kind, INK)
    mark = f"{MARKS[kind]} " if kind in MARKS else ""
    large = _text(_LEFT, 330, f"{mark}{signed(row['delta'])}", 110, colour, "700")
    if pd.isna(row["low"]):
        return [large]
    low, high, delta = (float(row[name]) for name in ("low", "high", "delta"))
    end = round_end(max(abs(low), abs(high), abs(delta)))
    left, middle, width = 690.0, 915.0, 450.0

    def at(value: float) -> float:
        return middle + value / end * width / 2

    return [
        large,
        _line(left, 290, left + width, 290, LINE, 3),
        _line(middle, 250, middle, 330, QUIET, 2),
        _line(at(low), 290, max(at(high), at(low) + 4), 290, colour, 12),
        f'<circle cx="{at(delta):.1f}" cy="290" r="15" fill="{colour}"/>',
        *(
            _text(at(value), 364, f"{value:+g}".replace("-", "−") if value else "0", 24, QUIET,
                  anchor="middle")
            for value in (-end, 0.0, end)
        ),
    ]  # fmt: skip


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: int) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1}" x2="{x2:.1f}" y2="{y2}" stroke="{colour}" '
        f'stroke-width="{width}"/>'
    )


def _counts(row: Mapping[str, Any] | pd.Series) -> list[str]:
    """A bar of the queries that are better, the same and worse."""
    counts = {name: int(row.get(name, 0)) for name in COLOURS}
    total, x, parts = sum(counts.values()), float(_LEFT), list[str]()
    for name, number in counts.items():
        width = (_RIGHT - _LEFT) * number / max(total, 1)
        parts.append(
            f'<rect x="{x:.1f}" y="396" width="{width:.1f}" height="26" fill="{COLOURS[name]}"/>'
        )
        x += width
    return parts
