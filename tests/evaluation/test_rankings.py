"""A run under a judgement becomes rankings: whatever the rows' order, types and gaps."""

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation import judgement as judgements
from dashboard.evaluation.join import matching, pairs
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.rankings import from_lists, rank
from tests.evaluation.worlds import run_of

QRELS = pd.DataFrame(
    [
        ("q1", "a", 2, 1.0),
        ("q1", "b", 0, 0.0),
        ("q1", "c", 1, 0.5),
        ("q1", "d", -1, 0.0),
        ("q3", "a", 1, 0.5),
    ],
    columns=["query_id", "item_id", "grade", "credit"],
)
RUN = run_of({"q1": ["c", "x", "d", "a"], "q2": ["a"], "q9": ["a", "b"]})


def judgement(qrels=QRELS, queries=("q1", "q2", "q3"), **more):
    return Judgement(qrels, queries, {}, **more)


def test_grades_stand_where_the_results_stand():
    found = rank(RUN, judgement())
    assert found.grades.tolist() == [[1, 0, -1, 2], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert found.credit.tolist() == [[0.5, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert found.judged.tolist()[0] == [True, False, True, True]
    assert found.gains.tolist()[0] == [1, 0, 0, 2]
    assert found.hits.tolist()[0] == [True, False, False, True]
    assert found.returned.tolist() == [4, 1, 0]
    assert found.relevant.tolist() == [2, 0, 1]
    assert found.ideal.tolist() == [[2, 1], [0, 0], [1, 0]]
    assert found.ideal_credit.tolist() == [[1, 0.5], [0, 0], [0.5, 0]]


def same(one, other):
    for name in ("grades", "credit", "judged", "returned", "tied", "hits"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("seed", range(5))
def test_the_rank_column_decides_and_not_the_order_of_rows(seed):
    order = np.random.default_rng(seed).permutation(len(RUN))
    same(rank(RUN, judgement()), rank(RUN.iloc[order], judgement()))


def test_lists_that_stand_together_but_upside_down_are_turned():
    same(rank(RUN, judgement()), rank(RUN.iloc[::-1], judgement()))


def test_gaps_in_the_ranks_close_up():
    gaps = RUN.assign(rank=RUN["rank"] * 7 + 3)
    same(rank(RUN, judgement()), rank(gaps, judgement()))


def test_text_and_categorical_ids_are_the_same():
    texts = rank(RUN, judgement())
    run = RUN.astype({"query_id": "category", "item_id": "category"})
    same(texts, rank(run, judgement()))
    same(texts, rank(run, judgement(QRELS.astype({"item_id": "category"}))))
    shared = pd.CategoricalDtype(["z", "d", "c", "x", "b", "a"])
    one = run.assign(item_id=RUN["item_id"].astype(shared))
    same(texts, rank(one, judgement(QRELS.assign(item_id=QRELS["item_id"].astype(shared)))))


def test_a_depth_cuts_the_lists_but_not_what_is_relevant():
    found = rank(RUN, judgement(), depth=2)
    assert found.grades.tolist()[0] == [1, 0]
    assert found.returned.tolist() == [2, 1, 0]
    assert found.relevant.tolist() == [2, 0, 1]


def test_ties_are_numbered_and_no_score_is_kept():
    run = run_of({"q1": list("abcd"), "q2": ["a", "b"]}, {"q1": [3, 3, 1, 1], "q2": [1, 0]})
    found = rank(run, judgement())
    assert found.ties.tolist()[0] == [0, 0, 1, 1]
    assert found.ties.tolist()[1][:2] == [0, 1]  # equal to the last score of q1, but not tied
    assert "score" not in type(found).__dataclass_fields__


def test_a_run_without_rows_is_a_run_that_found_nothing():
    found = rank(RUN.iloc[:0], judgement())
    assert found.grades.shape == (3, 0)
    assert found.returned.tolist() == [0, 0, 0]


def test_a_judgement_without_rows_judges_nothing():
    found = rank(RUN, judgement(QRELS.iloc[:0]))
    assert not found.judged.any()
    assert found.relevant.tolist() == [0, 0, 0]
    assert found.ideal.shape == (3, 0)


def test_a_judgement_of_a_query_that_was_not_asked_is_refused():
    with pytest.raises(ValueError, match="'q3', which is not among its queries"):
        rank(RUN, judgement(queries=("q1", "q2")))


def test_fractional_and_large_grades_are_kept_exactly():
    for grades in ([0.25, 0, 99.5, -1, 1], [200, 0, 1, -1, 1000]):
        qrels = QRELS.assign(grade=np.array(grades, dtype=float))
        found = rank(RUN, judgement(qrels))
        assert found.grades.tolist()[0] == [grades[2], 0, grades[3], grades[0]]
        assert found.ideal.tolist()[0] == sorted([g for g in grades[:4] if g > 0], reverse=True)


def test_pairs_are_found_where_they_stand():
    random = np.random.default_rng(0)
    keys = random.permutation(60)[:20]
    wanted = random.integers(0, 60, 500)
    rows, places = matching(keys, wanted)
    assert rows.tolist() == [i for i, key in enumerate(wanted) if key in keys]
    assert keys[places].tolist() == wanted[rows].tolist()
    nothing = matching(keys[:0], wanted)
    assert [len(found) for found in nothing] == [0, 0]


def test_an_unknown_item_is_no_other_querys_item():
    query, item = np.array([0, 1, 1]), np.array([2, -1, 0])
    assert len(set(pairs(query, item, 3))) == 3


def test_lists_and_tables_give_the_same_rankings():
    lists = from_lists(
        [[1, None, -1, 2], [None], []],
        credit=[[0.5, 0, 0, 1], [0], []],
        judged_grades=[[2, 0, 1, -1], [], [1]],
    )
    table = rank(RUN, judgement())
    for name in ("grades", "credit", "judged", "returned", "relevant", "tied"):
        np.testing.assert_array_equal(getattr(lists, name), getattr(table, name), err_msg=name)
    np.testing.assert_array_equal(lists.ideal[:, :2], table.ideal)


@pytest.mark.parametrize("kind", ["str", "category"])
def test_of_one_query_only_its_own_pairs_are_looked_through(kind, monkeypatch):
    rows = [(f"q{n % 5}", f"i{n}", float(n), 0.5) for n in range(50)]
    qrels = pd.DataFrame(rows, columns=["query_id", "item_id", "grade", "credit"])
    judged = Judgement(qrels.astype({"item_id": kind}), tuple(f"q{n}" for n in range(5)), {})
    looked = []
    monkeypatch.setattr(
        judgements, "matching", lambda keys, of: looked.append(len(keys)) or matching(keys, of)
    )
    items = pd.Series(["i3", "nobody", "i8", "i4"]).astype(kind)
    found, pair = judged.judged(np.array([3, 3, 3, 3]), items, slice(None))
    assert (found.tolist(), pair.tolist(), looked) == ([0, 2], [3, 8], [10])
    found, pair = judged.judged(np.array([3, 3, 3, 4]), items, slice(None))
    assert (found.tolist(), pair.tolist(), looked) == ([0, 2, 3], [3, 8, 4], [10, 50])


@pytest.mark.parametrize("kind", ["str", "category"])
@pytest.mark.parametrize("least", [1.0, 2.0, 0.0, 0.5])
def test_pairs_are_the_rows_that_are_worth_anything(kind, least):
    judged = judgement(QRELS.astype({"item_id": kind}), relevant_from=least)
    worth = (QRELS["grade"] > 0) | (QRELS["credit"] > 0) | (QRELS["grade"] >= least)
    for which, kept in (("hit", QRELS["grade"] >= least), ("worth", worth)):
        found = judged.pairs(which)[["query_id", "item_id"]].astype("str")
        wanted = QRELS.loc[kept, ["query_id", "item_id"]].astype("str").reset_index(drop=True)
        pd.testing.assert_frame_equal(found, wanted)
