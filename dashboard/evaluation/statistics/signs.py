"""Fisher's randomisation test: how often a sum with random signs is as far from 0 as the observed.

Up to LISTED terms every choice of signs is counted. The distribution of more terms comes from its
Fourier transform, the product of cos(ω × term) over the terms, so that nothing is drawn and no p
depends on a seed: terms that are multiples of one step, such as differences of P@5, have exactly
that p; for others the transform gives two bounds (Vaaler, Some Extremal Functions in Fourier
Analysis, 1985, theorem 18), which are brought so near to each other that no printed digit moves.
Only where a few terms are ten thousand times as large as all others together are signs drawn.
"""

from __future__ import annotations

import numpy as np
import scipy  # type: ignore[import-untyped]  # its parts are imported when they are used

from dashboard.evaluation.rankings import Array
from dashboard.evaluation.statistics.distribution import common_step

LISTED = 20
"""Up to so many terms all signs are listed."""
DRAWN = 10_000
"""Choices of signs that are drawn where the bounds stay apart."""
CLOSE = 1e-2
"""Bounds that differ by this share of p are close enough."""
TOLERANCE = 1e-12
"""Two means closer than this are equal: float sums in another order must not count as smaller."""
_REACH = 9.0
"""Standard deviations beyond which a sum has a chance below 1e-17 (Hoeffding's inequality)."""
_CELLS = 2**18
"""Steps of a lattice at most, and frequencies that bounds are made of at most."""
_FIRST = 2**12
_GONE = 1e-18
"""A product of cosines this small adds nothing."""
_DENSE = 64
"""Terms that are multiplied at each frequency, before it is looked which ones have vanished."""
_NEAR, _ROWS = 2**8, 2**5
"""Small angles, and large ones at a time: what they make stays in the cache."""
_AT_ONCE, _DRAWN_AT_ONCE = 2**17, 2**21
"""Cosines at a time, signs at a time."""


def chance_of_signs(terms: Array, tolerance: float = TOLERANCE) -> tuple[float, bool]:
    """The share of all choices of signs whose sum is at least as far from 0 as that of `terms`.

    terms [U]; tolerance: by how much a sum may be nearer to 0. Returns p and whether it is exact to
    the digits that are printed; if not, DRAWN choices of signs were drawn.

    >>> chance_of_signs(np.array([0.1, 0.2, -0.05, 0.3, 0.15]))
    (0.125, True)
    >>> chance_of_signs(np.repeat([0.2, -0.2], [20, 10]))[0] == chance_of_signs(
    ...     np.repeat([1.0, -1.0, 0.0], [20, 10, 5])
    ... )[0]
    True
    """
    moved = np.abs(terms[terms != 0])
    least = abs(float(terms.sum())) - tolerance
    if least <= 0:
        return 1.0, True
    if len(moved) <= LISTED:
        return listed_chance(moved, least), True
    deviation = float(np.sqrt((moved**2).sum()))
    if least > _REACH * deviation:
        return 2 * float(np.exp(-((least / deviation) ** 2) / 2)), True
    step = common_step(np.append(0.0, moved))
    if step and 2 * _REACH * deviation / step < _CELLS:
        p = _on_a_lattice(terms[terms != 0] / step, deviation / step)
        return max(p, 2.0 ** (1 - len(moved))), True  # the observed signs and their opposites
    low, high = _bounds(moved, least, deviation)
    if high - low <= CLOSE * high:
        return (low + high) / 2, True
    return min(max(_drawn_chance(moved, least), low), high), False


def listed_chance(terms: Array, least: float) -> float:
    """The share of all sign choices whose sum is at least `least` from 0, counted.

    The sums of two halves are listed and joined by their order: 20 terms need 2 × 1,024 sums.
    """
    half = len(terms) // 2
    left, right = _signed_sums(terms[:half]), np.sort(_signed_sums(terms[half:]))
    above = len(left) * len(right) - np.searchsorted(right, least - left, "left").sum()
    below = np.searchsorted(right, -least - left, "right").sum()
    return float((above + below) / 2 ** len(terms))


