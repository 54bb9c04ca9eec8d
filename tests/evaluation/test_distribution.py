"""The bootstrap's whole distribution against every sample there is, and against many drawn ones."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import special

from dashboard.evaluation.statistics.distribution import Mean, Sum
from dashboard.evaluation.statistics.resampling import bootstrap_interval

RNG = np.random.default_rng(11)
ON_A_LATTICE = np.array([0.4, -0.2, 0.0, 1.0, 0.2])
ANYWHERE = np.array([0.31, -0.2, 0.07, 0.9, 0.123])
LEVELS = (0.001, 0.0125, 0.2, 0.5, 0.975, 0.999)


def every_mean(sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The means of all samples with replacement, in order."""
    places = np.array(list(product(range(len(sums)), repeat=len(sums))))
    return np.sort(np.round(sums[places].sum(1) / sizes[places].sum(1), 12))


@pytest.mark.parametrize("sums", [ON_A_LATTICE, ANYWHERE])
@pytest.mark.parametrize("sizes", [np.ones(5), np.array([1.0, 2.0, 1.0, 3.0, 2.0])])
def test_it_is_that_of_all_samples(sums: np.ndarray, sizes: np.ndarray) -> None:
    every, mean = every_mean(sums, sizes), Mean(sums, sizes)
    for level in LEVELS:
        found = mean.quantile(level)
        low, high = (
            every[round(share * (len(every) - 1))]
            for share in (level * 0.9, level * 1.1 if level < 0.5 else 1 - (1 - level) * 0.9)
        )
        assert low - 0.01 <= found <= high + 0.01
    below = (every < mean.observed - 1e-9).mean() + (every <= mean.observed + 1e-9).mean()
    assert mean.share_below(mean.observed) == pytest.approx(below / 2, abs=0.01)


def test_values_on_a_lattice_keep_it_to_the_last_digit() -> None:
    every, mean = every_mean(ON_A_LATTICE, np.ones(5)), Mean(ON_A_LATTICE, np.ones(5))
    for level in np.linspace(0.0011, 0.9989, 50):
        assert mean.quantile(level) == pytest.approx(every[int(level * len(every))], abs=1e-12)


def test_a_bound_that_is_zero_is_zero_of_units_of_one_size_or_several() -> None:
    """Where many samples have the mean 0, the bound between them is 0 and no dust."""
    sums = np.array([0.2, 0.2, 0.2, -0.2, *[0.0] * 20])
    for sizes in (np.ones(24), np.tile([1.0, 2.0, 3.0], 8)):
        assert Mean(sums, sizes).quantile(0.2) == 0.0
    low, _ = bootstrap_interval(np.array([[0.1], [0.3], *[[0.0]] * 30]))
    assert low[0] == 0 and not np.signbit(low[0])


@pytest.mark.parametrize("number", [12, 150])
@pytest.mark.parametrize("grouped", [False, True])
def test_it_is_that_of_many_drawn_samples(number: int, grouped: bool) -> None:
    sizes = RNG.integers(1, 5, number).astype(float) if grouped else np.ones(number)
    sums = RNG.normal(0.05, 0.3, number) * sizes
    places = RNG.integers(0, number, (60_000, number))
    drawn = sums[places].sum(1) / sizes[places].sum(1)
    mean = Mean(sums, sizes)
    for level in (0.01, 0.025, 0.5, 0.975):
        assert mean.quantile(level) == pytest.approx(
            np.quantile(drawn, level), abs=0.06 * drawn.std()
        )


def test_large_numbers_and_many_queries_stay_in_bounds() -> None:
    values = RNG.normal(1e6, 3e5, 5_000)
    low, high = bootstrap_interval(values[:, None])
    half = 1.96 * values.std() / np.sqrt(5_000)
    assert [low[0], high[0]] == pytest.approx(
        [values.mean() - half, values.mean() + half], rel=1e-3
    )
    assert len(Sum.of(values).shares) < 2**18


