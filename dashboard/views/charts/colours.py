"""Colours that mean the same on every screen and chart, and the ways in which versions are drawn.

A version has a colour, a shape and dashes of its own, wherever it is drawn: each says which it is
where another cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import altair as alt

from dashboard.evaluation.comparison.slices import SMALL_SLICE as SMALL_SLICE

# At least 3:1 against the light and the dark page. Four at a time (those with the same dashes) are
# told apart with any colour vision; all twelve with the usual one.
VERSION_COLOURS = (
    "#2f80d8", "#d9750b", "#1b714c", "#ad7b92",
    "#6c4bcc", "#2a9f9a", "#82972f", "#875f3e",
    "#984780", "#a974f7", "#c83122", "#f1577a",
)  # fmt: skip
DASHES = ([1, 0], [7, 3], [2, 2])
# Seven, so that of many versions no two share both colour and shape.
SHAPES = (
    "circle", "square", "triangle-up", "cross", "diamond", "triangle-right", "triangle-down",
)  # fmt: skip
BETTER, SAME, WORSE = "#1e9a6e", "#7d8794", "#d2492a"
FAINT = 0.1  # where all values are below it, scales end at the largest instead of at 1
# Three side by side: a legend that is wider than its chart is cut off.
# Shapes alone: the line of a curve around them would make them another shape.
LEGEND = alt.Legend(
    orient="top", direction="horizontal", columns=3, title=None, symbolOpacity=1,
    symbolStrokeWidth=0,
)  # fmt: skip


class Way(NamedTuple):
    """How a version is drawn: colour (#rrggbb), shape (a symbol of Vega), dashes (in pixels)."""

    colour: str
    shape: str
    dashes: list[int]


BASELINE = Way("#66728c", "triangle-left", [5, 2, 1, 2])
"""How the baseline is drawn: in no colour, so that the others stand against it."""


LIKE_VERDICTS = (2, 10, 11)
"""Places of the green and red colours, which mean better and worse: taken last."""
USUAL = tuple(n for n in range(1, len(VERSION_COLOURS)) if n not in LIKE_VERDICTS)


def version_ways(versions: Sequence[str], baseline: str, candidate: str) -> dict[str, Way]:
    """How each version is drawn, the same on every screen and chart: the baseline neutral, the
    candidate in the accent colour, and each other by its name, the same in all collections."""
    places: dict[str, int] = {candidate: 0} if candidate != baseline else {}
    others = sorted(set(versions) - {baseline, candidate})
    rest = range(len(VERSION_COLOURS), len(others) + 1)
    free = [*USUAL, *LIKE_VERDICTS, *rest]
    for version in others:
        first = crc32(version.encode()) % len(USUAL)
        usual = [place for place in (*USUAL[first:], *USUAL[:first]) if place in free]
        places[version] = (usual or free)[0]
        free.remove(places[version])
    return {
        version: BASELINE if version == baseline else _way(places[version]) for version in versions
    }


def _way(place: int) -> Way:
    together = len(VERSION_COLOURS) // len(DASHES)
    return Way(
        VERSION_COLOURS[place % len(VERSION_COLOURS)],
        SHAPES[place % len(SHAPES)],
        DASHES[place // together % len(DASHES)],
    )


def colours_again(versions: Sequence[str]) -> str:
    """A sentence on versions that share a colour; empty where none do."""
    most = len(VERSION_COLOURS) + 1  # and the baseline's
    if len(versions) <= most:
        return ""
    return (
        f"{len(versions):,} versions share {most} colours: in the charts, those of the same colour "
        "differ in their shapes."
    )


def of_colour(ways: Mapping[str, Way], *, legend: bool = True) -> alt.Color:
    """Each version in its colour."""
    drawn = legend_of(ways) if legend else None
    return alt.Color("run:N", scale=_scale(ways, "colour"), title=None, legend=drawn)


def of_shape(ways: Mapping[str, Way], *, legend: bool = True) -> alt.Shape:
    """Each version in its shape."""
    drawn = legend_of(ways) if legend else None
    return alt.Shape("run:N", scale=_scale(ways, "shape"), title=None, legend=drawn)


def legend_of(versions: Collection[str]) -> alt.Legend:
    """The legend of versions: three names side by side, two where one of them is long."""
    if _across(versions) == SHORT_NAMES:
        return LEGEND
    legend: alt.Legend = LEGEND.copy()
    legend.columns, legend.labelLimit = _across(versions), 140
    return legend


def further_rows(versions: Collection[str]) -> int:
    """The pixels that the legend of versions takes below its first row."""
    return 26 * ((len(versions) - 1) // _across(versions))


SHORT_NAMES, LONG_NAMES, LONG_NAME = 3, 2, 14
"""Names of versions side by side in a legend, and the letters from which one is long."""


def _across(versions: Collection[str]) -> int:
    return LONG_NAMES if max(map(len, versions), default=0) >= LONG_NAME else SHORT_NAMES


def of_dashes(ways: Mapping[str, Way]) -> alt.StrokeDash:
    """Each version's line in its dashes; the legend shows the shapes on the lines."""
    return alt.StrokeDash("run:N", scale=_scale(ways, "dashes"), title=None, legend=None)


def _scale(ways: Mapping[str, Way], part: str) -> alt.Scale:
    return alt.Scale(domain=list(ways), range=[getattr(way, part) for way in ways.values()])
