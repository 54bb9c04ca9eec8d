"""Recall of an index and its part in a difference, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.comparison.compare import compare
from dashboard.evaluation.comparison.index_cost import PARTS, decompose, recall


def run(**lists: list[tuple[str, float]]) -> pd.DataFrame:
    rows = [
        (query, item, score, rank)
        for query, of in lists.items()
        for rank, (item, score) in enumerate(of, start=1)
    ]
    return pd.DataFrame(rows, columns=["query_id", "item_id", "score", "rank"])


EXACT = run(
    q1=[("a", 0.9), ("b", 0.8), ("c", 0.8), ("d", 0.1)],
    q2=[("a", 0.7), ("b", 0.6), ("c", 0.5), ("d", 0.4)],
)


def test_recall_is_the_share_of_the_first_k_that_the_index_found() -> None:
    found = run(q1=[("a", 0.9), ("d", 0.1)], q2=[("a", 0.7), ("c", 0.5), ("d", 0.4)])
    table = recall(found, EXACT, [1, 2, 4]).set_index("k")
    assert table["recall"].tolist() == [1.0, (1 / 2 + 1 / 2) / 2, (2 / 4 + 3 / 4) / 2]
    assert table["queries"].tolist() == [2, 2, 2]
    assert table.loc[4, "low"] <= table.loc[4, "recall"] <= table.loc[4, "high"]


def test_another_item_with_the_score_of_the_last_one_is_as_good() -> None:
    found = run(q1=[("a", 0.9), ("c", 0.8)], q2=[("a", 0.7), ("b", 0.6)])
    assert recall(found, EXACT, [2])["recall"].tolist() == [1.0]


def test_a_query_that_the_index_answers_nothing_counts_as_nothing_found() -> None:
    assert recall(run(q1=[("a", 0.9)]), EXACT, [1])["recall"].tolist() == [0.5]


def measured(run_name: str, values: list[float | None]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run": run_name,
            "query_id": [f"q{n}" for n in range(len(values))],
            "metric": "P",
            "cutoff": pd.array([5] * len(values), dtype="Int64"),
            "value": np.array(values, dtype="float64"),
        }
    )


def test_a_difference_is_the_model_and_the_index_of_each() -> None:
    exact = pd.concat([measured("a", [0.2, 0.4, 0.6, None]), measured("b", [0.6, 0.6, 0.8, 1])])
    found = pd.concat([measured("a", [0.2, 0.2, 0.6, None]), measured("b", [0.4, 0.6, 0.6, 1])])
    table = decompose(found, exact, "a", "b").set_index("part")
    assert list(table.index) == list(PARTS)
    assert table["delta"].tolist() == pytest.approx([0.6 / 3, 0.8 / 3, -0.4 / 3, -0.2 / 3])
    total, model, candidate, baseline = table["delta"]
    assert total == pytest.approx(model + candidate - baseline)
    assert (table["scored"] == 3).all() and (table["total"] == 4).all()


def test_its_intervals_are_those_of_a_comparison() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.random(30).round(1).tolist(), rng.random(30).round(1).tolist()
    both = pd.concat([measured("a", first), measured("b", second)])
    row = compare(both, "a", "b").iloc[0]
    parts = decompose(both, both, "a", "b").set_index("part")
    for part in ("difference", "model"):
        assert parts.loc[part, ["delta", "low", "high"]].tolist() == [
            row["delta"], row["low"], row["high"]
        ]  # fmt: skip
    assert parts.loc["index of the baseline", ["delta", "low", "high"]].tolist() == [0, 0, 0]


def test_scenes_are_drawn_together() -> None:
    exact = pd.concat([measured("a", [0, 0, 1, 1]), measured("b", [1, 1, 1, 0])])
    alone = decompose(exact, exact, "a", "b").iloc[0]
    scenes = {"q0": "s", "q1": "s", "q2": "t", "q3": "t"}
    together = decompose(exact, exact, "a", "b", groups=scenes).iloc[0]
    assert together["delta"] == alone["delta"]
    assert (together["low"], together["high"]) != (alone["low"], alone["high"])
    found = recall(EXACT, EXACT, [1], groups={"q1": "s", "q2": "s"}).iloc[0]
    assert np.isnan(found["low"])  # one scene says nothing of others


def test_what_one_of_the_four_has_no_value_for_is_in_no_part() -> None:
    exact = pd.concat([measured("a", [0.2, 0.4]), measured("b", [0.6, 0.6])])
    found = pd.concat([measured("a", [None, None]), measured("b", [0.6, 0.6])])
    table = decompose(found, exact, "a", "b")
    assert table["delta"].isna().all() and (table["scored"] == 0).all()