def _drawn_chance(terms: Array, least: float) -> float:
    """The share of DRAWN choices of signs, the observed one among them."""
    rng, count, rows = np.random.default_rng(0), 1, max(1, _DRAWN_AT_ONCE // len(terms))
    for start in range(0, DRAWN, rows):
        heads = rng.integers(0, 2, size=(min(rows, DRAWN - start), len(terms)), dtype=np.int8)
        count += int((np.abs((2 * heads - 1) @ terms) >= least).sum())
    return count / (DRAWN + 1)


def _signed_sums(values: Array) -> Array:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _on_a_lattice(terms: Array, deviation: float) -> float:
    """The chance where every term is a whole number: the transform turned back. Sums beyond the
    reach fold back onto others, with a chance of less than 1e-17."""
    whole = np.round(terms)
    reach = int(min(2 * _REACH * deviation, 2 * np.abs(whole).sum()))
    cells = scipy.fft.next_fast_len(reach + 4, real=True)
    spectrum = _product(np.abs(whole), 2 * np.pi / cells, cells // 2 + 1)
    shares = scipy.fft.irfft(spectrum, cells).clip(0)
    away = np.minimum(np.arange(cells), cells - np.arange(cells))
    return float(min(shares[away >= abs(whole.sum())].sum(), 1.0))


def _bounds(terms: Array, least: float, deviation: float) -> tuple[float, float]:
    """Two numbers that the chance is between, by ever more frequencies until they are close.

    With the period L = least + reach, |sum| < least is an arc of a circle, which Vaaler's
    polynomial of degree H stands for, wrong by at most Fejér's kernel at its two ends ÷ (H + 1).
    """
    circle = least + _REACH * deviation
    number, low, high = _FIRST, 0.0, 1.0
    product = _product(terms, 2 * np.pi / circle, number + 1)
    while True:
        h = np.arange(1, number + 1)
        part, turn = h / (number + 1), 2 * np.pi * h * least / circle
        smooth = np.pi * part * (1 - part) / np.tan(np.pi * part) + part
        inside = 2 * least / circle
        inside += float(2 / np.pi * (smooth * product[1:] * np.sin(turn) / h).sum())
        wrong = float(1 + 2 * ((1 - part) * product[1:] * np.cos(turn)).sum()) / (number + 1)
        low, high = max(1 - inside - wrong, 0.0), min(1 - inside + wrong, 1.0)
        if high - low <= CLOSE * high or number >= _CELLS:
            return low, high
        more = _product(terms, 2 * np.pi / circle, 4 * number + 1 - len(product), len(product))
        product, number = np.concatenate([product, more]), 4 * number


def _product(terms: Array, base: float, count: int, first: int = 0) -> Array:
    """The product over the terms of cos(base × h × term) for h from `first`. [count]

    Most frequencies vanish after some sixty terms and are left alone from there on.
    """
    values, times = (each[::-1] for each in np.unique(terms, return_counts=True))
    start = int(np.searchsorted(np.cumsum(times), _DENSE)) + 1
    product = _product_of_few(base * values[:start], times[:start], count, first)
    active = np.flatnonzero(np.abs(product) > _GONE)
    while start < len(values):
        block = slice(start, start + max(1, _AT_ONCE // max(len(active), 1)))
        turns = np.cos(base * np.outer(values[block], active + first))
        if times[block].max() > 1:  # a power of 1 costs more than the cosine
            turns = turns ** times[block, None]
        product[active] *= np.prod(turns, axis=0)
        active, start = active[np.abs(product[active]) > _GONE], block.stop
    return product


def _product_of_few(steps: Array, times: Array, count: int, first: int) -> Array:
    """`_product` of terms × base that are all multiplied at each frequency: the cosine of a sum of
    two angles, made of their cosines and sines, costs a tenth of a cosine."""
    near, far = np.arange(_NEAR), np.arange(first, first + count, _NEAR)
    near_cos, near_sin = _cos_and_sin(np.outer(steps, near))
    far_cos, far_sin = _cos_and_sin(np.outer(steps, far))
    product = np.ones((len(far), _NEAR))
    for start in range(0, len(far), _ROWS):
        rows = slice(start, start + _ROWS)
        for number, power in enumerate(times):
            turns = np.outer(far_cos[number, rows], near_cos[number])
            turns -= np.outer(far_sin[number, rows], near_sin[number])
            product[rows] *= turns if power == 1 else turns**power
    return product.ravel()[:count]


def _cos_and_sin(angles: Array) -> tuple[Array, Array]:
    return np.cos(angles), np.sin(angles)
