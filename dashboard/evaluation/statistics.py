"""Intervals and tests of paired differences, with fixed seeds.

A column holds the differences of one metric; a unit is a query, or the queries of one scene,
which are drawn and swapped together. No number depends on the order of the queries.
"""

from collections.abc import Callable

import numpy as np

from dashboard.tables import FloatArray, IntArray

RESAMPLES = 10_000
"""Bootstrap samples."""
FEWER_RESAMPLES = 1_000
"""Bootstrap samples of a figure that is computed one sample at a time."""
LEAST_SHARE = 0.5 / RESAMPLES
"""Shares of resamples closer than this to 0 or 1 cannot be told from them."""
SIGNS = 100_000
"""Random choices of signs for more than EXACT_UNITS units."""
EXACT_UNITS = 20
"""Units up to which every choice of signs is counted."""
TOLERANCE = 1e-12
"""Means closer than this are equal."""
BLOCK = 800
"""Choices of signs that are drawn at once; SIGNS is a multiple of it, and it of 32."""
PLACES = 128
"""Differences that get them at once, which stay in the processor's cache."""
MAX_CELLS = 1 << 16
"""Cells that are multiplied at once: they stay in the processor's cache, and in one thread."""
SEED = 0


def sum_units(differences: FloatArray, groups: IntArray | None) -> tuple[FloatArray, FloatArray]:
    """Return the sums and numbers of scored queries of each unit. [units, metrics] both.

    Args:
        differences: Shape [queries, metrics]; NaN for null.
        groups: Unit of each query; None: each query is one.
    """
    sums, sizes = np.nan_to_num(differences), (~np.isnan(differences)).astype(float)
    if groups is None:
        return sums, sizes
    shape = (int(groups.max(initial=-1)) + 1, differences.shape[1])
    summed, counted = np.zeros(shape), np.zeros(shape)
    np.add.at(summed, groups, sums)
    np.add.at(counted, groups, sizes)
    return np.round(summed, 12), counted


