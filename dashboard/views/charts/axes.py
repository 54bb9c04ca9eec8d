"""Axes with round ends and few ticks, so that no label is cut and none is out of reach."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log10
from typing import Any

import altair as alt
import pandas as pd


def round_end(largest: float) -> float:
    """The end of an axis from its negative to it: the next of 1, 2 or 5 times a power of ten.

    >>> round_end(0.106), round_end(0.2), round_end(0.0009), round_end(0)
    (0.2, 0.2, 0.001, 1.0)
    """
    if largest <= 0:
        return 1.0
    power = floor(log10(largest))
    steps = (float(f"{step}e{power}") for step in (1, 2, 5, 10))
    return next(step for step in steps if step >= largest * (1 - 1e-9))


def of_values(values: Iterable[Any], title: str | None) -> dict[str, Any]:
    """Scale, axis and title of a metric's values: from 0 to a round end, 1 where they come near it,
    with round ticks.

    >>> of_values([0.05, 0.64], None)["axis"].to_dict()["values"]
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> of_values([0.14], None)["axis"].to_dict()["values"]
    [0.0, 0.05, 0.1, 0.15, 0.2]
    """
    known = [float(value) for value in values if not pd.isna(value)]
    end = round_end(max(known, default=0.0))
    steps = 4 if f"{end:e}"[0] == "2" else 5
    return {
        "title": title,
        "scale": alt.Scale(domain=[min(0.0, *known) if known else 0.0, end], nice=False),
        "axis": alt.Axis(
            values=[float(f"{end * step / steps:.6g}") for step in range(steps + 1)],
            format="~g",
            labelOverlap=False,
            labelFlush=False,
        ),
    }


def of_differences(values: Iterable[Any], title: str) -> dict[str, Any]:
    """Scale, axis and title of differences: 0 in the middle, both ends round, five ticks.

    >>> of_differences([-0.05, 0.16, None], "")["scale"].to_dict()["domain"]
    [-0.2, 0.2]
    """
    known = [abs(float(value)) for value in values if not pd.isna(value)]
    end = round_end(max(known, default=0.0))
    ticks = [-end, -end / 2, 0.0, end / 2, end]
    label = "datum.value ? format(datum.value, '+~g') : '0'"
    return {
        "title": title,
        "scale": alt.Scale(domain=[-end, end], nice=False, padding=16),
        "axis": alt.Axis(values=ticks, labelExpr=label, labelOverlap=False, labelFlush=False),
    }
