"""Colours that mean the same on every screen and chart."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

# Told apart with any colour vision; at least 3:1 against the light and the dark page.
VERSION_COLOURS = (
    "#2f80d8", "#d9750b", "#1e9a6e", "#c65b9b", "#8a6fd1", "#a8860b", "#d2492a", "#4b8fa6",
)  # fmt: skip
# Seven, so that of more than eight versions no two share both colour and shape.
SHAPES = (
    "circle", "square", "triangle-up", "cross", "diamond", "triangle-right", "triangle-down",
)  # fmt: skip
BETTER, SAME, WORSE = "#1e9a6e", "#7d8794", "#d2492a"
SMALL_SLICE = 5
FAINT = 0.1  # where all values are below it, scales end at the largest instead of at 1
# Three side by side: a legend that is wider than its chart is cut off.
LEGEND = alt.Legend(orient="top", direction="horizontal", columns=3, title=None, symbolOpacity=1)


def version_colours(versions: Sequence[str]) -> dict[str, str]:
    """One colour for each version, the same on every screen and chart."""
    return {v: VERSION_COLOURS[i % len(VERSION_COLOURS)] for i, v in enumerate(versions)}


def shape_scale(versions: Sequence[str]) -> alt.Scale:
    """The scale that gives each version its shape."""
    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(versions))]
    return alt.Scale(domain=list(versions), range=shapes)


def version_scale(colours: dict[str, str]) -> alt.Scale:
    """The scale that gives each version its colour."""
    return alt.Scale(domain=list(colours), range=list(colours.values()))
