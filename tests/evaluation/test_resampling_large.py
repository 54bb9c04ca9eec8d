"""Many queries of few kinds: drawn by kind, with the same chances and numbers, in little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dashboard.evaluation.comparison.leaderboard import stability
from dashboard.evaluation.statistics import drawing
from dashboard.evaluation.statistics.resampling import bootstrap_interval, randomisation_p

N = 4_000
FEW_KINDS = np.random.default_rng(3).choice([-0.1, 0.0, 0.1], N, p=[0.28, 0.41, 0.31])[:, None]
MANY_KINDS = np.random.default_rng(4).normal(0.01, 0.5, N)[:, None]


def world(**runs: np.ndarray) -> pd.DataFrame:
    columns = {"metric": "P", "cutoff": pd.array([1] * N, dtype="Int64")}
    ids = {"query_id": [f"q{n}" for n in range(N)]}
    return pd.concat(
        [pd.DataFrame({"run": run, **ids, **columns, "value": v}) for run, v in runs.items()],
        ignore_index=True,
    )


def unit_by_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MANY", 10**9)


def test_the_interval_is_the_normal_one() -> None:
    low, high = bootstrap_interval(FEW_KINDS)
    half = 1.96 * FEW_KINDS.std(ddof=1) / np.sqrt(N)
    assert low[0] == pytest.approx(FEW_KINDS.mean() - half, abs=half / 20)
    assert high[0] == pytest.approx(FEW_KINDS.mean() + half, abs=half / 20)


def test_p_of_differences_of_one_size_is_that_of_the_sign_test() -> None:
    p, exact = randomisation_p(FEW_KINDS)
    better, worse = int((FEW_KINDS > 0).sum()), int((FEW_KINDS < 0).sum())
    theirs = stats.binomtest(better, better + worse).pvalue
    assert 0.005 < theirs < 0.5 and exact[0]
    assert p[0] == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("of", [bootstrap_interval, randomisation_p])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_column_has_its_numbers_whatever_stands_beside_it(of, grouped: bool) -> None:
    groups = np.arange(N) // 2 if grouped else None
    other = np.roll(FEW_KINDS, 7)
    together = of(np.hstack([MANY_KINDS, FEW_KINDS, other]), groups=groups)
    for place, column in enumerate((MANY_KINDS, FEW_KINDS, other)):
        assert [each[place] for each in together] == [each[0] for each in of(column, groups=groups)]


def test_the_order_is_as_sure_as_when_units_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    table = world(a=np.zeros(N), b=FEW_KINDS[:, 0])
    first = stability(table, "P", 1).query("run == 'b' and place == 1")["share"].item()
    normal = stats.norm.cdf(FEW_KINDS.mean() / FEW_KINDS.std() * np.sqrt(N))
    assert 0.6 < normal < 0.999
    assert first == pytest.approx(normal, abs=0.01)
    unit_by_unit(monkeypatch)
    again = stability(table, "P", 1).query("run == 'b' and place == 1")["share"].item()
    assert again == pytest.approx(first, abs=0.01)


def test_the_order_of_many_queries_needs_little_memory() -> None:
    table = world(a=np.zeros(N), b=MANY_KINDS[:, 0])
    tracemalloc.start()
    stability(table, "P", 1)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 150e6, "all resamples × queries at once are 320 MB"
