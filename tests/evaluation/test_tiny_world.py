"""Protocol alfa on the tiny world of conftest.py, every number worked out by hand.

Groups object type and actor behavior. What each query requires, and who has all of it:

q1  bicyclist, entering ego path   i1 i4                       R = 2
q2  bicyclist, crossing (its clip i2)   nobody but i2 itself   no relevant item
q3  pedestrian, entering ego path (its clip i3)   i4           R = 1
q4  nothing kept                                               no keyword
q5  vehicle                        i5                          R = 1
i6 has no annotation and is unjudged.
"""

from math import log2

import pytest

from dashboard.evaluation.measure import counts, measure, summarise
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.ticks import matches, ticks
from dashboard.evaluation.rankings import rank

ALFA = PROTOCOLS["alfa"]
GROUPS = ["pv_object_type", "pv_actor_behavior"]


@pytest.fixture
def judgement(tiny_world):
    return ALFA.judge(tiny_world, GROUPS)


def value(tiny_world, judgement, run, query, metric):
    table = measure({run: tiny_world.runs[run]}, judgement, ALFA, metric)
    return float(table.set_index("query_id")["value"][query])


def test_who_is_relevant_and_which_query_cannot_be_scored(judgement):
    assert judgement.query_ids == ("q1", "q2", "q3", "q4", "q5")
    assert judgement.relevant.tolist() == [2, 0, 1, 0, 1]
    assert judgement.unscorable == {"q2": "no relevant item", "q4": "no keyword mapped"}
    # five annotated items for q1 and q5, four for the item queries: never the clip itself
    assert len(judgement.qrels) == 5 + 4 + 4 + 5


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # v1 gives q1: i4 hit, i3 half (entering only), i6 unjudged, i1 hit, i5 nothing
        ("P@1", 1),
        ("P@3", 1 / 3),
        ("P@5", 2 / 5),
        ("P@10", 2 / 10),  # K stays 10 though five came back
        ("R@3", 1 / 2),
        ("R@5", 1),
        ("Success@1", 1),
        ("RR", 1),
        ("AP", (1 / 1 + 2 / 4) / 2),
        ("AP@3", (1 / 1) / 2),
        ("AP(retrieved)@3", (1 / 1) / 1),
        ("AP(annotated)", (1 / 1 + 2 / 3) / 2),  # without i6 the second hit is third
        ("AP(annotated)@3", (1 / 1 + 2 / 3) / 2),
        ("AP(annotated)@2", (1 / 1) / 2),
        ("AP(annotated)@1", (1 / 1) / 2),
        ("Rprec", 1 / 2),
        ("nDCG@5", (1 + 1 / log2(5)) / (1 + 1 / log2(3))),
        ("nDCG@1", 1),
        # ideal order by credit: i4 and i1 have both keywords, i2 and i3 one of two
        (
            "nDCG(credit)@5",
            (1 + 0.5 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3) + 0.5 / 2 + 0.5 / log2(5)),
        ),
        ("Judged@5", 4 / 5),
        ("Ceiling@5", 2 / 5),
        ("CG@5", 2.5),
        ("AVG@5", 0.5),
        ("MAX@5", 1),
        ("RBP(0.5)@5", 0.5 * (1 + 0.5 / 2 + 1 / 8)),
        ("ERR@5", 1),  # the first result has all, so the reader stops there
        # r' = 1, 1/4, 0, 1, 0; means so far 1, 5/8, 5/12, 9/16, 9/20
        (
            "CAG(DCG)@5",
            (1 + 5 / 8 / log2(3) + 5 / 12 / 2 + 9 / 16 / log2(5) + 9 / 20 / log2(6)) / 5,
        ),
        ("CAG(DCG)@1", 1),
        ("CAG(AVG)@5", (1 + 5 / 8 + 5 / 12 + 9 / 16 + 9 / 20) / 5),
        ("CAG(MAX,w=2)@5", 1),
    ],
)
def test_first_query_of_v1(tiny_world, judgement, metric, expected):
    found = value(tiny_world, judgement, "v1", "q1", metric)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("run", "query", "metric", "expected"),
    [
        ("v1", "q2", "P@1", None),  # nobody else has its keywords
        ("v1", "q3", "P@1", 0),  # i3 is the query and leaves the list: i1, i4
        ("v1", "q3", "AP", 1 / 2),
        ("v1", "q3", "MAX@1", 1 / 2),  # i1 enters the path, but nobody walks there
        ("v1", "q3", "MAX@2", 1),
        ("v1", "q3", "CG@1", 1 / 2),
        ("v1", "q3", "ERR@2", 1 / 2 * 1 + 1 / 2 * 1 / 2),
        ("v1", "q4", "CG@5", None),  # no keyword kept
        ("v1", "q5", "AP", 1 / 2),
        ("v2", "q1", "AP", 1),
        ("v2", "q3", "AP", 1),
        ("v2", "q5", "AP", 0),  # v2 was run and found nothing
        ("v2", "q5", "nDCG(ideal=retrieved)@5", 0),
        ("v2", "q5", "Judged@5", 0),
    ],
)
def test_other_queries(tiny_world, judgement, run, query, metric, expected):
    found = value(tiny_world, judgement, run, query, metric)
    assert found == pytest.approx(float("nan") if expected is None else expected, nan_ok=True)


