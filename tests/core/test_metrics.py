"""Metrics worked by hand, and pytrec_eval as a second computation."""

import numpy as np
import pytest

from dashboard.evaluation.judgement import TableJudgement
from dashboard.evaluation.measurement import measure_run
from dashboard.evaluation.metrics import NAMES, metric, parse
from dashboard.retrieval.gallery import SortedRanking
from dashboard.retrieval.sources import Run
from dashboard.study.judging import QRELS


class Lists:
    """Given lists as a source."""

    def __init__(self, lists: list[list[int]], not_run: dict[int, str] | None = None) -> None:
        self.lists, self.not_run = lists, not_run or {}

    def rank(self, queries: np.ndarray):
        for query in queries.tolist():
            items = np.array(self.lists[query], dtype=np.int64)
            yield SortedRanking(items, -np.arange(len(items), dtype=float))


def measure(lists, grades: list[dict[int, float]], metrics: str, items: int = 20, **others):
    pairs = {
        query: (np.array(sorted(of), dtype=int), np.array([of[i] for i in sorted(of)], dtype=float))
        for query, of in enumerate(grades)
        if of
    }
    run = Run(Lists(lists, others.get("not_run")), np.full(len(lists), -1))
    judgement = TableJudgement(items, pairs, unscorable=others.get("unscorable", {}))
    rules = others.get("rules", QRELS)
    return measure_run(run, np.arange(len(lists)), judgement, rules, parse(metrics))


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("P@3", 2 / 3), ("P@10", 3 / 10), ("R@3", 2 / 4), ("R", 3 / 4), ("Success@1", 1),
        ("AP", (1 + 2 / 3 + 3 / 5) / 4), ("AP@3", (1 + 2 / 3) / 4), ("Rprec", 2 / 4), ("RR", 1),
        ("nDCG@3", (2 + 1 / 2) / (3 + 2 / np.log2(3) + 1 / 2)),
        ("AP(retrieved)", (1 + 2 / 3 + 3 / 5) / 3), ("AP(retrieved)@2", 1),
        ("AP(min)", (1 + 2 / 3 + 3 / 5) / 4), ("AP(min)@3", (1 + 2 / 3) / 3),
        ("nDCG(exp)@3", (3 + 1 / 2) / (7 + 3 / np.log2(3) + 1 / 2)),
        ("nDCG(ideal=retrieved)@3", (2 + 1 / 2) / (2 + 1 / np.log2(3) + 1 / 2)),
        ("nDCG(ideal=retrieved)@2", 2 / (2 + 1 / np.log2(3))),
        ("nDCG(exp,ideal=retrieved)@2", 3 / (3 + 1 / np.log2(3))),
        ("DCG@3", 2 + 1 / 2), ("DCG", 2 + 1 / 2 + 1 / np.log2(6)), ("CG@3", 2), ("CG", 3),
        ("DCG(exp)", 3 + 1 / 2 + 1 / np.log2(6)),
        ("RBP(0.5)", (1 + 1 / 4 + 1 / 16) / 2), ("RBP@3", 0.05 * (1 + 0.95**2)), ("ERR", 1),
        ("ERR(exp)", 3 / 16 + 13 / 16 / 16 / 3 + 13 / 16 * 15 / 16 / 16 / 5),
        ("ERR(exp)@2", 3 / 16), ("Judged@4", 3 / 4), ("Judged", 4 / 5),
        ("num_ret", 5), ("num_rel", 4), ("num_rel_ret", 3),
    ],
)  # fmt: skip
def test_one_list(metric: str, value: float) -> None:
    found = measure([[0, 1, 2, 3, 4]], [{0: 2, 1: 0, 2: 1, 4: 1, 9: 3}], metric)
    assert found.tolist() == [[pytest.approx(value, abs=1e-12)]]


