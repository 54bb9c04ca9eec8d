"""Submissions of features: checked row by row, scored for the annotated pairs, measured."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

from dashboard.evaluation.measure import measure
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.submission import Features, scored
from dashboard.tables import DataError
from tests.evaluation.worlds import World

LABELS = pd.DataFrame(
    [("q", "a", 1.0), ("q", "b", 0.0), ("q", "c", 1.0), ("r", "b", 0.0)],
    columns=["query_id", "item_id", "grade"],
)
GALLERY = Features("g.npy", ("a", "b", "c", "d"), np.array([[1, 0], [0.6, 0.8], [0, 1], [-1, 0.0]]))
QUERIES = Features("q.npy", ("r", "q"), np.array([[0, 1.0], [1.0, 0]]))


def test_the_annotated_items_are_ranked_by_cosine():
    run, warned = scored(GALLERY, QUERIES, LABELS, 2)
    rows = run.astype({"query_id": "str"}).to_numpy().tolist()
    assert rows == [["r", "b", 0.8, 1], ["q", "a", 1.0, 1], ["q", "b", 0.6, 2], ["q", "c", 0.0, 3]]
    assert not warned
    composed = PROTOCOLS["composed"]
    judgement = composed.judge(World(qrels=LABELS), None)
    values = measure({"s": run}, judgement, composed, "AP(annotated)")["value"]
    assert values[0] == pytest.approx((1 + 2 / 3) / 2, abs=1e-12)
    assert np.isnan(values[1]), "no label of r is fulfilled"


def test_lengths_do_not_matter_but_are_said():
    longer = Features("g.npy", GALLERY.ids, GALLERY.rows * [[1], [3], [1.0005], [1]])
    run, warned = scored(longer, QUERIES, LABELS, 2)
    pd.testing.assert_frame_equal(run, scored(GALLERY, QUERIES, LABELS, 2)[0])
    assert len(warned) == 1 and "1 of 4 vectors are not of length 1" in warned[0]


def test_equal_scores_keep_the_order_of_the_gallery():
    same = Features("g.npy", ("c", "a", "b"), np.ones((3, 2), np.float32) / np.sqrt(np.float32(2)))
    run, _ = scored(same, QUERIES, LABELS, 2)
    assert run["item_id"].tolist() == ["b", "c", "a", "b"]


def test_cosines_that_differ_by_less_than_a_millionth_tie():
    """Two engines that add in another order, or in single precision, make the same ranking."""
    near = np.array([[0.6, 0.8], [0.6 + 4e-8, 0.8 - 3e-8], [0.6 + 8e-8, 0.8 - 6e-8]])
    asked = Features("q.npy", ("r", "q"), np.array([[1.0, 0], [1.0, 0]]))
    labels = LABELS.assign(query_id="q").drop_duplicates("item_id")
    for rows in (near, near[::-1], near.astype(np.float32)):
        run, _ = scored(Features("g.npy", ("a", "b", "c"), rows), asked, labels, 2)
        assert run["item_id"].tolist() == ["a", "b", "c"]
        assert run["score"].tolist() == [0.6, 0.6, 0.6]
    far = Features("g.npy", ("a", "b", "c"), near + [[0, 0], [2e-5, 0], [4e-5, 0]])
    assert scored(far, asked, labels, 2)[0]["item_id"].tolist() == ["c", "b", "a"]


def test_no_submission_chooses_the_order_of_equal_scores():
    same = Features("g.npy", ("c", "a", "b"), np.ones((3, 2), np.float32) / np.sqrt(np.float32(2)))
    run, warned = scored(same, QUERIES, LABELS, 2, items_known=("b", "a", "c"))
    assert run["item_id"].tolist() == ["b", "b", "a", "c"] and not warned


def test_ids_that_lack_features_or_that_nobody_knows_are_said():
    _, warned = scored(
        GALLERY, QUERIES, LABELS, 2, items_known=tuple("abcef"), queries_known=("q", "r", "s")
    )
    assert warned == (
        "g.npy: no features of 2 of 5 items, such as 'e'; none of them is annotated",
        "g.npy: features of 1 item that the collection does not have, such as 'd'; left out",
        "q.npy: no features of 1 of 3 queries, such as 's'; none of them is annotated",
    )


def changed(features, row, value):
    rows = features.rows.copy()
    rows[row] = value
    return Features(features.name, features.ids, rows)


BROKEN = {
    "zeros": (changed(GALLERY, 3, 0), QUERIES, "only zeros in row 3 .'d'."),
    "NaN": (GALLERY, changed(QUERIES, 1, [np.nan, 1]), "NaN or infinity in row 1 .'q'."),
    "infinity": (changed(GALLERY, 0, [np.inf, 0]), QUERIES, "NaN or infinity in row 0"),
    "count": (Features("g.npy", ("a", "b"), GALLERY.rows), QUERIES, "4 vectors and 2 ids"),
    "twice": (Features("g.npy", ("a", "b", "b", "d"), GALLERY.rows), QUERIES, "id 'b' twice"),
    "dimension": (GALLERY, Features("q.npy", ("r",), np.ones((1, 3))), "3 dimensions"),
    "one row": (Features("g.npy", ("a",), np.ones(2)), QUERIES, "float64 values of the shape"),
    "integers": (Features("g.npy", ("a",), np.ones((1, 2), int)), QUERIES, "int64 values"),
    "no item": (Features("g.npy", tuple("abxd"), GALLERY.rows), QUERIES, "item id, the first 'c'"),
    "no query": (GALLERY, Features("q.npy", ("r", "s"), QUERIES.rows), "query id, the first 'q'"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_does_not_fit_is_refused(case):
    gallery, queries, said = BROKEN[case]
    with pytest.raises(DataError, match=said):
        scored(gallery, queries, LABELS, 2)


def test_scikit_learn_gives_the_same_ap_of_the_annotated_items():
    random = np.random.default_rng(0)
    items, asked = [f"i{n}" for n in range(2000)], [f"q{n}" for n in range(60)]
    gallery = Features("g", items, random.standard_normal((2000, 128), dtype=np.float32))
    queries = Features("q", asked, random.standard_normal((60, 128), dtype=np.float32))
    rows = [
        (query, items[place], float(random.random() < 0.2))
        for query in asked
        for place in random.choice(2000, 50, replace=False)
    ]
    labels = pd.DataFrame(rows, columns=["query_id", "item_id", "grade"])
    run, warned = scored(gallery, queries, labels)
    assert len(run) == 3000 and len(warned) == 2
    composed = PROTOCOLS["composed"]
    found = measure(
        {"s": run}, composed.judge(World(qrels=labels), None), composed, "AP(annotated)"
    )
    unit, wanted = (
        f.rows / np.linalg.norm(f.rows, axis=1, keepdims=True) for f in (gallery, queries)
    )
    cosines = wanted @ unit.T
    for query, value in zip(found["query_id"], found["value"], strict=True):
        own = labels[labels["query_id"] == query]
        places = [items.index(item) for item in own["item_id"]]
        expected = average_precision_score(own["grade"], cosines[asked.index(query)][places])
        assert value == pytest.approx(expected, abs=1e-9)
