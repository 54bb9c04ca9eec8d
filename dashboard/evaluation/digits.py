"""How numbers are written: by one rule on every screen, in reports and on the command line.

A number has three digits after the point, a small one as many as give three significant digits. The
digits depend on the number alone and not on those beside it, so that it reads the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, isfinite, isnan, log10
from typing import Any

import pandas as pd

SMALL = 0.02
"""Below it three digits after the point would leave fewer than two significant digits."""
MOST, HUGE = 9, 1e15
SIGNIFICANT = 0.05
"""No p-value is rounded across this level."""
LEAST_CHANCE = 0.9e-4


def decimals(values: Iterable[float | None], least: int = 3) -> int:
    """The digits after the point for all of some numbers: more than `least` if all are small.

    >>> decimals([0.4, 0.001]), decimals([0.004, None, 0.0007]), decimals([0.004], least=2)
    (3, 5, 4)
    """
    known = [abs(value) for value in values if value is not None and isfinite(value)]
    # rounded as it will be written: 0.00099999 becomes 0.00100, which needs one digit less
    largest = float(f"{max(known, default=0.0):.{least}g}")
    if largest == 0 or largest >= SMALL:
        return least
    return min(least - floor(log10(largest)) - 1, MOST)


def number(value: Any, sign: str = "") -> str:
    """A number as it is read; a dash for null. sign: + to write that of a number above 0, too.

    >>> number(0.4), number(-0.00123456), number(-1e-14), number(None), number(0.25, "+")
    ('0.400', '-0.00123', '0.000', '–', '+0.250')
    >>> number(0.00099999), number(0.0199999), number(1234.5)
    ('0.00100', '0.020', '1,234.500')
    """
    if pd.isna(value):
        return "–"
    rounded = round(float(value), 12)
    if abs(rounded) >= HUGE:
        return f"{rounded:{sign}.3g}"
    text = f"{rounded:{sign},.{decimals([rounded])}f}"
    return text if any(digit in text for digit in "123456789") else text.lstrip("+-")


def signed(value: Any) -> str:
    """A difference as it is read: with its sign, unless it is 0.

    >>> signed(0.25), signed(-0.0004), signed(0.0)
    ('+0.250', '-0.000400', '0.000')
    """
    return number(value, "+")


def percent(value: Any) -> str:
    """A share in per cent, with the digits that it has as a number.

    >>> percent(0.105), percent(0.0075), percent(1.279), percent(-0.0), percent(None)
    ('10.5', '0.750', '127.9', '0.0', '–')
    """
    if pd.isna(value):
        return "–"
    rounded = round(float(value), 12)
    return f"{round(100 * rounded, 10) + 0.0:.{decimals([rounded]) - 2}f}"  # + 0.0: no -0


def chance(p: Any) -> str:
    """A p-value as it is read: two digits that say something, more where they would cross 0.05.

    >>> chance(0.0312), chance(0.0496), chance(0.5), chance(1.0), chance(0.00001), chance(None)
    ('0.031', '0.0496', '0.5', '1', '< 0.0001', '–')
    """
    if pd.isna(p):
        return "–"
    if p < LEAST_CHANCE:
        return "< 0.0001"
    texts = (f"{p:.{digits}g}" for digits in range(2, 17))
    return next(text for text in texts if (float(text) < SIGNIFICANT) == (p < SIGNIFICANT))


def chance_in_words(p: Any) -> str:
    """A p-value in a sentence.

    >>> chance_in_words(0.0312), chance_in_words(0.00001)
    ('p = 0.031', 'p < 0.0001')
    """
    said = chance(p)
    return f"p {said}" if said.startswith("<") else f"p = {said}"


def share(value: float) -> str:
    """A share of random draws in per cent, as surely as these tell it: never all or none of them.

    >>> share(1.0), share(0.0), share(0.7512), share(0.0042), share(0.9965)
    ('> 99.9 %', '< 0.1 %', '75 %', '0.4 %', '99.7 %')
    """
    if isnan(value):
        return "–"
    if not 0.001 <= value <= 0.999:
        return "< 0.1 %" if value < 0.5 else "> 99.9 %"
    return f"{100 * value:.{0 if 0.01 <= value <= 0.99 else 1}f} %"
