"""Intervals, tests and corrections against scipy, statsmodels, brute force and simulation."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from dashboard.evaluation.statistics import resampling
from dashboard.evaluation.statistics.correlation import (
    correlation_p,
    spearman,
    williams,
    zou_interval,
)
from dashboard.evaluation.statistics.paired import holm, paired_t
from dashboard.evaluation.statistics.resampling import (
    bootstrap_interval,
    randomisation_p,
    units,
)
from dashboard.evaluation.statistics.signs import chance_of_signs
from dashboard.evaluation.statistics.tukey import tukey, tukey_two_way
from tests.evaluation.kinds_statistics import measured

RNG = np.random.default_rng(7)
few = st.lists(st.integers(-5, 5).map(lambda step: step / 10), min_size=2, max_size=12)


def column(values):
    return np.asarray(values, dtype=float).reshape(-1, 1)


@given(few)
@settings(max_examples=80, deadline=None)
def test_exact_p_is_the_share_of_all_sign_flips(differences):
    values = np.array(differences)
    flips = np.array(list(product((-1, 1), repeat=len(values)))) @ values
    share = (np.abs(flips) >= abs(values.sum()) - 1e-12).mean()
    assert chance_of_signs(values) == (pytest.approx(share), True)
    p, exact = randomisation_p(column(values))
    assert exact[0]
    assert p[0] == pytest.approx(share)


def test_exact_p_equals_scipys_permutation_test():
    values = RNG.normal(0.3, 1, 11)
    theirs = stats.permutation_test(
        (values, np.zeros(11)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert chance_of_signs(values)[0] == pytest.approx(theirs.pvalue, abs=1e-12)


def test_p_of_many_agrees_with_scipys_within_chance():
    differences = np.round(RNG.normal(0.02, 0.2, (80, 6)), 1)
    ours, exact = randomisation_p(differences)
    theirs = stats.permutation_test(
        (differences, np.zeros_like(differences)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=4_000,
        vectorized=True,
        rng=1,
    ).pvalue
    assert exact.all()
    error = np.sqrt(theirs * (1 - theirs) / 4_000) + 1e-3
    assert (np.abs(ours - theirs) < 4 * error).all()


def test_p_is_never_zero_and_equal_scores_count_as_far():
    for number in (40, 400):
        p, exact = randomisation_p(column(np.full(number, 0.1)))
        assert exact[0]
        assert 0 < p[0] < 1e-10
    assert chance_of_signs(np.full(10, 0.1))[0] == 2 / 1024


def test_zeros_do_not_matter_to_the_test():
    moved = np.round(RNG.normal(0.1, 0.3, 15), 2)
    with_zeros = np.append(moved, np.zeros(85))
    p, exact = randomisation_p(column(with_zeros))
    assert exact[0]
    assert p[0] == pytest.approx(chance_of_signs(moved)[0])


def test_all_equal_is_p_1_and_too_few_is_null():
    differences = np.array([[0, 0.5, np.nan], [0, np.nan, np.nan]])
    p, _ = randomisation_p(differences)
    low, high = bootstrap_interval(differences)
    assert p[0] == 1
    assert (low[0], high[0]) == (0, 0)
    assert np.isnan([p[1], p[2], low[1], low[2], high[1], high[2]]).all()


def test_interval_is_scipys_bca_at_the_widened_level():
    differences = RNG.exponential(0.2, (50, 3)) - 0.15
    low, high = bootstrap_interval(differences)
    z = np.sqrt(50 / 49) * stats.t.ppf(0.975, 49)
    theirs = stats.bootstrap(
        (differences,),
        np.mean,
        method="BCa",
        n_resamples=20_000,
        confidence_level=1 - 2 * stats.norm.sf(z),
        vectorized=True,
        rng=2,
    ).confidence_interval
    spread = differences.std(axis=0) / np.sqrt(50)
    assert (np.abs(low - theirs.low) < 0.1 * spread).all()
    assert (np.abs(high - theirs.high) < 0.1 * spread).all()


def test_nulls_are_left_out_of_interval_and_test():
    whole = RNG.normal(0.1, 0.3, (40, 2))
    holes = np.full((60, 2), np.nan)
    holes[10:50, 0], holes[20:, 1] = whole[:, 0], whole[:, 1]
    for ours, alone in zip(bootstrap_interval(holes), bootstrap_interval(whole), strict=True):
        assert np.array_equal(ours, alone)
    assert np.array_equal(randomisation_p(holes)[0], randomisation_p(whole)[0])


def test_blocks_do_not_change_the_numbers(monkeypatch):
    differences = RNG.normal(0, 1, (30, 7))
    whole = randomisation_p(differences)[0]
    monkeypatch.setattr(resampling, "_COLUMNS", 2)
    assert np.array_equal(randomisation_p(differences)[0], whole)


def test_groups_are_drawn_and_swapped_whole():
    differences = RNG.normal(0.2, 1, 24)
    groups = np.repeat(np.arange(8), 3)
    p, exact = randomisation_p(column(differences), groups=groups)
    sums = differences.reshape(8, 3).sum(axis=1)
    assert exact[0]
    assert p[0] == pytest.approx(chance_of_signs(sums)[0])
    same_sizes = bootstrap_interval(column(differences), groups=groups)
    of_means = bootstrap_interval(column(sums / 3))
    assert np.allclose(same_sizes, of_means)


def test_scenes_of_the_same_differences_in_another_order_are_equal():
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in their last bit, and must not in rank."""
    differences = column([0.1, 0.2, 0.3, 0.3, 0.2, 0.1])
    sums, _ = units(differences, np.repeat([0, 1], 3))
    assert sums[0] == sums[1] and 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1


