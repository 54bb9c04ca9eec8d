"""Two versions side by side: differences, counts, what is said of them, and where they differ."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.evaluation.comparison.compare import compare, compare_all, deltas, verdict
from tests.evaluation.kinds_statistics import measured

values = st.one_of(st.none(), st.integers(0, 5).map(lambda hits: hits / 5))
two_runs = st.dictionaries(
    st.sampled_from("abcdefghijkl"), st.tuples(values, values), min_size=1
).map(
    lambda pairs: {
        "old": {q: v[0] for q, v in pairs.items()},
        "new": {q: v[1] for q, v in pairs.items()},
    }
)


def many(seed=0, queries=60, runs=3, metrics=("P", "AP")):
    """Random measurements of several versions, a tenth of the queries null for all of them."""
    rng = np.random.default_rng(seed)
    null = rng.random(queries) < 0.1
    pieces = []
    for metric in metrics:
        base = rng.beta(1, 1, queries)
        table = {
            f"v{run}": {
                f"q{i}": None if null[i] else float(np.clip(base[i] + rng.normal(0, 0.2), 0, 1))
                for i in range(queries)
            }
            for run in range(runs)
        }
        pieces.append(measured(table, metric, None if metric == "AP" else 5))
    return pd.concat(pieces, ignore_index=True)


def sentence(runs, **options):
    table = measured(runs)
    old, new = runs
    return verdict(compare(table, old, new, **options).iloc[0], old, new)


def test_the_order_of_the_queries_moves_no_number():
    table = many()
    other = table.iloc[np.random.default_rng(5).permutation(len(table))]
    order = ["metric", "cutoff"]
    groups = {query: f"scene {int(query[1:]) // 3}" for query in table["query_id"].unique()}
    for options in ({}, {"groups": groups}):
        one, two = (compare(t, "v0", "v1", **options).sort_values(order) for t in (table, other))
        pd.testing.assert_frame_equal(one.reset_index(drop=True), two.reset_index(drop=True))


def test_worst_difference_comes_first_and_nulls_last_with_a_reason():
    table = measured(
        {"old": {"a": 0.2, "b": 1, "c": None, "d": 0.4}, "new": {"a": 0.4, "b": 0.2, "c": 1}}
    )
    found = deltas(table, "old", "new")
    assert found["query_id"].tolist() == ["b", "a", "c", "d"]
    assert found["delta"].tolist()[:2] == [-0.8, 0.2]
    assert found["delta"].isna().tolist() == [False, False, True, True]
    assert found["why"].tolist() == ["", "", "null in baseline", "only in baseline"]


def test_deltas_of_two_measures_keep_their_order():
    found = deltas(many(), "v0", "v1")
    assert found["metric"].drop_duplicates().tolist() == ["P", "AP"]
    assert found["cutoff"].isna().sum() == 60
    for _, part in found.dropna(subset=["delta"]).groupby("metric"):
        assert part["delta"].is_monotonic_increasing


@given(two_runs)
@settings(max_examples=60, deadline=None)
def test_counts_add_up_and_means_differ_by_the_mean_difference(runs):
    row = compare(measured(runs), "old", "new").iloc[0]
    assert row["better"] + row["same"] + row["worse"] == row["scored"]
    others = ["only_in_baseline", "only_in_candidate", "null_in_one", "null_in_both"]
    assert row["scored"] + row[others].sum() == row["total"] == len(runs["old"])
    if row["scored"]:
        assert row["candidate"] - row["baseline"] == pytest.approx(row["delta"])
    assert pd.isna(row["p"]) == pd.isna(row["low"]) == (row["scored"] < 2)
    if row["scored"] >= 2:
        assert row["low"] <= row["delta"] + 1e-9
        assert row["delta"] <= row["high"] + 1e-9
        assert 0 < row["p"] <= 1


@given(two_runs)
@settings(max_examples=40, deadline=None)
def test_swapping_the_versions_mirrors_the_row(runs):
    there = compare(measured(runs), "old", "new").iloc[0]
    back = compare(measured(runs), "new", "old").iloc[0]
    assert there["delta"] == pytest.approx(-back["delta"], nan_ok=True)
    assert there["p"] == pytest.approx(back["p"], nan_ok=True)
    assert (there["better"], there["worse"]) == (back["worse"], back["better"])


def test_comparing_all_pairs_at_once_gives_the_same_rows():
    table = many(runs=4)
    together = compare_all(table)
    assert len(together) == 6 * 2
    for (first, second), rows in together.groupby(["baseline_run", "candidate_run"]):
        alone = compare(table, first, second)
        named = rows.drop(columns=["baseline_run", "candidate_run"]).reset_index(drop=True)
        pd.testing.assert_frame_equal(named, alone)


def test_one_baseline_against_each_other_version():
    rows = compare_all(many(runs=4), baseline="v2")
    assert set(rows["baseline_run"]) == {"v2"}
    assert rows["candidate_run"].drop_duplicates().tolist() == ["v0", "v1", "v3"]


def test_a_row_does_not_depend_on_other_queries_that_are_null():
    table = many()
    known = table[table["value"].notna()]
    pd.testing.assert_series_equal(compare(table, "v0", "v1")["p"], compare(known, "v0", "v1")["p"])


def test_no_number_depends_on_the_order_of_the_queries():
    table = many()
    mixed = table.sample(frac=1, random_state=3)
    first, other = (compare(each, "v0", "v1") for each in (table, mixed))
    first, other = (
        rows.sort_values(["metric", "cutoff"], ignore_index=True) for rows in (first, other)
    )
    pd.testing.assert_frame_equal(first, other, rtol=0, atol=1e-12)


def test_equal_twins_count_once_and_a_like_metric_that_differs_counts():
    ids = [f"q{i}" for i in range(9)]
    moved = {q: 0.1 * (i < 6) for i, q in enumerate(ids)}
    runs = {"old": dict.fromkeys(ids, 0.0), "new": moved}
    six = {run: {q: value / 6 for q, value in values.items()} for run, values in runs.items()}
    table = pd.concat([measured(runs, "Rsum", None), measured(six, "mR", None)])
    rows = compare(table, "old", "new")
    assert rows["tests"].tolist() == [1, 1] and rows["p_holm"].tolist() == [2 / 64] * 2
    assert rows["delta"].tolist() == pytest.approx([0.6 / 9, 0.1 / 9])
    six["new"]["q0"] = 0.0
    table = pd.concat([measured(runs, "Rsum", None), measured(six, "mR", None)])
    assert compare(table, "old", "new")["tests"].tolist() == [2, 2]
    other = pd.concat([measured(runs, "P", 5), measured(runs, "AP", None)])
    assert compare(other, "old", "new")["tests"].tolist() == [2, 2], "two metrics that agree"


def test_queries_of_one_scene_make_a_wider_interval():
    rng = np.random.default_rng(5)
    scene = np.repeat(rng.normal(0.05, 0.2, 30), 8)
    ids = [f"q{i}" for i in range(240)]
    runs = {"old": dict.fromkeys(ids, 0.0), "new": dict(zip(ids, scene, strict=True))}
    groups = {q: str(i // 8) for i, q in enumerate(ids)}
    alone = compare(measured(runs), "old", "new").iloc[0]
    scenes = compare(measured(runs), "old", "new", groups=groups).iloc[0]
    assert scenes["high"] - scenes["low"] > 2 * (alone["high"] - alone["low"])
    assert scenes["p"] > alone["p"]


def test_unknown_version_repeated_row_and_unknown_measure_are_refused():
    table = measured({"old": {"a": 1}})
    with pytest.raises(ValueError, match="'new'; measured: old"):
        compare(table, "old", "new")
    with pytest.raises(ValueError, match="P@5 of query 'a' stands twice"):
        deltas(pd.concat([table, table]), "old", "old")


def test_one_version_only_gives_no_pairs():
    assert compare_all(measured({"old": {"a": 1}})).empty


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (
            {"v0.1": {"a": None}, "v0.2": {"a": 1}},
            "v0.2 and v0.1 cannot be told apart at P@5: none of 1 query is scored in both",
        ),
        (
            {"v0.1": {"a": 1}, "v0.2": {"b": 1}},
            "v0.2 and v0.1 cannot be told apart at P@5: none of 2 queries is scored in both",
        ),
        (
            {"v0.1": {"a": 0.5, "b": None}, "v0.2": {"a": 1, "b": 1}},
            "v0.2 and v0.1 cannot be told apart at P@5: of 2 queries one is scored in both "
            "(+0.500), and a test needs two",
        ),
        (
            {"v0.1": {"a": 0.5, "b": 1}, "v0.2": {"a": 0.5, "b": 1}},
            "No difference between v0.2 and v0.1 at P@5: p = 1 (randomisation, exact), "
            "2 of 2 queries scored, all the same",
        ),
        (
            {"v0.1": {"a": 0.5, "b": 1, "c": 0}, "v0.2": {"a": 1, "b": 0.9, "c": 0}},
            "No clear difference between v0.2 and v0.1 at P@5: +0.133 [-0.100, +0.500], "
            "p = 1 (randomisation, exact), 3 of 3 queries scored: 1 better, 1 same, 1 worse",
        ),
    ],
)
def test_verdict_of_little_evidence_is_a_sentence(runs, said):
    assert sentence(runs) == said


def test_verdict_names_direction_size_interval_test_and_counts():
    ids = [f"q{i}" for i in range(92)]
    old = {q: None if i < 8 else 0.5 for i, q in enumerate(ids)}
    new = {q: 0.5 + 0.2 * (i % 3 == 0) for i, q in enumerate(ids)}
    assert sentence({"v0.1": old, "v0.2": new}) == (
        "v0.2 is better than v0.1 at P@5 by +0.067 [+0.048, +0.088], p < 0.0001 (randomisation, "
        "exact), 84 of 92 queries scored: 28 better, 56 same, 0 worse"
    )
    assert sentence({"v0.2": new, "v0.1": old}).startswith(
        "v0.1 is worse than v0.2 at P@5 by -0.067"
    )


def test_counts_of_a_verdict_have_their_thousands_marked():
    old = {f"q{i}": float(i < 2_000) for i in range(4_000)}
    new = {f"q{i}": 1.0 if i < 3_000 else None for i in range(4_000)}
    assert sentence({"v0.1": old, "v0.2": new}).endswith(
        "3,000 of 4,000 queries scored: 1,000 better, 2,000 same, 0 worse"
    )


def test_verdict_shows_a_difference_however_small():
    runs = {"old": {"a": 0.5, "b": 0.25}, "new": {"a": 0.5004, "b": 0.2504}}
    assert ": +0.000400 [+0.000400, +0.000400], p = 0.5 (randomisation, exact)" in sentence(runs)


def test_verdict_says_better_only_after_the_correction_for_the_measures_shown():
    ids = [f"q{i}" for i in range(9)]
    moved = {q: 0.1 * (i < 6) for i, q in enumerate(ids)}
    runs = {"old": dict.fromkeys(ids, 0.0), "new": moved}
    assert sentence(runs).startswith("new is better than old")
    two = pd.concat([measured(runs), measured(runs, "AP", None)])
    row = compare(two, "old", "new").iloc[0]
    assert row["p"] == 2 / 64
    said = verdict(row, "old", "new", "Recall@5 (hits ÷ 5)")
    assert said.startswith("No clear difference between new and old at Recall@5 (hits ÷ 5): ")
    assert "p = 0.031 (randomisation, exact), p = 0.062 after Holm over 2 tests" in said


def test_verdict_of_queries_that_all_belong_together():
    runs = {"old": {"a": 0.5, "b": 0.5}, "new": {"a": 1, "b": 1}}
    said = sentence(runs, groups={"a": "scene", "b": "scene"})
    assert said.endswith("all 2 scored queries of 2 belong together, and a test needs two groups")
