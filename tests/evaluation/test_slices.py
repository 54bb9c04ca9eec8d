"""Parts of the queries and their means; overlap of lists without labels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.evaluation.comparison.compare import compare
from dashboard.evaluation.comparison.overlap import overlap, overlap_by_query
from dashboard.evaluation.comparison.slices import (
    divisions,
    lowest_slice,
    slice_means,
    slices_of_keywords,
    slices_of_queries,
    slices_of_relevant,
)
from dashboard.evaluation.protocols.protocol import judgement
from tests.evaluation.kinds_statistics import measured

lists = st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=8)


def test_a_query_without_a_keyword_is_a_part_and_so_is_one_that_asks_with_a_picture():
    queries = pd.DataFrame(
        {
            "query_id": ["a", "b", "c"],
            "text": ["car", "", ""],
            "item_id": ["", "i1", ""],
            "image": ["", "", "x.png"],
        }
    )
    required = pd.DataFrame(
        [("a", "pv_object_type", "car")], columns=["query_id", "group", "keyword"]
    )
    judged = judgement(
        pd.DataFrame([("a", "i1", 1.0, 1.0)], columns=["query_id", "item_id", "grade", "credit"]),
        ["a", "b", "c"],
    )
    found = named(divisions(queries, required, ["pv_object_type"], judged))
    assert found["number of keywords", "1"] == ["a"]
    assert found["number of keywords", "0"] == ["b", "c"]
    assert found["kind of query", "picture query"] == ["c"]
    bare = named(divisions(queries, required.iloc[:0], ["pv_object_type"], judged))
    assert not [by for by, _ in bare if by == "number of keywords"]


def run(items, query="q"):
    columns = ["query_id", "item_id", "score", "rank"]
    rows = [(query, item, -rank, rank) for rank, item in enumerate(items, 1)]
    return pd.DataFrame(rows, columns=columns).astype({"query_id": "str", "item_id": "str"})


def named(slices):
    """{(by, slice): the queries in it}"""
    return {
        key: part["query_id"].tolist() for key, part in slices.groupby(["by", "slice"], sort=False)
    }


def test_slices_of_the_queries_table():
    queries = pd.DataFrame(
        {
            "query_id": ["a", "b", "c"],
            "text": ["two words", None, "now here are many more words than before"],
            "item_id": [None, "v1", None],
            "weather": ["snow", None, "snow"],
            "street": ["  ", "", "Rue d'Or"],
            "speed": [50, None, 30.5],
        }
    )
    assert named(slices_of_queries(queries)) == {
        ("kind of query", "text query"): ["a", "c"],
        ("kind of query", "item query"): ["b"],
        ("query length", "1-3 words"): ["a"],
        ("query length", "8 words or more"): ["c"],
        ("weather", "snow"): ["a", "c"],
        ("street", "Rue d'Or"): ["c"],
        ("speed", "50.0"): ["a"],
        ("speed", "30.5"): ["c"],
    }


def test_a_column_that_is_called_as_a_way_to_divide_is_told_from_it():
    queries = pd.DataFrame(
        {
            "query_id": ["a", "b"],
            "text": ["one", "two"],
            "group": ["x", ""],
            "keyword group": ["", "x"],
            "kind of query": ["hard", "easy"],
            "pv_object_type": ["car", ""],
        }
    )
    assert named(slices_of_queries(queries)) == {
        ("kind of query", "text query"): ["a", "b"],
        ("query length", "1-3 words"): ["a", "b"],
        ("group", "x"): ["a"],
        ("keyword group (a column)", "x"): ["b"],
        ("kind of query (a column)", "hard"): ["a"],
        ("kind of query (a column)", "easy"): ["b"],
        ("pv_object_type (a column)", "car"): ["a"],
    }


def test_slices_of_kept_keywords_count_queries_without_any():
    columns = ["query_id", "ngram", "group", "keyword", "score", "kept"]
    rows = [
        ("a", "x", "g", "red", 0.9, True),
        ("a", "y", "g", "red", 0.8, True),
        ("a", "z", "h", "car", 0.9, True),
        ("b", "x", "g", "red", 0.2, False),
    ]
    assert named(slices_of_keywords(pd.DataFrame(rows, columns=columns))) == {
        ("keyword group", "g"): ["a"],
        ("keyword group", "h"): ["a"],
        ("keyword", "red"): ["a"],
        ("keyword", "car"): ["a"],
        ("number of keywords", "2"): ["a"],
        ("number of keywords", "0"): ["b"],
    }


def test_slices_of_the_number_of_relevant_items():
    rows = [("a", f"i{n}", 1, 1.0) for n in range(3)] + [("b", "i0", 0, 0.0)]
    qrels = pd.DataFrame(rows, columns=["query_id", "item_id", "grade", "credit"])
    found = slices_of_relevant(judgement(qrels, ("a", "b")))
    assert named(found) == {
        ("number of relevant items", "2-4"): ["a"],
        ("number of relevant items", "0"): ["b"],
    }


def test_means_of_slices_and_their_difference_to_the_baseline():
    rng = np.random.default_rng(2)
    ids = [f"q{i}" for i in range(40)]
    table = measured({v: {q: float(rng.random()) for q in ids} for v in ("old", "new")})
    table.loc[table["query_id"] == "q1", "value"] = np.nan
    slices = pd.DataFrame({"query_id": [*ids[:10], "q1", "gone"], "by": "half", "slice": "few"})
    slices.loc[10:, "slice"] = "one"
    found = slice_means(table, slices, "P", 5, baseline="old").set_index(["slice", "run"])
    part = table[table["query_id"].isin(ids[:10])]
    row = found.loc[("few", "new")]
    alone = compare(part, "old", "new").iloc[0]
    assert row["mean"] == pytest.approx(part[part["run"] == "new"]["value"].mean())
    names = ["delta", "delta_low", "delta_high"]
    assert row[names].tolist() == pytest.approx(alone[["delta", "low", "high"]].tolist())
    assert (row["scored"], row["total"], row["common"]) == (9, 10, 9)
    assert found.loc[("all queries", "old"), "total"] == 40
    one = found.loc[("one", "new")]
    assert (one["scored"], one["total"]) == (0, 1)
    assert one[["mean", "low", "delta"]].isna().all()
    assert found.loc[("few", "old"), "delta"] == 0


def test_slices_without_rows_leave_all_queries():
    table = measured({"old": {"a": 1, "b": 0}})
    none = pd.DataFrame(columns=["query_id", "by", "slice"])
    assert slice_means(table, none, "P", 5)["slice"].tolist() == ["all queries"]
    with pytest.raises(ValueError, match="P@7 was not measured"):
        slice_means(table, none, "P", 7)


@given(lists, lists, st.integers(1, 9))
@settings(max_examples=120, deadline=None)
def test_overlap_equals_sets_and_the_sum_of_agreements(first, second, k):
    row = overlap_by_query(run(first), run(second), k=k, p=0.8)
    if not first or not second:
        assert row.empty or row["jaccard"].isna().all()
        return
    tops, depth = (set(first[:k]), set(second[:k])), min(len(first), len(second))
    agreement = [len(set(first[:d]) & set(second[:d])) / d for d in range(1, depth + 1)]
    rbo = sum(0.2 * 0.8**d * a for d, a in enumerate(agreement)) + agreement[-1] * 0.8**depth
    common = tops[0] & tops[1]
    moves = [abs(first.index(item) - second.index(item)) for item in common]
    assert row["jaccard"][0] == pytest.approx(len(common) / len(tops[0] | tops[1]))
    assert row["rbo"][0] == pytest.approx(rbo)
    assert row["shift"][0] == pytest.approx(np.mean(moves) if moves else np.nan, nan_ok=True)


def test_lists_of_different_length_are_compared_down_to_the_shorter():
    long = pd.concat([run("abcdefgh", "q1"), run("abcdefgh", "q2")])
    short = pd.concat([run("hab", "q1"), run("hgfedcba", "q2")])
    alone = overlap_by_query(run("abcdefgh", "q1"), run("hab", "q1"))
    assert overlap_by_query(long, short)["rbo"][0] == alone["rbo"][0]


def test_overlap_of_all_pairs_is_the_mean_over_common_queries():
    first = pd.concat([run("abc", "q1"), run("abc", "q2"), run("abc", "q3")])
    second = pd.concat([run("abc", "q1"), run("xyz", "q2")])
    table = overlap({"v1": first, "v2": second, "v3": first}, k=3)
    assert table[["baseline", "candidate"]].to_numpy().tolist() == [
        ["v1", "v2"],
        ["v1", "v3"],
        ["v2", "v3"],
    ]
    assert table["jaccard"].tolist() == [0.5, 1, 0.5]
    assert table["rbo"].tolist() == pytest.approx([0.5, 1, 0.5])
    assert table["queries"].tolist() == [2, 3, 2]
    assert overlap({"v1": first}).empty


@pytest.mark.parametrize(
    ("least", "found"),
    [(1, ("by", "small")), (2, ("by", "low")), (3, None)],
)
def test_the_lowest_slice_is_scored_enough_and_not_the_whole(least, found):
    deltas = pd.DataFrame(
        {"query_id": ["a", "b", "c", "d", "e"], "delta": [-0.4, 0.1, -0.3, -0.9, None]}
    )
    parts = {"whole": "abcde", "low": "ac", "high": "bc", "small": "d", "nothing": "e"}
    rows = [(query, "by", name) for name, queries in parts.items() for query in queries]
    slices = pd.DataFrame(rows, columns=["query_id", "by", "slice"])
    assert lowest_slice(deltas, slices, least) == found


def test_lists_are_as_alike_by_texts_as_by_categories_that_stand_in_another_order():
    """Categories differ in order and in what no list holds; q3 was answered by the second alone."""
    first = pd.concat([run("bad", "q1"), run("ca", "q2")])
    second = pd.concat([run("ace", "q2"), run("ab", "q1"), run("b", "q3")])

    def coded(table: pd.DataFrame, queries: str, items: str) -> pd.DataFrame:
        names = {"query_id": [f"q{n}" for n in queries], "item_id": list(items)}
        kinds = {column: pd.CategoricalDtype(of) for column, of in names.items()}
        return table.astype(kinds)

    by_texts = overlap_by_query(first, second)
    by_codes = overlap_by_query(coded(first, "4321", "zabcd"), coded(second, "123", "edcba"))
    assert by_texts["query_id"].tolist() == ["q1", "q2", "q3"]
    pd.testing.assert_frame_equal(by_codes, by_texts, check_exact=True, check_dtype=False)
    half = overlap_by_query(first, coded(second, "123", "edcba"))
    pd.testing.assert_frame_equal(half, by_texts, check_exact=True, check_dtype=False)
