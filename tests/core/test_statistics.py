"""Intervals and tests: exact cases, other tools, and that the order of queries does not matter."""

import numpy as np
import pytest

from dashboard.evaluation.differences import compare_runs, describe_difference, run_tests
from dashboard.evaluation.measurement import Measurement
from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.statistics import (
    compute_bootstrap_interval,
    compute_randomisation_p,
    find_twins,
    sum_units,
)


def compare(baseline: list[float], candidate: list[float], scenes: list[str] | None = None):
    ids = tuple(f"q{place}" for place in range(len(baseline)))
    sides = [
        Measurement(name, (Measure("AP"),), ids, np.array([values]))
        for name, values in (("a", baseline), ("b", candidate))
    ]
    return compare_runs(*sides, scenes or (), {})[0]


def find_p(*differences: float) -> float:
    return float(compute_randomisation_p(*sum_units(np.array(differences)[:, None], None))[0])


def test_exact_p() -> None:
    assert find_p(0.1, 0.2, -0.05, 0.3, 0.15) == 0.125
    assert find_p(*[0.1] * 10) == 2 / 1024
    assert find_p(0.0, 0.0) == 1.0
    assert np.isnan(find_p(0.5))


def test_drawn_p_is_near_the_exact_one() -> None:
    differences = [0.1] * 15 + [-0.1] * 8
    from scipy.stats import binomtest

    exact = binomtest(15, 23).pvalue
    assert find_p(*differences) == pytest.approx(exact, abs=4 * np.sqrt(exact / 100_000))


def test_interval_against_scipy() -> None:
    from scipy.stats import bootstrap, norm, t

    values = np.random.default_rng(0).exponential(1, size=400) - 0.9
    low, high = compute_bootstrap_interval(*sum_units(values[:, None], None))[:, 0]
    wide = np.sqrt(400 / 399) * t.ppf(0.975, 399)
    level = 2 * norm.cdf(wide) - 1
    options = {"method": "BCa", "n_resamples": 10_000, "confidence_level": level, "rng": 1}
    theirs = bootstrap((values,), np.mean, **options).confidence_interval
    assert [low, high] == pytest.approx(list(theirs), abs=0.04 * (high - low))


def test_interval_of_scenes_against_scipy() -> None:
    from scipy.stats import bootstrap

    rng = np.random.default_rng(1)
    groups = np.sort(rng.integers(0, 60, size=200))
    groups = np.unique(groups, return_inverse=True)[1]
    values = rng.normal(0.1, 1, size=200) + rng.normal(size=groups.max() + 1)[groups]
    sums, sizes = sum_units(values[:, None], groups)
    low, high = compute_bootstrap_interval(sums, sizes)[:, 0]
    theirs = bootstrap(
        (sums[:, 0], sizes[:, 0]),
        lambda total, number, axis=-1: total.sum(axis) / number.sum(axis),
        paired=True, vectorized=True, method="BCa", n_resamples=10_000, rng=1,
        confidence_level=0.957,  # 60 scenes: t with 59 degrees of freedom, and 60 / 59
    ).confidence_interval  # fmt: skip
    assert [low, high] == pytest.approx(list(theirs), abs=0.04 * (high - low))


def test_interval_does_not_depend_on_other_metrics() -> None:
    values = np.random.default_rng(2).integers(-2, 3, size=(50, 3)) / 5
    together = compute_bootstrap_interval(*sum_units(values, None))
    for column in range(3):
        alone = compute_bootstrap_interval(*sum_units(values[:, [column]], None))
        assert alone[:, 0].tolist() == together[:, column].tolist()


def test_equal_twins_are_one_test() -> None:
    values = np.array([[1.0, 0.5, 1.0], [0.0, 0.0, 0.2], [-1.0, -0.5, np.nan]])
    assert find_twins(values).tolist() == [0, 0, 2]
    assert find_twins(-values[:, :2] * [1, -1]).tolist() == [0, 1]
    p, adjusted = run_tests(np.tile(values[:2], (9, 1)), (), [str(n) for n in range(18)])[1][2:]
    assert adjusted.tolist() == [p[0], p[1], 2 * p[2]]


def test_one_query_has_no_interval_and_no_difference_is_not_clear() -> None:
    row = compare([0.5, np.nan], [0.7, np.nan])
    assert (row["low"], row["high"], row["p"], row["p_holm"]) == (None, None, None, None)
    told = describe_difference(row, "a", "b")
    assert told.startswith("b is not clearly different from a: AP +0.200, p not defined (1 ")
    row = compare([0, 0, 0], [1, 1, 0], ["s", "s", "s"])  # one scene
    assert (row["low"], row["high"], row["p"]) == (None, None, None)
    row = compare([0.0] * 9, [1e-10] * 9)
    assert (row["p"] < 0.05, row["same"], row["outcome"]) == (True, 9, "cannot tell")


def test_sums_of_scenes_and_a_drawn_p_which_is_never_0() -> None:
    row = compare([0, 0, 0, 0], [1, 1, -1, 1], ["s", "s", "t", "u"])
    assert row["p"] == (2 + 4) / 8  # sums 2, -1 and 1: six of eight choices reach 2
    assert find_p(*[0.1] * 60) == 1 / 100_001


def test_order_of_queries_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    values = rng.uniform(size=(2, 60))
    order = rng.permutation(60)
    first, second = compare(*values.tolist()), compare(*values[:, order].tolist())
    for name in ("p", "low", "high"):
        assert first[name] == pytest.approx(second[name], abs=1e-12)
