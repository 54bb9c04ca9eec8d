"""Tests of differences and correlations in closed form; resampling.py holds the drawn ones."""

from __future__ import annotations

import numpy as np
from scipy import special  # type: ignore[import-untyped]

from dashboard.evaluation.rankings import Array


def holm(p: Array) -> Array:
    """p-values corrected for their number by Holm's step-down method; nulls do not count.

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03, 0.005])).round(12).tolist()
    [0.03, 0.06, nan, 0.06, 0.02]
    """
    # half a second of import that only a comparison needs
    from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

    corrected = np.full(len(p), np.nan)
    known = ~np.isnan(p)
    if known.any():
        corrected[known] = multipletests(p[known], method="holm")[1]
    return corrected


def paired_t(sums: Array, sizes: Array) -> tuple[Array, Array]:
    """Student's paired t and its two-sided p for each column, from what `resampling.units` returns.

    `sums` and `sizes` [U, T]. All differences equal: null; all 0: p = 1; fewer than two: null.
    """
    scored = sizes > 0
    n = scored.sum(0)
    enough = n >= 2
    mean = sums.sum(0) / np.maximum(n, 1)
    squares = (np.where(scored, sums - mean, 0.0) ** 2).sum(0)
    spread = enough & (squares > (1e-12) ** 2)
    error = np.sqrt(np.where(spread, squares, 1.0) / np.maximum(n * (n - 1), 1))
    t = np.where(spread, mean / error, np.nan)
    p = np.where(spread, 2 * special.stdtr(np.maximum(n - 1, 1), -np.abs(t)), np.nan)
    return t, np.where(enough & ~sums.any(axis=0), 1.0, p)
