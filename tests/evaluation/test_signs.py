"""The randomisation test's distribution against every choice of signs, and against many drawn."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from dashboard.evaluation.statistics import signs
from dashboard.evaluation.statistics.resampling import randomisation_p
from dashboard.evaluation.statistics.signs import chance_of_signs, listed_chance

RNG = np.random.default_rng(21)


def listed(terms: np.ndarray) -> float:
    """p by listing all signs; where they add up to 0, no sum is nearer."""
    least = abs(terms.sum()) - 1e-12
    return listed_chance(np.abs(terms), least) if least > 0 else 1.0


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.3])
def test_terms_of_a_lattice_have_the_p_of_all_signs(monkeypatch, shift: float) -> None:
    for _ in range(20):
        terms = np.round(RNG.normal(shift, 0.4, 16), 1)
        expected = listed(terms[terms != 0])
        monkeypatch.setattr(signs, "LISTED", 0)
        assert chance_of_signs(terms) == (pytest.approx(expected, rel=1e-10), True)


@pytest.mark.parametrize("number", [18, 24])
def test_bounds_hold_the_p_of_all_signs(monkeypatch, number: int) -> None:
    for _ in range(10):
        terms = RNG.normal(0.1, 0.4, number)
        least, deviation = abs(terms.sum()), float(np.sqrt((terms**2).sum()))
        low, high = signs._bounds(np.abs(terms), least - 1e-12, deviation)
        assert low - 1e-12 <= listed(terms) <= high + 1e-12


@pytest.mark.parametrize(
    "terms",
    [
        RNG.normal(0.02, 0.3, 300),
        RNG.lognormal(0, 2, 200) * RNG.choice([-1, 1], 200, p=[0.42, 0.58]),
        np.array([RNG.normal(0.02, 0.3, size).sum() for size in RNG.integers(1, 40, 250)]),
        1 / RNG.integers(1, 30, 600) - 1 / RNG.integers(1, 33, 600),
        np.append(RNG.normal(0.002, 0.1, 150), np.zeros(4_000)),
    ],
    ids=["dense", "long tails", "clusters", "reciprocal ranks", "mostly zeros"],
)
def test_p_is_that_of_many_drawn_signs(terms: np.ndarray) -> None:
    p, exact = chance_of_signs(terms)
    moved, drawn = np.abs(terms[terms != 0]), 40_000
    flips = 2 * RNG.integers(0, 2, (drawn, len(moved)), dtype=np.int8) - 1
    share = (np.abs(flips @ moved) >= abs(terms.sum()) - 1e-9).mean()
    assert exact
    assert p == pytest.approx(share, abs=4 * np.sqrt(p * (1 - p) / drawn) + 1e-4)


def test_halves_of_halves_have_the_p_of_a_uniform_sum() -> None:
    """Signs of 1/2, 1/4, 1/8 … add up to a number that is uniform from -1 to 1."""
    terms = 2.0 ** -np.arange(1, 40) * RNG.choice([-1, 1], 39)
    assert chance_of_signs(terms)[0] == pytest.approx(1 - abs(terms.sum()), rel=1e-6)


@pytest.mark.parametrize("number", [58, 64, 70, 80])
def test_no_p_is_below_that_of_the_observed_signs_and_their_opposites(number: int) -> None:
    """Equal terms add up as far from 0 by two choices of signs only, which no rounding loses."""
    p = chance_of_signs(np.full(number, 0.1))[0]
    assert 2 * 0.5**number <= p < 1e-15


def test_a_few_terms_beside_dust_are_drawn_and_say_so() -> None:
    dust = np.abs(RNG.normal(3e-7, 1e-6, 30)) * np.repeat([1, -1], [20, 10])
    p, exact = chance_of_signs(np.append(np.repeat([1.0, -1.0], [20, 10]), dust))
    # 21 or more of the 30 large ones on one side; or 20, and the dust decides
    of_dust = chance_of_signs(dust, 0.0)[0] / 2
    by_hand = 2 * binom.sf(20, 30, 0.5) + 2 * binom.pmf(20, 30, 0.5) * of_dust
    assert not exact
    assert p == pytest.approx(by_hand, abs=0.01)


def test_twenty_thousand_dense_differences_need_little_memory() -> None:
    terms = RNG.normal(0.003, 0.3, 20_000)
    tracemalloc.start()
    p, exact = chance_of_signs(terms)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    normal = 2 * ndtr(-abs(terms.sum()) / np.sqrt((terms**2).sum()))
    assert exact and p == pytest.approx(normal, rel=2e-3)
    assert most < 30e6


def test_no_p_depends_on_order_or_scale() -> None:
    terms = RNG.normal(0.02, 0.3, 200)
    first = randomisation_p(terms[:, None])[0]
    assert np.array_equal(randomisation_p(RNG.permutation(terms)[:, None])[0], first)
    assert randomisation_p(1_000 * terms[:, None])[0] == pytest.approx(first, rel=1e-9)
    assert randomisation_p(-terms[:, None])[0] == pytest.approx(first, rel=1e-12)
