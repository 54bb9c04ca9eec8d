"""Metrics worked by hand, and pytrec_eval as a second computation."""

import numpy as np
import pytest

from dashboard.next.evaluation.judgement import TableJudgement
from dashboard.next.evaluation.measure import measure_run
from dashboard.next.evaluation.metrics import METRICS, parse
from dashboard.next.retrieval.gallery import Ranking
from dashboard.next.retrieval.run import Run
from dashboard.next.study.protocols import QRELS

ALL = "P@3 P@10 R@3 R Success@1 Success@3 AP AP@3 Rprec RR RR@1 nDCG@3 nDCG"


class Lists:
    """Given lists as a source."""

    def __init__(self, lists: list[list[int]], not_run: dict[int, str] | None = None) -> None:
        self.lists, self.not_run = lists, not_run or {}

    def rank(self, queries: np.ndarray):
        for query in queries.tolist():
            items = np.array(self.lists[query], dtype=np.int64)
            yield Ranking(items, -np.arange(len(items), dtype=float))


def measure(lists, grades: list[dict[int, float]], metrics: str, items: int = 20, **others):
    pairs = {
        query: (np.array(list(of), dtype=int), np.array(list(of.values()), dtype=float))
        for query, of in enumerate(grades)
        if of
    }
    run = Run(Lists(lists, others.get("not_run")), np.full(len(lists), -1))
    judgement = TableJudgement(items, pairs, others.get("unscorable", {}))
    rules = others.get("rules", QRELS)
    return measure_run(run, np.arange(len(lists)), judgement, rules, parse(metrics))


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("P@3", 2 / 3), ("P@10", 3 / 10), ("R@3", 2 / 4), ("R", 3 / 4), ("Success@1", 1),
        ("AP", (1 + 2 / 3 + 3 / 5) / 4), ("AP@3", (1 + 2 / 3) / 4), ("Rprec", 2 / 4), ("RR", 1),
        ("nDCG@3", (2 + 1 / 2) / (3 + 2 / np.log2(3) + 1 / 2)),
    ],
)  # fmt: skip
def test_one_list(metric: str, value: float) -> None:
    found = measure([[0, 1, 2, 3, 4]], [{0: 2, 1: 0, 2: 1, 4: 1, 9: 3}], metric)
    assert found.tolist() == [[pytest.approx(value, abs=1e-12)]]


def test_value_zero_or_null() -> None:
    lists = [[0], [], [0], [0], []]
    grades = [{0: 1.0}, {0: 1.0}, {0: 0.0}, {0: 1.0}, {0: 0.0}]
    null = JUDGED_NULL
    options = {"rules": null, "not_run": {3: "failed"}}
    found = measure(lists, grades, "P@1 AP nDCG@5", **options)
    for row in found:
        np.testing.assert_equal(row, [1, 0, np.nan, np.nan, np.nan])
    zero = measure(lists, grades, "P@1 AP nDCG@5", not_run={3: "failed"})
    for row in zero:
        np.testing.assert_equal(row, [1, 0, 0, np.nan, 0])


JUDGED_NULL = type(QRELS)(**{**QRELS.__dict__, "nothing_relevant": "null"})


def test_unscorable_query_is_null() -> None:
    found = measure([[0]], [{0: 1.0}], "P@1", unscorable={0: "no keyword"})
    assert np.isnan(found).all()