def compute_bootstrap_interval(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the 95 % bootstrap interval of each column's mean. [2, metrics].

    Bias-corrected and accelerated (Efron 1987), its levels widened for small samples as Hesterberg
    (2015) does: t with n - 1 degrees of freedom, and n / (n - 1). NaN for fewer than two units, and
    where all units have the same mean. Columns of equally many scored units are resampled together,
    each sorted, so that a column's answer depends on its own differences alone.
    """
    found = np.full((2, sums.shape[1]), np.nan)
    numbers = (sizes > 0).sum(axis=0)
    for number in np.unique(numbers[numbers >= 2]):
        columns = numbers == number
        units = sums[:, columns], sizes[:, columns]
        rows = np.lexsort((*units[::-1], units[1] == 0), axis=0)[:number]
        found[:, columns] = _bootstrap(*(np.take_along_axis(each, rows, 0) for each in units))
    return np.round(found, 12) + 0.0


def compute_randomisation_p(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the p of Fisher's randomisation test, two-sided on |mean|. [metrics].

    Every choice of signs is counted up to EXACT_UNITS differences; else SIGNS are drawn, the same
    ones for the largest difference of each column, the second and so on. All differences 0 give 1;
    fewer than two units NaN.
    """
    least = np.abs(sums.sum(axis=0)) - TOLERANCE * sizes.sum(axis=0)
    moved = np.sort(np.abs(sums), axis=0)[::-1]
    p, is_exact = np.ones(sums.shape[1]), (moved > 0).sum(axis=0) <= EXACT_UNITS
    for column in np.flatnonzero(is_exact):
        signed = np.zeros(1)  # the sum under every choice of signs
        for value in moved[moved[:, column] > 0, column]:
            signed = np.concatenate([signed + value, signed - value])
        p[column] = (np.abs(signed) >= least[column]).mean()
    drawn = 2 * moved[:, ~is_exact].T
    drawn = drawn[:, drawn.any(axis=0)]
    count, limits = np.ones(len(drawn)), least[~is_exact, None]
    for block in range(0, SIGNS if drawn.size else 0, BLOCK):
        rng = np.random.default_rng([1, block])  # a row of signs for each difference
        moves = -drawn.sum(axis=1, keepdims=True) / 2
        for start in range(0, drawn.shape[1], PLACES):
            some = drawn[:, start : start + PLACES]
            packed = rng.integers(0, 256, (some.shape[1], BLOCK // 8), dtype=np.uint8)
            moves = moves + some @ np.unpackbits(packed, axis=1).astype(float)
        count += (np.abs(moves) >= limits).sum(axis=1)
    p[~is_exact] = count / (SIGNS + 1)
    return np.where((sizes > 0).sum(axis=0) < 2, np.nan, np.where(least <= 0, 1.0, p))


def _bootstrap(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    units, rng = len(sums), np.random.default_rng(SEED)
    means = []
    step = max(1, MAX_CELLS // units)
    for start in range(0, RESAMPLES, step):
        rows = min(step, RESAMPLES - start)
        drawn = rng.integers(0, units, size=(rows, units)) + units * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units)
        means.append((counts @ sums) / (counts @ sizes))
    resampled = np.concatenate(means)
    bounds = [
        np.quantile(column, level, method="inverted_cdf")
        for column, level in zip(resampled.T, _find_levels(resampled, sums, sizes).T, strict=True)
    ]
    return np.where(np.ptp(sums / sizes, axis=0) <= TOLERANCE, np.nan, np.transpose(bounds))


def _find_levels(resampled: FloatArray, sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the shares of the resampled means that lie below the bounds. [2, metrics]."""
    from scipy.special import ndtr, ndtri, stdtrit  # type: ignore[import-untyped]

    # acceleration: the skewness of the means without one unit each, divided by 6
    units, total, size = len(sums), sums.sum(axis=0), sizes.sum(axis=0)
    without = (total - sums) / (size - sizes)
    pull = without.mean(axis=0) - without
    squares, cubes = (pull**2).sum(axis=0), (pull**3).sum(axis=0)
    flat = squares < TOLERANCE**2
    acceleration = np.where(flat, 0.0, cubes / (6 * np.where(flat, 1.0, squares) ** 1.5))
    apart = resampled - total / size
    below = (apart < -TOLERANCE).mean(axis=0) + (np.abs(apart) <= TOLERANCE).mean(axis=0) / 2
    bias = ndtri(below.clip(LEAST_SHARE, 1 - LEAST_SHARE))
    wide = np.sqrt(units / (units - 1)) * stdtrit(units - 1, 0.975)
    shifted = bias + np.array([[-wide], [wide]])
    room, far = 1 - acceleration * shifted, np.copysign(np.inf, shifted)
    moved = bias + np.divide(shifted, room, out=far, where=room > 0)
    return np.asarray(ndtr(moved).clip(LEAST_SHARE, 1 - LEAST_SHARE))


def find_twins(differences: FloatArray) -> IntArray:
    """Return for each column the first one that is the same up to a factor above 0. [metrics].

    Twins such as P@1 and Success@1 are one test under two names.

    Args:
        differences: Shape [queries, metrics]; NaN for null.
    """
    largest = np.nanmax(np.abs(differences), axis=0, initial=0.0)
    scaled = differences / np.where(largest > 0, largest, 1.0)
    columns = np.where(np.isnan(scaled), 2.0, np.round(scaled, 9)) + 0.0
    found = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    return found[1][found[2]]


def correct_holm(p: FloatArray) -> FloatArray:
    """Return p-values corrected for their number by Holm's step-down method; NaN stay NaN.

    >>> correct_holm(np.array([0.01, 0.04, np.nan, 0.03, 0.005])).round(12).tolist()
    [0.03, 0.06, nan, 0.06, 0.02]
    """
    order = np.argsort(p, kind="stable")
    factors = np.maximum((~np.isnan(p)).sum() - np.arange(len(p)), 1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return corrected


def compute_alpha(counts: FloatArray) -> float:
    """Compute Krippendorff's alpha of values that are equal or not; NaN if all are the same.

    Args:
        counts: How many people gave each value. [pairs, values].
    """
    counts = counts[counts.sum(axis=1) > 1]
    people, values = counts.sum(axis=1), counts.sum(axis=0)
    differing = (people**2 - (counts**2).sum(axis=1)) / (people - 1)
    total = values.sum()
    expected = total**2 - (values**2).sum()
    return float(1 - (total - 1) * differing.sum() / expected) if expected else float("nan")


def compute_kappa(counts: FloatArray) -> float:
    """Compute Cohen's kappa of two people; NaN if both said the same of all.

    Args:
        counts: Shape [pairs, values squared]; 1 at first value * values + second value, else 0.
    """
    size = round(counts.shape[1] ** 0.5)
    both = counts.sum(axis=0).reshape(size, size) / len(counts)
    expected = float(both.sum(axis=1) @ both.sum(axis=0))
    return (float(np.trace(both)) - expected) / (1 - expected) if expected < 1 else float("nan")


def resample_figure(
    rows: FloatArray, compute: Callable[[FloatArray], float]
) -> tuple[float, float, float]:
    """Return a figure of rows, and its 95 % percentile interval over resampled rows.

    Samples in which it is not defined are left out; the interval is NaN if it is not defined for
    all rows or for more than half of the samples, or if there is only one row.
    """
    value = compute(rows)
    if len(rows) < 2 or np.isnan(value):
        return value, np.nan, np.nan
    drawn = np.random.default_rng(SEED).integers(0, len(rows), (FEWER_RESAMPLES, len(rows)))
    resampled = np.array([compute(rows[places]) for places in drawn])
    known = resampled[~np.isnan(resampled)]
    if len(known) < FEWER_RESAMPLES / 2:
        return value, np.nan, np.nan
    low, high = np.quantile(known, [0.025, 0.975]).tolist()
    return value, low, high
