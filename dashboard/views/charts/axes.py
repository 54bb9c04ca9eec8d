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