@pytest.mark.parametrize("seed", range(5))
def test_equals_trec_eval(seed: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(seed)
    lists = [rng.permutation(40)[: rng.integers(1, 30)].tolist() for _ in range(30)]
    grades = [{int(i): int(rng.integers(0, 4)) for i in rng.permutation(40)[:15]} for _ in lists]
    names = {
        "P_5": "P@5", "recall_10": "R@10", "map": "AP", "map_cut_10": "AP@10", "Rprec": "Rprec",
        "recip_rank": "RR", "ndcg": "nDCG", "ndcg_cut_10": "nDCG@10", "success_5": "Success@5",
    }  # fmt: skip
    found = measure(lists, grades, " ".join(names.values()), items=40)
    qrels = {str(q): {str(i): g for i, g in of.items()} for q, of in enumerate(grades)}
    run = {str(q): {str(i): float(-r) for r, i in enumerate(of)} for q, of in enumerate(lists)}
    measures = {
        "P",
        "recall",
        "map",
        "map_cut",
        "Rprec",
        "recip_rank",
        "ndcg",
        "ndcg_cut",
        "success",
    }
    theirs = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    for row, name in zip(found, names, strict=True):
        expected = [theirs[str(query)][name] for query in range(len(lists))]
        np.testing.assert_allclose(row, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Q@5", "There is no metric 'Q'"), ("P", "P needs a cutoff"), ("P@0", "'P@0': a cutoff"),
        ("Rprec@3", "Rprec takes no cutoff"), (" ", "No metric is named"),
    ],
)  # fmt: skip
def test_wrong_names(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse(text)


def test_other_names_and_repetitions() -> None:
    assert [str(each) for each in parse("hits_over_k@5, P@5 map MRR ndcg@10")] == [
        "P@5",
        "AP",
        "RR",
        "nDCG@10",
    ]


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("AP(retrieved)@4", (1 + 2 / 3) / 2),
        ("AP(min)@3", (1 + 2 / 3) / 3),
        ("DCG@4", 1 + 0.5 / np.log2(4)),
        ("CG@3", 1.5),
        ("nDCG(exp)@3", (1 + (2**0.5 - 1) / 2) / (1 + (2**0.5 - 1) * (1 / np.log2(3) + 1 / 2))),
        ("RBP(0.8)@4", 0.2 * (1 + 0.5 * 0.8**2)),
        ("RBP@4", 0.05 * (1 + 0.5 * 0.95**2)),
        ("ERR@4", 1.0),
        ("Judged@4", 3 / 4),
        ("Judged@10", 3 / 5),
        ("num_ret", 5),
        ("num_rel", 3),
        ("num_rel_ret", 2),
    ],
)
def test_partial_grades(metric: str, value: float) -> None:
    """Grades 1, 0.5, 0.5 and 0; relevant from 0.5; the last two results are not judged."""
    grades = {0: 1.0, 1: 0.0, 2: 0.5, 9: 0.5}
    pairs = {0: (np.array(list(grades)), np.array(list(grades.values())))}
    judgement = TableJudgement(20, pairs, {}, relevant_from=0.5)
    run = Run(Lists([[0, 1, 2, 3, 4]]), np.array([-1]))
    found = measure_run(run, np.array([0]), judgement, QRELS, parse(metric))
    assert found.tolist() == [[pytest.approx(value, abs=1e-12)]]


def test_err_stops_at_certain_relevance() -> None:
    """A reader who stops with probability 0.5 at rank 1 reaches rank 3 with 0.5."""
    found = measure([[0, 1, 2]], [{0: 0.5, 2: 1.0}], "ERR ERR@3")
    np.testing.assert_allclose(found, [[0.5 + 0.5 / 3]] * 2, atol=1e-12)


def test_scale_above_one_is_refused() -> None:
    for name in ("RBP@5", "ERR@5"):
        with pytest.raises(ValueError, match="reads grades from 0 to 1; here they reach 2"):
            measure([[0]], [{0: 2.0}], name)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("ndcg_cut_10", "nDCG@10"), ("map", "AP"), ("P_10", "P@10"), ("recall_100", "R@100"),
        ("recip_rank", "RR"), ("RBP@5", "RBP(0.95)@5"), ("rbp(.8)@5", "RBP(0.8)@5"),
        ("ap(retrieved)@3", "AP(retrieved)@3"), ("num_rel_ret", "num_rel_ret"),
    ],
)  # fmt: skip
def test_names(given: str, name: str) -> None:
    assert [str(each) for each in parse(given)] == [name]


@pytest.mark.parametrize("given", ["RBP(2)@5", "RBP(x)@5", "RBP()@5", "AP(x)", "P(0.5)@5", "P_x"])
def test_wrong_settings(given: str) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1|no metric"):
        parse(given)


def test_labels_differ() -> None:
    labels = [name.lower() for name in METRICS]
    assert len(set(labels)) == len(labels)
