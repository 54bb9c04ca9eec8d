"""Tests of differences and correlations in closed form; resampling.py holds the drawn ones."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import scipy  # type: ignore[import-untyped]  # its parts are imported when they are used

from dashboard.evaluation.rankings import Array


def holm(p: Array, first_of: Array | None = None) -> Array:
    """p-values corrected for their number by Holm's step-down method, along the last axis.

    Nulls stay null and do not count. `first_of`: as `distinct` gives it for the columns that the p
    are of, in the order of `p`; of several that are one only the first counts, and the others have
    its p. Written out because statsmodels' multipletests collects garbage in every call, 0.3 s
    once a text model is loaded; the tests hold it against statsmodels.

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03, 0.005])).round(12).tolist()
    [0.03, 0.06, nan, 0.06, 0.02]
    >>> holm(np.array([0.01, 0.01, 0.04]), np.array([0, 0, 2])).round(12).tolist()
    [0.02, 0.02, 0.04]
    """
    if first_of is not None:
        alone = first_of == np.arange(p.size).reshape(p.shape)
        return np.asarray(holm(np.where(alone, p, np.nan)).ravel()[first_of])
    order = np.argsort(p, axis=-1, kind="stable")
    tests = np.sum(~np.isnan(p), axis=-1, keepdims=True)
    factors = np.maximum(tests - np.arange(p.shape[-1]), 1)
    stepped = np.maximum.accumulate(np.take_along_axis(p, order, -1) * factors, axis=-1)
    corrected = np.empty_like(p)
    np.put_along_axis(corrected, order, np.minimum(stepped, 1.0), -1)
    return corrected


def distinct(differences: Array, kinds: Sequence[Hashable]) -> Array:
    """Of each column [Q, T] the first of its kind that is the same but for a factor above 0. [T]

    Such twins (CG ÷ K and AVG, Rsum and mR) are one test under several names. Swapping two versions
    in a query swaps twins alike, so whether columns are twins is no matter of chance, and Holm
    keeps its promise where they count once. `kinds` [T]: only columns of one kind may be twins.
    """
    largest = np.nanmax(np.abs(differences), axis=0, initial=0.0)
    scaled = differences / np.where(largest > 0, largest, 1.0)
    rounded = np.where(np.isnan(scaled), 2.0, np.round(scaled, 9)) + 0.0
    first: dict[tuple[Hashable, bytes], int] = {}
    keys = [(kind, rounded[:, place].tobytes()) for place, kind in enumerate(kinds)]
    return np.array([first.setdefault(key, place) for place, key in enumerate(keys)], dtype=int)


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
    p = np.where(spread, 2 * scipy.special.stdtr(np.maximum(n - 1, 1), -np.abs(t)), np.nan)
    return t, np.where(enough & ~sums.any(axis=0), 1.0, p)