class PartialJudgement(TableJudgement):
    """Half of the relevance of an item with the grade 0.5."""

    def credits(self, query: int) -> np.ndarray:
        return self.grades(query) / 2


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("CG", 0.25 + 1 + 0.5), ("CG@1", 0.25), ("RBP(0.5)", 0.25 / 2 + 1 / 8 + 0.5 / 16),
        ("ERR", 0.25 + 3 / 4 / 3), ("num_rel_ret", 2),
    ],
)  # fmt: skip
def test_partial_relevance(metric: str, value: float) -> None:
    pairs = {0: (np.array([0, 2, 3]), np.array([0.5, 2.0, 1.0]))}
    run = Run(Lists([[0, 1, 2, 3]]), np.array([-1]))
    judged = PartialJudgement(20, pairs, unscorable={})
    found = measure_run(run, np.arange(1), judged, QRELS, parse(metric))
    assert found.tolist() == [[pytest.approx(value, abs=1e-12)]]


def test_exponential_gains_of_large_grades() -> None:
    found = measure([[1, 0]], [{0: 2000, 1: 1999}], "nDCG(exp)")
    expected = (1 / 2 + 1 / np.log2(3)) / (1 + 1 / 2 / np.log2(3))
    assert found[0, 0] == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match="grades up to 4; one is 5"):
        measure([[0]], [{0: 5}], "ERR(exp)")
    with pytest.raises(ValueError, match="grades up to 300; one is 2000"):
        measure([[0]], [{0: 2000}], "DCG(exp)")


def test_lists_without_a_hit() -> None:
    names = "AP(retrieved) AP(min)@2 nDCG(exp) nDCG(ideal=retrieved) DCG ERR RBP CG"
    found = measure([[5], []], [{0: 1}, {0: 1}], names, rules=JUDGED_NULL)
    assert found[:, 1].tolist() == [0.0] * 8  # no results at all
    expected = [np.nan if name == "nDCG(ideal=retrieved)" else 0.0 for name in names.split()]
    np.testing.assert_equal(found[:, 0], expected)
    found = measure([[5], []], [{0: 1}, {0: 1}], "Judged@1", rules=JUDGED_NULL)
    assert found.tolist() == [[0.0, 0.0]]


def test_value_zero_or_null() -> None:
    lists = [[0], [], [0], [0], []]
    grades = [{0: 1.0}, {0: 1.0}, {0: 0.0}, {0: 1.0}, {0: 0.0}]
    null = JUDGED_NULL
    options = {"rules": null, "not_run": {3: "failed"}}
    for row in measure(lists, grades, "P@1 AP nDCG@5", **options):
        np.testing.assert_equal(row, [1, 0, np.nan, np.nan, np.nan])
    zero = measure(lists, grades, "P@1 AP nDCG@5", not_run={3: "failed"})
    for row in zero:
        np.testing.assert_equal(row, [1, 0, 0, np.nan, 0])


JUDGED_NULL = type(QRELS)(**{**QRELS.__dict__, "nothing_relevant": "null"})


def test_other_names_repetitions_and_settings() -> None:
    found = [str(each) for each in parse("hits_over_k@5, P@5 map MRR ndcg@10")]
    assert found == ["P@5", "AP", "RR", "nDCG@10"]
    text = "RBP RBP(p=0.95) RBP(0.80)@5, AP(divisor=retrieved) map_cut.7 P_10 recall_100 success_1"
    found = [str(each) for each in parse(text + " recip_rank ndcg")]
    expected = ["RBP(0.95)", "RBP(0.8)@5", "AP(retrieved)", "AP@7", "P@10", "R@100", "Success@1"]
    assert found == [*expected, "RR", "nDCG"]


def test_no_two_metrics_share_a_label() -> None:
    titles = [each.title.lower() for each in {*NAMES.values()}]
    assert len(set(titles)) == len(titles)
    with pytest.raises(ValueError, match="Two metrics are called map"):
        metric("MAP", formula="", source="")(lambda block, k: block.relevant)
