"""The ideal ranking: best judged first, equals as a version has them; worth the most there is."""

import math
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.ideal import ideal_run, ideal_value, of_query
from dashboard.evaluation.judgement import Judgement, QueryLabels
from dashboard.evaluation.measure import measure
from dashboard.evaluation.protocols import PROTOCOLS
from tests.evaluation.worlds import World

JUDGEMENT = Judgement(
    pd.DataFrame(
        [
            ("q", "a", 0, 0.5),
            ("q", "b", 1, 1),
            ("q", "c", 1, 1),
            ("q", "d", 0, 0),
            ("p", "a", 1, 1),
        ],
        columns=["query_id", "item_id", "grade", "credit"],
    ),
    ("p", "q"),
    {},
)
LIKE = pd.DataFrame({"item_id": ["d", "c", "a", "b"], "rank": [1, 2, 3, 4]})


def test_the_best_comes_first_and_equals_as_the_version_has_them():
    found = ideal_run(JUDGEMENT, "q", LIKE)
    assert found["item_id"].tolist() == ["c", "b", "a"]
    assert found["rank"].tolist() == [1, 2, 3]
    assert ideal_run(JUDGEMENT, "q", LIKE.iloc[:0])["item_id"].tolist() == ["b", "c", "a"]


@pytest.mark.parametrize("most", range(1, 5))
def test_the_first_of_it_are_the_same_however_many_are_wanted(most):
    few, all_of_them = ideal_run(JUDGEMENT, "q", LIKE, most), ideal_run(JUDGEMENT, "q", LIKE)
    pd.testing.assert_frame_equal(few, all_of_them.head(most))


@pytest.mark.parametrize(
    ("most", "best"),
    [(1, "af"), (3, "abcf"), (5, "abcdf"), (9, "abcdf")],
)
def test_the_best_are_the_relevant_and_the_first_with_equals_of_the_last(most, best):
    grade, credit = np.array([2, 1, 1, 0, 0, 2]), np.array([1, 0.5, 0.5, 0.25, 0, 0.75])
    labels = QueryLabels(pd.Index(list("abcdef")), np.arange(6), grade, credit, 2.0)
    assert "".join(labels.best(most)) == best


@pytest.mark.parametrize(("metric", "value"), [("P@5", 0.4), ("R@2", 1), ("nDCG@5", 1), ("AP", 1)])
def test_its_value_is_the_most_that_can_be_reached(metric, value):
    found = ideal_value(JUDGEMENT, "q", "alfa", metric)
    assert found == pytest.approx(value)


@pytest.mark.parametrize(
    "metric", ["P@3", "nDCG@3", "AP", "AVG@3", "CG@2", "ERR@3", "RBP@4", "MAX"]
)
def test_no_order_of_the_judged_items_is_worth_more(metric):
    most = ideal_value(JUDGEMENT, "q", "alfa", metric)
    reached = []
    for order in permutations("abcd"):
        run = pd.DataFrame({"query_id": "q", "item_id": order, "rank": range(1, 5)})
        run["score"] = -run["rank"].astype(float)
        values = measure({"x": run}, of_query(JUDGEMENT, "q"), "alfa", metric)
        reached.append(values["value"].iloc[0])
    # by grade first, then credit: what reads credit alone agrees where both order alike, as here
    assert max(reached) == pytest.approx(most)


def test_gain_in_context_has_no_ideal_order():
    found = ideal_value(JUDGEMENT, "q", "alfa", "CAG(DCG)@3")
    assert math.isnan(found)


def test_one_querys_judgement_is_its_own_only():
    assert of_query(JUDGEMENT, "p").qrels["item_id"].tolist() == ["a"]
    with pytest.raises(ValueError, match="no query 'z'"):
        of_query(JUDGEMENT, "z")


def test_the_best_of_both_directions_rests_on_the_texts_of_a_picture_too():
    # picture v has two of the three texts, w one; the mean of 6 over both is the sum of six means
    rows = [("iv", "a"), ("iv", "b"), ("iw", "c"), ("ta", "v"), ("tb", "v"), ("tc", "w")]
    qrels = pd.DataFrame(rows, columns=["query_id", "item_id"]).assign(grade=1.0)
    queries = pd.DataFrame(
        {
            "query_id": ["iv", "iw", "ta", "tb", "tc"],
            "text": ["", "", "a", "b", "c"],
            "item_id": ["v", "w", "", "", ""],
        }
    )
    judged = PROTOCOLS["crossmodal"].judge(World(qrels=qrels, queries=queries), None)

    def most(query, metric):
        return ideal_value(judged, query, "crossmodal", metric)

    assert most("iv", "Rsum") == pytest.approx(3 + 2 / 3 * 2 * 3)
    assert most("iw", "Rsum") == pytest.approx(3 + 2 / 3 * 1 * 3)
    assert (most("iv", "mR") + most("iw", "mR")) / 2 == pytest.approx(1)
    assert most("iv", "i2t_R@1") == 1 and math.isnan(most("iv", "t2i_R@1"))
    assert math.isnan(most("ta", "Rsum")) and most("ta", "t2i_R@1") == 1
    one_way = PROTOCOLS["crossmodal"].judge(World(qrels=qrels, queries=queries[:2]), None)
    assert math.isnan(ideal_value(one_way, "iv", "crossmodal", "Rsum"))
    assert ideal_value(one_way, "iv", "crossmodal", "i2t_R@1") == 1
