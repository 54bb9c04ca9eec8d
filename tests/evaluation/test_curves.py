"""Curves of whole versions, against plain loops and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, ndcg_score, precision_recall_curve

from dashboard.evaluation import binary_codes
from dashboard.evaluation.binary_codes import by_radius, distances
from dashboard.evaluation.curves import bounded, cumulative, first_hits, steps
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.tables import DataError
from tests.evaluation.worlds import World, run_of

HASHING, CROSSMODAL = PROTOCOLS["hashing"], PROTOCOLS["crossmodal"]
RNG = np.random.default_rng(8)


def judged(grades, protocol=HASHING):
    """The judgement of {query: {item: grade}}."""
    rows = [(q, item, float(g)) for q, items in grades.items() for item, g in items.items()]
    qrels = pd.DataFrame(rows, columns=["query_id", "item_id", "grade"])
    return protocol.judge(World(qrels=qrels), None)


def coded(lists, bits):
    """A run from {query: [(item, Hamming distance), …]}, nearest first."""
    lists = {q: sorted(found, key=lambda pair: pair[1]) for q, found in lists.items()}
    scores = {q: [1 - 2 * far / bits for _, far in found] for q, found in lists.items()}
    return run_of({q: [item for item, _ in found] for q, found in lists.items()}, scores)


def random_world(queries=9, items=40, bits=8):
    """A run by distances and the grades of its pairs; some queries have nothing relevant."""
    far = RNG.integers(0, bits + 1, (queries, items))
    grades = RNG.integers(0, 3, (queries, items)) * (RNG.random((queries, items)) < 0.4)
    grades[0] = 0
    lists = {f"q{q}": [(f"i{i}", far[q, i]) for i in range(items)] for q in range(queries)}
    run = coded(lists, bits)
    judgement = judged(
        {f"q{q}": {f"i{i}": grades[q, i] for i in range(items)} for q in range(queries)}
    )
    return run, judgement, far, grades


# of q1 the first two results tie, and one of them is right; q2 has nothing relevant
TIED = coded({"q1": [("a", 1), ("b", 1), ("c", 3)], "q2": [("a", 0), ("b", 0)]}, 4)
TIED_GRADES = {"q1": {"b": 2, "c": 1, "a": 0}, "q2": {"a": 0}}


def test_bounds_of_a_tie_by_hand():
    table = bounded(TIED, judged(TIED_GRADES), HASHING, "P@1 AP(retrieved)@3").set_index("metric")
    assert table.loc["P", ["mean", "worst", "best"]].tolist() == [0, 0, 1]
    # as it stands 0 1 1, at best 1 0 1
    assert table.loc["AP(retrieved)", ["mean", "worst"]].tolist() == [(1 / 2 + 2 / 3) / 2] * 2
    assert table.loc["AP(retrieved)", "best"] == (1 + 2 / 3) / 2
    assert table["scored"].tolist() == [1, 1] and table["total"].tolist() == [2, 2]


def test_bounds_of_a_part_of_the_queries_rest_on_that_part():
    run, judgement, _, _ = random_world()
    part = bounded(run, judgement, HASHING, "AP(retrieved)@10", ["q1", "q2", "q0"])
    alone = [
        bounded(run[run["query_id"] == q], judged_alone(judgement, q), HASHING, "AP(retrieved)@10")
        for q in ("q1", "q2")
    ]
    for column in ("mean", "worst", "best"):
        mean = np.mean([one[column].iloc[0] for one in alone])
        assert part[column].iloc[0] == pytest.approx(mean)
    assert part[["scored", "total"]].to_numpy().tolist() == [[2, 3]]


def judged_alone(judgement, query):
    mine = judgement.qrels[judgement.qrels["query_id"] == query]
    return judged({query: dict(zip(mine["item_id"], mine["grade"], strict=True))})


def test_a_query_that_was_not_run_is_in_no_bound():
    run = TIED[TIED["query_id"] == "q2"]
    run.attrs["not_run"] = {"q1": "no vector for it"}
    table = bounded(run, judged(TIED_GRADES), HASHING, "P@1")
    assert table["scored"].tolist() == [0]
    assert table[["mean", "worst", "best"]].isna().all(axis=None)


def test_stable_means_equal_scikit_learn_and_lie_between_their_bounds():
    run, judgement, far, grades = random_world()
    k = len(far[0])
    table = bounded(run, judgement, HASHING, f"AP(retrieved)@{k} nDCG(exp)@{k}").set_index("metric")
    # scikit-learn has no order for ties: the gallery's order is made distances that never tie
    order = far + np.arange(k) / 1_000
    rows = [q for q in range(len(far)) if grades[q].any()]
    theirs = np.mean([average_precision_score(grades[q] > 0, -order[q]) for q in rows])
    gains = np.mean([ndcg_score([2.0 ** grades[q] - 1], [-order[q]]) for q in rows])
    assert table["mean"].tolist() == pytest.approx([theirs, gains])
    assert (table["worst"] < table["mean"]).all() and (table["mean"] < table["best"]).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_bounds_are_reached_by_an_order_of_the_ties(sign):
    run, judgement, far, grades = random_world()
    right = grades > 0
    order = far - sign * right / 10 + np.arange(len(far[0])) / 1_000
    rows = [q for q in range(len(far)) if right[q].any()]
    theirs = np.mean([average_precision_score(right[q], -order[q]) for q in rows])
    table = bounded(run, judgement, HASHING, "AP")
    assert table["best" if sign > 0 else "worst"].iloc[0] == pytest.approx(theirs)


def test_bounds_within_equal_scores_that_a_cut_tore_are_not_known():
    # q1 at distances 0, 1, 1 and there may be more at 1; q2 at 0, 2, 2 and there are no more at 2
    run = coded({"q1": [("a", 0), ("b", 1), ("c", 1)], "q2": [("a", 0), ("b", 2), ("c", 2)]}, 4)
    judgement = judged({q: {"b": 1, "d": 1} for q in ("q1", "q2")})
    names = "AP@1 AP@2 AP@3 AP"
    known = bounded(run, judgement, HASHING, names)
    run.attrs["torn"] = frozenset({"q1"})
    table = bounded(run, judgement, HASHING, names)
    assert table["mean"].tolist() == known["mean"].tolist()
    assert table[["worst", "best"]].isna().all(axis=1).tolist() == [False, True, True, True]
    pd.testing.assert_frame_equal(table[:1], known[:1])
    other = bounded(run, judgement, HASHING, names, ["q2"])
    assert other["best"].tolist() == pytest.approx([0, 1 / 4, 1 / 4, 1 / 4])


def test_cutoffs_end_with_the_whole_list():
    assert steps(0) == [] and steps(10) == [1, 2, 5, 10]
    assert steps(1_119)[-3:] == [500, 1000, 1119]


def test_distances_come_back_from_rounded_cosines():
    for bits in (1, 16, 64, 100, 1_000):
        far = np.arange(bits + 1)
        assert distances(((bits - 2 * far) / bits).round(6), bits).tolist() == far.tolist()


@pytest.mark.parametrize("score", [1.125, -1.125, -59, 0.3, np.nan])
def test_a_score_that_is_no_cosine_of_codes_is_refused(score):
    run = coded({"q1": [("a", 0), ("b", 2)], "q2": [("a", 1)]}, 16)
    run.loc[1, "score"] = score
    with pytest.raises(DataError, match=f"found the score {score:g}; wanted .16 − 2 · distance"):
        by_radius(run, judged({"q1": {"a": 1}, "q2": {"a": 1}}), HASHING, 16)


# a hit at 0, a miss at 2; hits at 1 and 3; nothing relevant; and one that finds nothing near
RADIUS = {
    "q1": [("a", 0), ("b", 2), ("c", 3)],
    "q2": [("a", 1), ("b", 3), ("c", 3)],
    "q3": [("a", 0), ("b", 0), ("c", 0)],
    "q4": [("a", 3), ("b", 3), ("c", 3)],
}
RADIUS_GRADES = {"q1": {"a": 2}, "q2": {"a": 1, "b": 1}, "q3": {"a": 0}, "q4": {"c": 1}}


def test_precision_and_recall_within_a_radius_by_hand():
    table = by_radius(coded(RADIUS, 4), judged(RADIUS_GRADES), HASHING, 4)
    assert table["radius"].tolist() == [0, 1, 2, 3, 4]
    assert table["found"].tolist() == [1, 2, 2, 3, 3]
    assert table["precision"].tolist()[:3] == pytest.approx([1 / 3, 2 / 3, (1 / 2 + 1) / 3])
    assert table["precision_found"].tolist()[:3] == pytest.approx([1, 1, (1 / 2 + 1) / 2])
    assert table["recall"].tolist() == pytest.approx([1 / 3, 1 / 2, 1 / 2, 1, 1])
    assert table["items"].tolist()[:3] == pytest.approx([1 / 3, 2 / 3, 1])
    assert table[["scored", "total"]].drop_duplicates().to_numpy().tolist() == [[3, 4]]


def of_codes(queries, asked, items, there, judgement, own=None):
    bits = asked.shape[1]
    distances = lambda some: binary_codes.hamming(asked[some], there)  # noqa: E731
    return binary_codes.of_codes(queries, items, distances, bits, judgement, own)


@pytest.mark.parametrize("cells", [1, 50, 10_000])
def test_distances_counted_from_codes_are_those_of_the_whole_run(monkeypatch, cells):
    monkeypatch.setattr(binary_codes, "CELLS", cells)
    asked, there = RNG.random((9, 8)) < 0.5, RNG.random((40, 8)) < 0.5
    far = (asked[:, None] != there).sum(axis=2)
    names = [f"i{i}" for i in range(40)]
    lists = {f"q{q}": list(zip(names, far[q], strict=True)) for q in range(9)}
    grades = RNG.integers(0, 3, (9, 40)) * (RNG.random((9, 40)) < 0.4)
    judgement = judged({f"q{q}": dict(zip(names, grades[q], strict=True)) for q in range(9)})
    ids = [f"q{q}" for q in RNG.permutation(9)] + ["stranger"]
    order = [int(query[1:]) for query in ids[:-1]] + [0]
    counted = of_codes(ids, asked[order], names, there, judgement)
    held = binary_codes.of_run(coded(lists, 8), judgement, HASHING, 8)
    assert np.array_equal(counted.items, held.items)
    assert np.array_equal(counted.relevant, held.relevant)
    cut = coded({query: found[:5] for query, found in lists.items()}, 8)
    whole = by_radius(coded(lists, 8), judgement, HASHING, 8)
    pd.testing.assert_frame_equal(by_radius(cut, judgement, HASHING, 8, None, counted), whole)
    near = counted.nearest(2)
    assert np.array_equal(near.items[:, :3], held.items[:, :3]) and not near.items[:, 3:].any()
    assert np.array_equal(near.relevant.sum(axis=1), ((far <= 2) & (grades > 0)).sum(axis=1))


def test_of_several_codes_of_one_item_the_nearest_counts():
    codes = np.array([[1, 1, 1], [1, -1, -1], [-1, -1, -1], [1, 1, -1]]) > 0
    judgement = judged({"q": {"a": 1}, "r": {"b": 1}})
    found = of_codes(["q", "r"], codes[:2], ["b", "a", "b", "a"], codes, judgement)
    assert found.items.tolist() == [[1, 1, 0, 0], [1, 1, 0, 0]]
    assert found.relevant.tolist() == [[0, 1, 0, 0], [0, 1, 0, 0]]
    without = of_codes(
        ["q", "r"], codes[:2], ["b", "a", "b", "a"], codes, judgement, {"q": "a", "r": "z"}
    )
    assert without.items.tolist() == [[1, 0, 0, 0], [1, 1, 0, 0]]
    assert without.relevant.tolist() == [[0, 0, 0, 0], [0, 1, 0, 0]]


def test_a_radius_that_nobody_reaches_has_no_precision_of_those_found():
    table = by_radius(coded({"q4": RADIUS["q4"]}, 4), judged({"q4": {"c": 1}}), HASHING, 4)
    assert table["precision"].tolist()[:3] == [0, 0, 0]
    assert table["precision_found"].isna().tolist() == [True] * 3 + [False] * 2


def test_the_radius_of_a_part_and_of_nothing():
    judgement = judged(RADIUS_GRADES)
    part = by_radius(coded(RADIUS, 4), judgement, HASHING, 4, ["q1", "q3"])
    assert part["precision"].tolist()[:3] == [1, 1, 1 / 2]
    assert part[["scored", "total"]].iloc[0].tolist() == [1, 2]
    none = by_radius(coded(RADIUS, 4), judgement, HASHING, 4, ["q3"])
    assert none[["precision", "precision_found", "recall", "items"]].isna().all(axis=None)


def test_items_that_a_cut_left_out_count_for_recall():
    run = coded({"q1": [("a", 0)]}, 4)  # b is relevant and was not returned
    table = by_radius(run, judged({"q1": {"a": 1, "b": 1}}), HASHING, 4)
    assert table["recall"].tolist() == [1 / 2] * 5


def test_the_curve_over_the_radius_equals_scikit_learns_precision_recall_curve():
    _, _, far, grades = random_world(queries=1, items=60, bits=16)
    grades = RNG.integers(0, 2, (1, 60))
    run = coded({"q": [(f"i{i}", far[0, i]) for i in range(60)]}, 16)
    judgement = judged({"q": {f"i{i}": grades[0, i] for i in range(60)}})
    table = by_radius(run, judgement, HASHING, 16)
    precision, recall, thresholds = precision_recall_curve(
        grades[0], -far[0], drop_intermediate=False
    )
    at = table.set_index("radius").loc[-thresholds]
    assert at["precision"].tolist() == pytest.approx(precision[:-1].tolist())
    assert at["precision_found"].tolist() == pytest.approx(precision[:-1].tolist())
    assert at["recall"].tolist() == pytest.approx(recall[:-1].tolist())


def test_where_the_first_right_answer_stands():
    run = run_of(
        {"q1": ["a", "b", "c"], "q2": ["c", "a"], "q3": ["a"], "q4": ["b", "a"], "q5": []},
        {"q1": [3, 2, 2], "q2": [2, 1], "q3": [1], "q4": [5, 5]},
    )
    grades = {q: {"b": 1} for q in ("q1", "q2", "q4", "q5")} | {"q3": {"a": 0}}
    found = first_hits(run, judged(grades, CROSSMODAL), CROSSMODAL).set_index("query_id")
    assert found.index.tolist() == ["q1", "q2", "q4", "q5"]  # q3 has nothing relevant
    assert found["rank"].fillna(0).tolist() == [2, 0, 1, 0]
    assert found["tied"].tolist() == [True, False, True, False]
    few = first_hits(run, judged(grades, CROSSMODAL), CROSSMODAL, ["q4"])
    assert few["query_id"].tolist() == ["q4"]


def test_where_results_are_left_out_the_rank_is_that_of_the_whole_and_ties_beyond_are_not_known():
    """Of q1 to q3 the first two of six results are here, and the right answer at rank 5; of q4 the
    right one is first; of q5 it ties with the second, of q6 with what follows, too."""
    names = ["q1", "q2", "q3", "q4", "q5", "q6"]
    rows = [(q, item, 9 - n, n) for q in names for n, item in enumerate("ab", start=1)]
    rows += [(q, "e", 3, 5) for q in names[:3]]
    run = pd.DataFrame(rows, columns=["query_id", "item_id", "score", "rank"])
    run.loc[run["query_id"].isin(["q5", "q6"]), "score"] = 7
    run.attrs["lengths"] = dict.fromkeys(names, 6)
    grades = {q: {"e": 1} for q in names[:3]} | {"q4": {"a": 1}, "q5": {"a": 1}}
    grades["q6"] = {"a": 1, "b": 1}
    found = first_hits(run, judged(grades, CROSSMODAL), CROSSMODAL).set_index("query_id")
    assert found["rank"].tolist() == [5, 5, 5, 1, 1, 1]
    assert found["tied"].isna().tolist() == [True, True, True, False, False, True]
    assert found["tied"].fillna(False).tolist() == [False, False, False, False, True, False]


@pytest.mark.parametrize("why", ["torn", "partial"])
def test_whether_a_right_answer_at_the_end_of_a_cut_list_is_tied_is_not_known(why):
    names = ["q1", "q2", "q3"]
    rows = [(q, item, 2 - n * (q != "q3"), n + 1) for q in names for n, item in enumerate("ab")]
    run = pd.DataFrame(rows, columns=["query_id", "item_id", "score", "rank"])
    run.attrs[why] = dict.fromkeys(names, True)
    made = judged({"q1": {"b": 1}, "q2": {"a": 1}, "q3": {"b": 1}}, CROSSMODAL)
    found = first_hits(run, made, CROSSMODAL)
    assert found["rank"].tolist() == [2, 1, 2]
    assert found["tied"].isna().tolist() == [True, False, False]
    assert found["tied"].fillna(False).tolist() == [False, False, True]


def test_nothing_was_found_for_any_query():
    run = run_of({"q1": []})
    found = first_hits(run, judged({"q1": {"b": 1}}, CROSSMODAL), CROSSMODAL)
    assert found["rank"].isna().tolist() == [True] and found["tied"].tolist() == [False]


def test_a_cumulative_share_counts_those_that_were_never_found():
    ranks = pd.Series([1, 2, 2, 50, None], dtype="Int64")
    table = cumulative(ranks, 100).set_index("rank")["share"]
    assert table.loc[[1, 2, 100]].tolist() == pytest.approx([1 / 5, 3 / 5, 4 / 5])
    assert table.is_monotonic_increasing and table.index[-1] == 100
    for r in table.index:
        assert table.loc[r] == sum(rank <= r for rank in (1, 2, 2, 50)) / 5
    assert cumulative(pd.Series([], dtype="Int64"), 3)["share"].isna().all()
