"""What a sample of judgements estimates of a metric, with an interval: estimates, not values.

A sample is drawn at random within strata, such as ranks 1 to 10 and the rest. Verdicts collected in
another order, such as the queue's, are no sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # type: ignore[import-untyped]  # its parts are imported when they are used

from dashboard.evaluation.rankings import Array, Flags, Floats


@dataclass(frozen=True)
class Estimate:
    """An estimate with its 95 % interval; `judged` of `total` results were drawn."""

    value: float
    low: float
    high: float
    judged: int
    total: int

    def plus(self, sure: float) -> Estimate:
        """The same with what is certain added."""
        low, high = self.low + sure, self.high + sure
        return Estimate(self.value + sure, low, high, self.judged, self.total)

    def within(self, least: float, most: float) -> Estimate:
        """The same with the interval cut to what the total can be; the value stays in it."""
        low = min(self.value, max(self.low, least))
        high = max(self.value, min(self.high, most))
        return Estimate(self.value, low, high, self.judged, self.total)

    def __str__(self) -> str:
        return (
            f"estimated {self.value:.4f} (95 % {self.low:.4f} to {self.high:.4f}) "
            f"from {self.judged:,} of {self.total:,} results"
        )


def draw(strata: Array, share: float, seed: int, least: int = 2) -> Flags:
    """Which results to judge: of each stratum this share at random, and `least` at least. [n]"""
    random, drawn = np.random.default_rng(seed), np.zeros(len(strata), dtype=bool)
    for stratum in np.unique(strata):
        mine = np.flatnonzero(strata == stratum)
        number = min(len(mine), max(least, round(share * len(mine))))
        drawn[random.choice(mine, number, replace=False)] = True
    return drawn


def estimated_total(
    worth: Floats, strata: Array, drawn: Flags, *, reach: Floats | None = None
) -> Estimate:
    """Σ worth over all results from those drawn: of each stratum size × mean of the drawn.

    worth: what each result adds to a metric or a difference (`bounds.weights` × gain); anything
    where it was not drawn. strata [n]: as in `draw`. The variance has the finite population
    correction, the interval t with Welch and Satterthwaite's degrees of freedom (Cochran, Sampling
    techniques, 5.4). A stratum of which fewer than two are drawn, but not all, has no variance:
    ValueError.

    reach [n]: how far the worth of each result may lie from 0. With it, a stratum whose drawn
    results are all worth the same is not taken for certain: its variance is that of a share of
    ½ ÷ (drawn + 1), as Jeffreys' prior has it, of the longest reach.
    """
    total, variance, of_freedom = 0.0, 0.0, 0.0
    for stratum in np.unique(strata):
        mine = strata == stratum
        size, some = int(mine.sum()), worth[mine & drawn]
        number = len(some)
        if number < min(size, 2):
            raise ValueError(f"{number} of {size} results drawn of a stratum; two are needed")
        total += size * float(some.mean())
        if number < size:
            spread = float(some.var(ddof=1))
            if spread == 0 and reach is not None:
                share = 0.5 / (number + 1)
                spread = share * (1 - share) * float(np.abs(reach[mine]).max()) ** 2
            part = size**2 * (1 - number / size) * spread / number
            variance += part
            of_freedom += part**2 / (number - 1)
    wide = 0.0
    if variance > 0:
        freedom = variance**2 / of_freedom
        wide = float(scipy.special.stdtrit(freedom, 0.975)) * variance**0.5
    return Estimate(total, total - wide, total + wide, int(drawn.sum()), len(worth))
