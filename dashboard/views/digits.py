"""How many digits of a number are shown: as many as tell the numbers beside each other apart."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, isfinite, log10

SMALL = 0.02
"""Below it three digits after the point would leave one or none that says something."""


def decimals(values: Iterable[float | None], least: int = 3) -> int:
    """The digits after the point for all of some numbers: more than `least` if all are small.

    >>> decimals([0.4, 0.001]), decimals([0.004, None, 0.0007]), decimals([0.004], least=2)
    (3, 5, 4)
    """
    known = [abs(value) for value in values if value is not None and isfinite(value)]
    largest = max(known, default=0.0)
    if largest == 0 or largest >= SMALL:
        return least
    return min(least - floor(log10(largest)) - 1, 9)
