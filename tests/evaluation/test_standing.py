"""Means with intervals and the stability of the versions' order, by hand."""

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.comparison.compare import compare
from dashboard.evaluation.comparison.leaderboard import leaderboard, means, stability


def measured(**values):
    """One measure P@1, a list of values for each version."""
    rows = [
        (run, f"q{i}", "P", 1, value) for run, of in values.items() for i, value in enumerate(of)
    ]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "metric", "cutoff", "value"])
    return frame.astype({"cutoff": "Int64"})


def test_means_leave_nulls_out_and_count_them():
    found = means(measured(a=[1, 0, None], b=[1, 1, 1])).set_index("run")
    assert found["mean"].tolist() == [0.5, 1.0]
    assert found["scored"].tolist() == [2, 3]
    assert found["total"].tolist() == [3, 3]


def test_an_interval_needs_two_queries_and_holds_the_mean():
    found = means(measured(a=[1, None], b=[0.2, 0.8])).set_index("run")
    assert np.isnan(found.loc["a", "low"])
    assert found.loc["b", "low"] <= 0.5 <= found.loc["b", "high"]


def test_the_mean_is_that_of_the_comparison():
    world = measured(a=[1, 0, 0.5], b=[0, 1, 1])
    row = compare(world, "a", "b").iloc[0]
    assert means(world)["mean"].tolist() == pytest.approx([row["baseline"], row["candidate"]])


def test_a_version_that_is_always_better_always_comes_first():
    found = stability(measured(a=[0.1, 0.2, 0.3], b=[0.2, 0.3, 0.4]), "P", 1)
    first = found[found["place"] == 1].set_index("run")["share"]
    assert first.to_dict() == {"a": 0.0, "b": 1.0}


def test_equal_versions_share_the_first_place():
    found = stability(measured(a=[0.1, 0.2], b=[0.1, 0.2]), "P", 1)
    assert found.loc[found["place"] == 1, "share"].tolist() == [1.0, 1.0]
    assert set(found["rank"]) == {1}
    assert found.set_index(["run", "place"])["tied"].tolist() == [1.0, 0.0, 1.0, 0.0]


def test_two_that_tie_above_a_third_share_the_first_place_and_nobody_is_second():
    found = stability(measured(a=[0.3, 0.4], b=[0.3, 0.4], c=[0.1, 0.2]), "P", 1)
    table = found.pivot(index="run", columns="place", values="share")
    assert table.to_numpy().tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    tied = found.pivot(index="run", columns="place", values="tied")
    assert tied.to_numpy().tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]


def test_two_opposite_queries_of_equal_size_are_drawn_evenly():
    # (1, 0) and (0, 1): a is ahead if q0 is drawn twice, 1 of 4; b likewise; else equal, both first
    found = stability(measured(a=[1, 0], b=[0, 1]), "P", 1, resamples=40_000)
    first = found[found["place"] == 1].set_index("run")["share"]
    assert first["a"] == pytest.approx(0.75, abs=0.01)
    assert first["b"] == pytest.approx(0.75, abs=0.01)
    tied = found.set_index(["run", "place"])["tied"]
    assert tied["a", 1] == tied["b", 1] == pytest.approx(0.5, abs=0.01), "equal: 2 of 4"
    assert tied["a", 2] == tied["b", 2] == 0


def test_queries_of_one_scene_are_drawn_together():
    # drawn together, the two queries of the scene always cancel: nothing is ever ahead
    world = measured(a=[1, 0, 0.5], b=[0, 1, 0.5])
    found = stability(world, "P", 1, groups={"q0": "s", "q1": "s"})
    assert found.loc[found["place"] == 1, "share"].tolist() == [1.0, 1.0]


def test_one_query_has_no_stability():
    assert stability(measured(a=[1], b=[0]), "P", 1).empty


def test_a_leaderboard_puts_the_best_first_and_ties_share_a_place():
    rows = pd.DataFrame(
        {
            "run": ["a", "b", "c", "d"],
            "mean": [0.25, 0.5, float("nan"), 0.1 + 0.4],
            "scored": [4, 2, 0, 4],
            "total": [4, 4, 4, 4],
        }
    )
    found = leaderboard(rows)
    assert found["run"].tolist() == ["b", "d", "a", "c"]
    assert found["place"].fillna(0).tolist() == [1, 1, 3, 0], "nothing scored: no place"
    assert found["of_all"].tolist() == [0.25, 0.5, 0.25, 0.0]