def test_means_are_over_the_scored_queries_and_say_how_many(tiny_world, judgement):
    table = summarise(measure(tiny_world.runs, judgement, ALFA, "AP P@1"))
    rows = table.set_index(["run", "metric"])
    assert rows.loc[("v1", "AP"), "mean"] == pytest.approx((3 / 4 + 1 / 2 + 1 / 2) / 3)
    assert rows.loc[("v2", "AP"), "mean"] == pytest.approx((1 + 1 + 0) / 3)
    assert rows.loc[("v1", "P"), "mean"] == pytest.approx(1 / 3)
    assert set(table["scored"]) == {3}
    assert set(table["total"]) == {5}


def test_counts_say_why_queries_are_not_scored(tiny_world, judgement):
    rows = counts(tiny_world.runs, judgement, ALFA).set_index("run")
    assert rows.loc["v1"].to_dict() == {
        "total": 5,
        "scored": 3,
        "no_keyword": 1,
        "no_relevant": 1,
        "no_results": 0,
        "not_run": 0,
    }
    assert rows.loc["v2", "no_results"] == 1


def test_a_query_that_was_not_run_is_null_and_counted(tiny_world, judgement):
    run = tiny_world.runs["v2"]
    run.attrs["not_run"] = {"q5": "the encoder failed"}
    table = measure({"v2": run}, judgement, ALFA, "AP").set_index("query_id")["value"]
    assert table.isna().to_dict() == {"q1": False, "q2": True, "q3": False, "q4": True, "q5": True}
    row = counts({"v2": run}, judgement, ALFA).iloc[0]
    assert (row["not_run"], row["no_results"], row["scored"]) == (1, 0, 2)


def test_more_groups_ask_for_more(tiny_world):
    # with the scene type q3 asks for an urban clip: i4 is on a highway
    every = ALFA.judge(tiny_world, None)
    assert every.relevant.tolist() == [2, 0, 0, 0, 1]
    # with the spatial relation alone nobody asks for anything
    none = ALFA.judge(tiny_world, ["pv_spatial_relation"])
    assert none.unscorable == {
        "q1": "no keyword mapped",
        "q2": "item without keywords",
        "q3": "item without keywords",
        "q4": "no keyword mapped",
        "q5": "no keyword mapped",
    }
    table = measure(tiny_world.runs, none, ALFA, "P@1 AP CG@5")
    assert table["value"].isna().all()


def test_ticks_crosses_and_relevance_agree(tiny_world, judgement):
    kept = tiny_world.query_keywords[tiny_world.query_keywords["kept"]]
    asked = kept[kept["query_id"] == "q1"]
    table = ticks(asked, tiny_world.keywords, ["i4", "i3", "i6"])
    assert table["present"].tolist() == [True, True, False, True, None, None]
    row = matches(asked, tiny_world.keywords).set_index("item_id").loc["i3"]
    assert (row["matched"], row["required"]) == (1, 2)
    ranking = rank(tiny_world.runs["v1"], judgement)
    assert ranking.credit[0].tolist() == [1, 0.5, 0, 1, 0]
    assert ranking.grades[0].tolist() == [1, 0, 0, 1, 0]
    assert ranking.judged[0].tolist() == [True, True, False, True, True]