def exact_interval(differences: np.ndarray) -> tuple[float, float]:
    """The BCa interval by the chances of every sum, counted one by one."""
    number = len(differences)
    chances: dict[float, float] = {0.0: 1.0}
    for _ in range(number):
        further: dict[float, float] = {}
        for total, chance in chances.items():
            for value in differences.tolist():
                key = round(total + value, 10)
                further[key] = further.get(key, 0.0) + chance / number
        chances = further
    totals = np.array(sorted(chances))
    share, mean = np.array([chances[total] for total in totals]), totals / number
    below = share[mean < differences.mean() - 1e-9].sum()
    below += share[np.abs(mean - differences.mean()) <= 1e-9].sum() / 2
    bias = special.ndtri(np.clip(below, 5e-5, 1 - 5e-5))
    pull = (differences.sum() - differences) / (number - 1)
    pull = pull.mean() - pull
    skew = (pull**3).sum() / (6 * (pull**2).sum() ** 1.5)
    wide = np.sqrt(number / (number - 1)) * special.stdtrit(number - 1, 0.975)
    bounds = []
    for z in (-wide, wide):
        room = 1 - skew * (bias + z)
        far = bias + (bias + z) / room if room > 0 else np.sign(z) * np.inf
        level = np.clip(special.ndtr(far), 5e-5, 1 - 5e-5)
        bounds.append(mean[min(np.searchsorted(share.cumsum(), level - 1e-12), len(mean) - 1)])
    return float(bounds[0]), float(bounds[1])


@pytest.mark.parametrize(
    "differences",
    [
        [0.14, 0.08, -0.02, 0.10],
        [-0.9, 0.1, 0.1, 0.0],
        [-0.8123, 0.1377, 0.1121, 0.0933, 0.2018],
        [-1, 0.25, 0.3, 0.2],
        [-0.41, 0.352, 0.317, 0.388],
        [-0.7, 0.3, 0.2, 0.1, 0.2, 0.3],
        [-0.93, 0.14, 0.11, 0.05, 0.08, 0.12, 0.17, 0.02],
        [0.12, 0.09, -0.04],
    ],
)
def test_few_and_skewed_differences_keep_both_tails(differences: list[float]) -> None:
    values = np.array(differences, dtype=float)
    exact = exact_interval(values)
    for sign in (1, -1):
        low, high = bootstrap_interval(sign * values[:, None])
        found = sorted([sign * float(low[0]), sign * float(high[0])])
        assert found == pytest.approx(exact, abs=2e-4)


def test_many_equal_differences_are_not_smeared() -> None:
    sparse = np.array([0.37123, -0.0411231, 0, 0, 0, 0, 0, 0])
    low, _ = bootstrap_interval(sparse[:, None])
    assert float(low[0]) == pytest.approx(2 * -0.0411231 / 8, abs=1e-4)


def test_a_giant_scene_does_not_hide_the_others() -> None:
    """One scene of 3,000 queries beside 299 of one: without it the mean is another, yet spread."""
    sums = np.append(RNG.normal(0.02, 0.3, 299), 900.0)
    sizes = np.append(np.ones(299), 3_000.0)
    places = RNG.integers(0, 300, (20_000, 300))
    drawn = sums[places].sum(1) / sizes[places].sum(1)
    low = drawn[drawn < 0.15]
    mean = Mean(sums, sizes)
    for level in (0.025, 0.1, 0.2):
        assert mean.quantile(level) == pytest.approx(
            np.quantile(drawn, level), abs=0.15 * low.std()
        )


def test_units_of_several_sizes_that_stand_on_places_of_their_grid() -> None:
    """Of few differences, as they are at P@5; float dust must not put one below the first place."""
    sums = np.repeat([-0.4, -0.2, 0.0, 0.0, 0.2, 0.4, 0.8], [2, 9, 2, 24, 11, 1, 1])
    sizes = np.repeat([1.0, 2.0, 1.0], [11, 2, 37])
    mean = Mean(sums, sizes)
    assert mean.share_below(mean.observed) == pytest.approx(0.5, abs=0.05)
