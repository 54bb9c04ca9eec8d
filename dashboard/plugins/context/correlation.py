"""Rank correlations, and whether two of them that share a variable differ."""

from math import atanh, copysign, nan, sqrt, tanh
from typing import NamedTuple

import numpy as np
from scipy import special, stats  # type: ignore[import-untyped]

from dashboard.tables import FloatArray


class Correlation(NamedTuple):
    """A rank correlation over n pairs and its two-sided p; NaN where undefined."""

    r: float
    p: float
    n: int


def compute_spearman(x: FloatArray, y: FloatArray) -> Correlation:
    """Return Spearman's rank correlation of the pairs that are known in both.

    Equal values have their average rank. Values are rounded to 12 decimals first, so that sums of
    the same numbers in another order stay equal. A constant column, or fewer than two pairs, has
    none.

    >>> round(compute_spearman(np.array([1, 2, 3, 4, 5]), np.array([2, 1, 4, 3, 5])).r, 12)
    0.8
    """
    known = ~(np.isnan(x) | np.isnan(y))
    first, second = (np.round(np.asarray(values, float)[known], 12) for values in (x, y))
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return Correlation(nan, nan, len(first))
    r = float(np.clip(stats.spearmanr(first, second).statistic, -1, 1))
    return Correlation(r, compute_correlation_p(r, len(first)), len(first))


def compute_correlation_p(r: float, n: int) -> float:
    """Return the two-sided p of a correlation over n pairs, by t with n - 2 degrees of freedom.

    >>> round(compute_correlation_p(0.111, 312), 4)
    0.0501
    """
    if n < 3 or np.isnan(r):
        return nan
    if abs(r) == 1:
        return 0.0
    return float(2 * special.stdtr(n - 2, -abs(r) * sqrt((n - 2) / (1 - r * r))))


def compute_williams(r12: float, r13: float, r23: float, n: int) -> tuple[float, float]:
    """Return Williams' T2 and p: whether variables 2 and 3 correlate differently with variable 1.

    It has n - 3 degrees of freedom. Equal correlations have p = 1. NaN below four cases, or where
    nothing is left to test.
    Source: Steiger 1980; Cohen and Cohen 1983.

    >>> round(compute_williams(0.4, 0.5, 0.1, 103)[0], 4)
    -0.8913
    """
    if n < 4 or np.isnan([r12, r13, r23]).any():
        return nan, nan
    if abs(r12 - r13) < 1e-12:
        return 0.0, 1.0
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    below = 2 * (n - 1) / (n - 3) * determinant + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if below <= 0:
        return nan, nan
    t = (r12 - r13) * sqrt((n - 1) * (1 + r23) / below)
    return t, float(2 * special.stdtr(n - 3, -abs(t)))


def compute_difference_interval(
    r12: float, r13: float, r23: float, n: int, level: float = 0.95
) -> tuple[float, float]:
    """Return the bounds of r12 - r13, both measured on the same cases (Zou 2007).

    NaN below four cases, or where a correlation is 1.

    >>> [round(bound, 4) for bound in compute_difference_interval(0.396, 0.179, 0.088, 66)]
    [-0.0929, 0.5168]
    """
    if n < 4 or np.isnan([r12, r13, r23]).any() or max(abs(r12), abs(r13)) >= 1:
        return nan, nan
    shared = (r23 - r12 * r13 / 2) * (1 - r12**2 - r13**2 - r23**2) + r23**3
    c = shared / ((1 - r12**2) * (1 - r13**2))
    half = float(special.ndtri(0.5 + level / 2)) / sqrt(n - 3)  # of Fisher's transformation

    def bound(end: float) -> float:
        one, other = r12 - tanh(atanh(r12) + end), r13 - tanh(atanh(r13) - end)
        return r12 - r13 + copysign(sqrt(max(0.0, one**2 + other**2 + 2 * c * one * other)), end)

    return bound(-half), bound(half)