def test_groups_of_different_sizes_weigh_by_their_queries():
    differences = np.append(np.full(9, 1.0), [0.0, 0.5, 0.2])
    groups = np.append(np.zeros(9, dtype=int), [1, 2, 3])
    sums, sizes = units(column(differences), groups)
    assert sums.ravel().tolist() == [9, 0, 0.5, 0.2]
    assert sizes.ravel().tolist() == [9, 1, 1, 1]
    low, high = bootstrap_interval(column(differences), groups=groups)
    assert 0 <= low[0] < differences.mean() < high[0] <= 1


def test_interval_is_null_where_all_belong_to_one_group():
    low, _ = bootstrap_interval(column([1, 2, 3]), groups=np.zeros(3, dtype=int))
    assert np.isnan(low[0])


@given(st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_holm_equals_statsmodels(p):
    values = np.array(p)
    known = ~np.isnan(values)
    ours = holm(values)
    assert np.isnan(ours[~known]).all()
    if known.any():
        theirs = multipletests(values[known], method="holm")[1]
        assert ours[known] == pytest.approx(theirs, abs=1e-12)


def test_holm_of_several_families_at_once():
    table = RNG.random((5, 4))
    assert np.array_equal(holm(table), np.array([holm(row) for row in table]))


def test_paired_t_equals_scipys():
    differences = RNG.normal(0.1, 1, (30, 4))
    differences[3, 1] = np.nan
    t, p = paired_t(*units(differences))
    theirs = stats.ttest_1samp(differences, 0, nan_policy="omit")
    assert t == pytest.approx(np.asarray(theirs.statistic))
    assert p == pytest.approx(np.asarray(theirs.pvalue))


def test_paired_t_without_spread():
    t, p = paired_t(*units(np.array([[0.0, 0.5, np.nan], [0.0, 0.5, 1.0]])))
    assert np.isnan(t).all()
    assert p[0] == 1
    assert np.isnan(p[1:]).all()


def test_tukey_of_two_versions_is_the_paired_t_test():
    values = RNG.random((25, 2))
    row = tukey_two_way(values, ["A", "B"]).iloc[0]
    theirs = stats.ttest_rel(values[:, 1], values[:, 0])
    assert row["p"] == pytest.approx(theirs.pvalue, abs=1e-9)
    interval = theirs.confidence_interval()
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_tukey_sees_through_queries_of_different_difficulty():
    difficulty = RNG.random((40, 1)) * 5
    values = difficulty + RNG.normal(0, 0.1, (40, 3)) + np.array([0, 0, 0.2])
    assert tukey_two_way(values, "ABC")["p"].tolist()[1] < 1e-6
    assert stats.tukey_hsd(*values.T).pvalue[0, 2] > 0.5


def test_tukey_takes_the_scenes_for_what_is_independent():
    """Scenes of queries that all say the same are no more evidence than one query of each."""
    of_scenes = RNG.random((25, 3))
    repeated, groups = np.repeat(of_scenes, 4, axis=0), np.repeat(np.arange(25), 4)
    bounds = ["delta", "low", "high", "p"]
    ours, alone = tukey_two_way(repeated, "ABC", groups=groups), tukey_two_way(of_scenes, "ABC")
    assert ours[bounds].to_numpy() == pytest.approx(alone[bounds].to_numpy(), abs=1e-9)
    apart = tukey_two_way(repeated, "ABC")
    assert ((apart["high"] - apart["low"]) < 0.6 * (ours["high"] - ours["low"])).all()


def test_tukey_of_scenes_of_one_query_each_is_that_of_the_queries():
    values = RNG.random((25, 3))
    alone = tukey_two_way(values, "ABC", groups=np.arange(25)[::-1])
    pd.testing.assert_frame_equal(alone, tukey_two_way(values, "ABC"))
    assert tukey_two_way(values, "ABC", groups=np.zeros(25, dtype=int))["p"].isna().all()


def test_tukey_leaves_out_queries_that_are_null_in_any_version():
    values = RNG.random((12, 3))
    holes = np.vstack([values, [[np.nan, 1, 1], [0, np.nan, 1]]])
    first, second = tukey_two_way(values, "ABC"), tukey_two_way(holes, "ABC")
    assert first["p"].tolist() == second["p"].tolist()
    assert second[["scored", "total"]].iloc[0].tolist() == [12, 14]


@pytest.mark.parametrize(
    ("values", "p"),
    [
        (np.full((4, 2), 0.5), [1.0]),
        (np.array([[0.0, 1.0], [0.0, 1.0]]), [None]),
        (np.array([[0.0, 1.0]]), [None]),
        (np.empty((0, 2)), [None]),
        (np.empty((5, 1)), []),
    ],
)
def test_tukey_without_anything_to_test(values, p):
    found = tukey_two_way(values, "AB"[: values.shape[1]])["p"]
    assert [None if np.isnan(each) else each for each in found] == p


def test_tukey_of_a_measurements_table():
    runs = {name: {f"q{i}": float(RNG.random()) for i in range(9)} for name in "ABC"}
    found = tukey(measured(runs), "P", 5)
    assert found[["baseline", "candidate"]].to_numpy().tolist() == [
        ["A", "B"],
        ["A", "C"],
        ["B", "C"],
    ]
    with pytest.raises(ValueError, match="P@3 was not measured; measured: P@5"):
        tukey(measured(runs), "P", 3)


def test_spearman_equals_scipys():
    x, y = RNG.integers(0, 9, (2, 50)) / 3
    ours, theirs = spearman(x, y), stats.spearmanr(x, y)
    assert ours == pytest.approx((theirs.statistic, theirs.pvalue, 50))


@pytest.mark.parametrize("x", [[1, 1, 1], [1, np.nan, np.nan], []])
def test_spearman_of_a_constant_or_of_one_pair_is_null(x):
    assert np.isnan(spearman(np.array(x, dtype=float), np.arange(len(x), dtype=float)).r)


def test_correlations_that_leave_nothing_to_test():
    assert np.isnan(correlation_p(0.5, 2))
    assert correlation_p(1.0, 5) == 0
    assert williams(0.4, 0.4, 1.0, 50).p == 1
    assert np.isnan(williams(0.9, -0.9, 0.9, 50).p)
    assert np.isnan(williams(0.4, 0.5, 0.1, 3).p)
    assert np.isnan(zou_interval(1.0, 0.5, 0.5, 30)).all()


def test_williams_is_antisymmetric_and_zou_contains_the_difference():
    there, back = williams(0.5, 0.3, 0.6, 80), williams(0.3, 0.5, 0.6, 80)
    assert there.t == -back.t
    assert there.p == back.p
    low, high = zou_interval(0.5, 0.3, 0.6, 80)
    assert low < 0.2 < high


@pytest.mark.slow
def test_coverage_of_the_interval_in_a_quick_simulation():
    # 1,000 experiments of 80 queries; the long table: tests/benchmarks/bench_statistics.py
    rng = np.random.default_rng(11)
    for draw, mean in (
        (lambda size: rng.binomial(5, 0.6, size) / 5 - rng.binomial(5, 0.5, size) / 5, 0.1),
        (lambda size: np.where(rng.random(size) < 0.12, -rng.beta(2, 1, size), 0), -0.08),
    ):
        low, high = bootstrap_interval(draw((80, 1_000)))
        assert 0.93 <= ((low <= mean) & (mean <= high)).mean() <= 0.97


@pytest.mark.slow
def test_identical_systems_are_rarely_called_different():
    # 300 pairs of versions that differ by chance alone, two correlated measures, Holm over both
    rng = np.random.default_rng(12)
    level = rng.beta(1, 1, (60, 300, 1))
    baseline, candidate = rng.binomial(5, level, (2, 60, 300, 1)) / 5
    scale = np.concatenate([np.ones((60, 300, 1)), rng.random((60, 300, 1))], axis=2)
    differences = np.round((candidate - baseline) * scale, 12)
    p, _ = randomisation_p(differences.reshape(60, 600))
    wrong = (holm(p.reshape(300, 2)) < 0.05).any(axis=1).mean()
    assert wrong <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)
    assert (p < 0.05).mean() > 0.01, "some are by chance"


def test_the_interval_of_a_column_is_the_same_alone_and_among_others(monkeypatch):
    """To the last bit, before it is rounded: else a bound may be rounded up here and down there."""
    monkeypatch.setattr(np, "round", lambda values, digits=0: np.asarray(values))
    rng = np.random.default_rng(0)
    differences, groups = (
        rng.choice([0, 0.2, -0.2, 0.4, -0.4], (125, 40)),
        rng.permutation(125) % 111,
    )
    together = bootstrap_interval(differences, groups=groups)
    for at in range(differences.shape[1]):
        alone = bootstrap_interval(differences[:, [at]], groups=groups)
        assert [bound[0] for bound in alone] == [bound[at] for bound in together]
