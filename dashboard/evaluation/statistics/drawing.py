"""Units drawn with replacement many times over, in blocks of bounded memory.

Of 20,000 queries most have the same values as others: then it is drawn how often each kind comes up
(multinomial) instead of which unit. The distribution is the same, at the price of the kinds.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dashboard.evaluation.rankings import Array

MANY, FEW = 2_000, 32
"""Drawn by kind: so many units, of which so many times fewer differ."""
_CELLS = 2_000_000


def draw_counts(rng: np.random.Generator, units: int, resamples: int) -> Iterator[Array]:
    """How often each unit is drawn in each resample, in blocks [b, U] of bounded size."""
    for rows in _blocks(resamples, units):
        drawn = rng.integers(0, units, size=(rows, units))
        drawn += np.arange(rows)[:, None] * units
        yield np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units).astype(float)


def resampled(
    rng: np.random.Generator, sums: Array, sizes: Array, resamples: int
) -> Iterator[tuple[Array, Array]]:
    """The sums and sizes [b, T] of each resample of all units [U, T], in blocks."""
    kinds, sizes_of, numbers = _kinds(sums, sizes)
    alike = np.full(sums.shape[1], float(len(sums))) if (sizes == 1).all() else None
    for counts in _drawn_kinds(rng, numbers, resamples):
        yield counts @ kinds, counts @ sizes_of if alike is None else alike


def _kinds(sums: Array, sizes: Array) -> tuple[Array, Array, Array]:
    """Sums and sizes of the units, and how often each is there: of the different ones where there
    are many units and few of these, else of all as they are, each once."""
    if len(sums) >= MANY:
        mixed = [column for column in sizes.T if (column != column[0]).any()]
        codes = np.zeros(len(sums), dtype=np.int64)
        for column in [*sums.T, *mixed]:
            codes = np.unique(column, return_inverse=True)[1] + codes * len(sums)
            first, codes, numbers = np.unique(
                codes, return_index=True, return_inverse=True, return_counts=True
            )[1:]
            if len(first) * FEW > len(sums):
                break
        else:
            return sums[first], sizes[first], numbers
    return sums, sizes, np.ones(len(sums), dtype=int)


def _drawn_kinds(rng: np.random.Generator, numbers: Array, resamples: int) -> Iterator[Array]:
    """How often each kind is drawn in each resample of all units: `numbers` units are of a kind."""
    every = int(numbers.sum())
    if every == len(numbers):
        yield from draw_counts(rng, every, resamples)
        return
    for rows in _blocks(resamples, len(numbers)):
        yield rng.multinomial(every, numbers / every, size=rows).astype(float)


def _blocks(resamples: int, width: int) -> Iterator[int]:
    rows = max(1, _CELLS // max(width, 1))
    for start in range(0, resamples, rows):
        yield min(rows, resamples - start)
