"""The bootstrap's distribution of a mean as a whole, by Fourier transform instead of by drawing.

The sum of n units drawn with replacement has the n-fold convolution of their values as
distribution, whose transform is the n-th power of theirs. So no bound depends on a seed, on how
many samples were drawn, or on the order of the queries. Values that are multiples of one step, such
as those of P@5, keep it, and with it each possible mean and its chance, exactly; others are put on
a grid, whose cells are less than a hundredth of the mean's standard error wide and of which the
most frequent value is a place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # type: ignore[import-untyped]  # its parts are imported when they are used

from dashboard.evaluation.rankings import Array

SMALLEST = 0.5e-4
"""Shares closer than this to 0 or 1 count as 0 or 1."""
_REACH = 24.0
"""Standard deviations of the sum that a grid covers; the chance beyond them is negligible."""
_FINE, _COARSE = 1_024, 256
"""Cells of a grid for each square root of the number of units; the second where many grids are
made for one bound, wider by a thousandth for it."""
_FEW = 128
"""For at most so many units a grid is four times as fine."""
_MOST = 2**18
"""Cells of a grid at most; a lattice of more is put on a coarser grid as other values are."""
_CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class Sum:
    """How likely each sum of n values drawn with replacement is.

    first, step: the sum at place 0, and from one place to the next; shares: of each place;
    lattice: whether no sum lies between two places.
    """

    first: float
    step: float
    shares: Array
    lattice: bool

    @classmethod
    def of(cls, values: Array, fine: int = _FINE) -> Sum:
        """The distribution for some values, of which not all are equal."""
        number, least = len(values), float(values.min())
        above = values - least
        widest = float(above.max())
        room = min(_REACH * float(values.std()) * np.sqrt(number), number * widest)
        step = common_step(above) if fine == _FINE else 0.0
        lattice = step > 0 and room / step < _MOST
        if not lattice:
            step = room / min(_MOST, _finer(fine, number) * int(np.ceil(np.sqrt(number))))
            typical = float(np.median(np.abs(values - np.median(values))))
            if 0 < typical < step:  # one giant unit must not hide all others in a single cell
                step = max(typical / 8, room / _MOST)
            below = _up_to_a_place(values, step)
            least, above = least - below, above + below
        weights = _weights(above / step, lattice)
        cells = scipy.fft.next_fast_len(max(len(weights), int(np.ceil(room / step)) + 4), real=True)
        drawn = scipy.fft.irfft(_power(scipy.fft.rfft(weights / number, cells), number), cells)
        # places of sums go round and round: those that are kept stand about the middle, and where
        # all have room, none stands below the first one or above the last
        middle = number * float(above.mean()) / step
        last = int(np.ceil(number * float(above.max()) / step)) + 2
        start = min(max(0, round(middle - cells / 2)), max(0, last - cells))
        return cls(number * least + start * step, step, np.roll(drawn, -start).clip(0), lattice)

    def share_below(self, total: float) -> float:
        """The chance of a smaller sum, and half of that of this one."""
        middles = np.cumsum(self.shares) - self.shares / 2
        place = (total - self.first) / self.step
        if self.lattice:
            place = round(place)
        return float(np.interp(place, np.arange(len(middles)), middles, left=0.0, right=1.0))

    def share_of(self, total: float) -> float:
        """The chance of exactly this sum, of sums on a lattice."""
        place = round((total - self.first) / self.step)
        return float(self.shares[place]) if 0 <= place < len(self.shares) else 0.0

    def quantile(self, level: float) -> float:
        """The least sum that this share of the sums does not exceed."""
        reached = np.cumsum(self.shares)
        place = int(np.searchsorted(reached, level - _CLOSE * self.lattice))
        place = min(place, len(reached) - 1)
        if self.lattice:
            return float(self.first + place * self.step)
        before = reached[place] - self.shares[place]
        part = (level - before) / max(self.shares[place], 1e-300)
        return float(self.first + (place - 0.5 + min(max(part, 0.0), 1.0)) * self.step)


def _finer(fine: int, number: int) -> int:
    """The cells of a grid for each square root of few units: a single one moves their bounds."""
    return 4 * fine if fine == _FINE and number <= _FEW else fine


def _up_to_a_place(values: Array, step: float) -> float:
    """How far below the least value a grid begins, for the most frequent value to be a place of it:
    else many equal ones, such as differences of 0, would be smeared over several."""
    unique, times = np.unique(values, return_counts=True)
    away = float(unique[times.argmax()] - unique[0]) / step
    return max(float(np.ceil(away - 1e-9) - away), 0.0) * step if times.max() > 1 else 0.0


def common_step(above: Array) -> float:
    """The largest step that all of some numbers from 0 are multiples of; 0: none that is no dust.

    >>> round(common_step(np.array([0.0, 0.4, 1.0])), 12), common_step(np.array([0.0, 1.0, 2**0.5]))
    (0.2, 0.0)
    """
    numbers = np.unique(above)
    widest, step = float(numbers[-1]), 0.0
    for number in numbers[numbers > _CLOSE * widest].tolist():
        first, second = float(number), step
        while second > _CLOSE * widest:
            first, second = second, abs(first - second * round(first / second))
        step = first
        if step < widest / _MOST:
            return 0.0
    steps = numbers / step
    return step if np.abs(steps - np.round(steps)).max() < 1e-6 else 0.0


def _weights(places: Array, lattice: bool) -> Array:
    """How many values stand at each place; one between two is shared out so as to keep the mean."""
    if lattice:
        return np.bincount(np.round(places).astype(np.int64)).astype(float)
    below = np.floor(places).astype(np.int64)
    part = places - below
    length = int(below.max()) + 2
    return np.asarray(np.bincount(below, 1 - part, length) + np.bincount(below + 1, part, length))


def _power(numbers: Array, exponent: int) -> Array:
    """By squares: complex powers by logarithm take ten times as long."""
    result = None
    while exponent:
        if exponent & 1:
            result = numbers if result is None else result * numbers
        exponent >>= 1
        numbers = numbers * numbers if exponent else numbers
    assert result is not None
    return result


class Mean:
    """The mean of units drawn with replacement: their sums together ÷ their sizes together.

    sums, sizes [U]: a unit is a query of size 1, or several that belong together.
    """

    def __init__(self, sums: Array, sizes: Array) -> None:
        self.sums, self.sizes = sums, sizes
        ratios = sums / sizes
        self.least, self.most = float(ratios.min()), float(ratios.max())
        self.observed = float(sums.sum() / sizes.sum())
        self.certain = self.most - self.least <= 1e-12
        alike = bool((sizes == sizes[0]).all())
        self._sum = Sum.of(sums) if alike and not self.certain else None

    def share_below(self, mean: float) -> float:
        """The chance of a smaller mean, and half of that of this one."""
        if self._sum is not None:
            return self._sum.share_below(mean * len(self.sums) * float(self.sizes[0]))
        return self._at(mean, _COARSE).share_below(0.0)

    def quantile(self, level: float) -> float:
        """The least mean that this share of the means does not exceed."""
        if self.certain:
            return self.observed
        level = min(max(level, SMALLEST), 1 - SMALLEST)
        if self._sum is not None:
            found = self._sum.quantile(level) / (len(self.sums) * float(self.sizes[0]))
        else:
            found = self._solved(level)
        return min(max(found, self.least), self.most)

    def _at(self, mean: float, fine: int = _FINE) -> Sum:
        """What the units exceed this mean by, added up: below 0 where their mean is below it."""
        return Sum.of(self.sums - mean * self.sizes, fine)

    def _solved(self, level: float) -> float:
        """The mean that is not exceeded with a chance of `level`, of units of several sizes."""
        if self.least < 0 < self.most:  # no difference is a mean of its own, not one among others
            none = self._at(0.0)
            if none.lattice and abs(level - none.share_below(0.0)) <= none.share_of(0.0) / 2:
                return 0.0
        wanted = scipy.special.ndtri(level)

        def missing(mean: float) -> float:
            share = min(max(self.share_below(mean), 1e-9), 1 - 1e-9)
            return float(scipy.special.ndtri(share) - wanted)

        spare = (self.most - self.least) * 1e-6
        low, high = self.least + spare, self.most - spare
        if missing(low) >= 0:
            return self.least
        if missing(high) <= 0:
            return self.most
        return float(scipy.optimize.brentq(missing, low, high, xtol=1e-5 * (high - low), rtol=1e-9))
