"""Paired t and Tukey's differences: cases without a value, and two versions as one test."""

import numpy as np
import pytest

from dashboard.evaluation.statistics import compute_paired_t, compute_tukey, sum_units


def find_t(*differences: float) -> tuple[float, float]:
    t, p = compute_paired_t(*sum_units(np.array(differences)[:, None], None))
    return float(t[0]), float(p[0])


def test_t_without_a_value() -> None:
    assert np.isnan(find_t(0.5)).all()
    assert np.isnan(find_t(0.3, 0.3, 0.3)).all()
    t, p = find_t(0.0, 0.0)
    assert np.isnan(t) and p == 1
    assert find_t(0.1, np.nan, 0.4, 0.2) == find_t(0.4, 0.1, 0.2)


@pytest.mark.parametrize("seed", range(3))
def test_tukey_of_two_versions_is_a_paired_t(seed: int) -> None:
    values = np.random.default_rng(seed).random((12, 2))
    (row,) = compute_tukey(np.vstack([values, [[np.nan, 0.5]]]))
    t, p = find_t(*(values[:, 1] - values[:, 0]))
    assert row["p"] == pytest.approx(p, abs=1e-9)
    assert row["delta"] == pytest.approx((values[:, 1] - values[:, 0]).mean(), abs=1e-12)
    assert (row["low"] > 0 or row["high"] < 0) == (p < 0.05)


def test_tukey_without_variance() -> None:
    row = compute_tukey(np.array([[0.1, 0.2], [0.3, 0.4]]))[0]
    assert row["delta"] == pytest.approx(0.1)
    assert np.isnan([row["low"], row["high"], row["p"]]).all()
