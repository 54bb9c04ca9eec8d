"""Other programs on tiny cases: their number and ours, where they agree and where they do not.

The table of `dashboard/commands/metrics.py` claims nothing that is not run here or in the
tests with random lists that are named below.
"""

import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from scipy import stats
from sklearn import metrics as sklearn

from dashboard.commands.metrics import AGREES, DIFFERS
from dashboard.evaluation.metrics import NAMES, parse_one
from dashboard.evaluation.statistics import compute_bootstrap_interval, sum_units
from tests.core.test_oracles import IR_MEASURES, PYTREC_EVAL, UNTIED
from tests.evaluation.kinds_ranking import compute, grade_list
from tests.plugins.worlds import call

Pairs = dict[str, dict[str, float]]
TIED, TWO = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"b": 1}}
LOG3 = np.log2(3)


@pytest.fixture
def measure(tmp_path: Path) -> Callable[..., Any]:
    """Return the mean of a metric of judgements and results, by our command line."""

    def run(judged: Pairs, found: Pairs, metric: str) -> float:
        qrels = [f"{q} 0 {d} {g}" for q, each in judged.items() for d, g in each.items()]
        results = [f"{q} Q0 {d} 1 {s!r} t" for q, each in found.items() for d, s in each.items()]
        (tmp_path / "q.txt").write_text("\n".join(qrels))
        (tmp_path / "r.txt").write_text("\n".join(results))
        files = ("--qrels", str(tmp_path / "q.txt"), "--run", str(tmp_path / "r.txt"))
        return float(call("measure", *files, "--metrics", metric)[1][0]["mean"])

    return run


def ask_ir_measures(judged: Pairs, found: Pairs, name: str) -> float:
    qrels = [ir_measures.Qrel(q, d, g) for q, each in judged.items() for d, g in each.items()]
    run = [ir_measures.ScoredDoc(q, d, s) for q, each in found.items() for d, s in each.items()]
    measure = ir_measures.parse_measure(name)
    return float(ir_measures.calc_aggregate([measure], qrels, run)[measure])


def test_ir_measures_has_two_orders_of_equal_scores(measure: Callable[..., float]) -> None:
    """B is relevant, a and b are equal: RR@2 has a first, all others and ours b."""
    assert ask_ir_measures(TWO, TIED, "RR@2") == 0.5
    assert [ask_ir_measures(TWO, TIED, each) for each in ("RR", "P@1", "Success@1")] == [1, 1, 1]
    assert [measure(TWO, TIED, each) for each in ("RR@2", "RR", "P@1")] == [1, 1, 1]


def test_ir_measures_has_two_precisions(measure: Callable[..., float]) -> None:
    """Scores that are equal in single precision only."""
    close = {"q": {"a": 1.00000001, "b": 1.0}}
    assert [ask_ir_measures(TWO, close, each) for each in ("RR@2", "RR")] == [0.5, 1]
    assert [measure(TWO, close, each) for each in ("RR@2", "RR")] == [1, 1]


def test_short_lists(measure: Callable[..., float]) -> None:
    """Of three results one is judged: Judged@10 is 1 ÷ 3 and P@10 is 1 ÷ 10, as ours."""
    judged, found = {"q": {"a": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    for name, value in (("Judged@10", 1 / 3), ("P@10", 1 / 10)):
        assert ask_ir_measures(judged, found, name) == pytest.approx(value, abs=1e-12)
        assert measure(judged, found, name) == pytest.approx(value, abs=1e-12)


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is a script of perl")
@pytest.mark.filterwarnings("ignore")
def test_gdeval(measure: Callable[..., float]) -> None:
    """Grades 1 and 2 at ranks 1 and 2: r = 1/16, 3/16."""
    err = 1 / 16 + 15 / 16 * 3 / 16 / 2
    ndcg = (1 + 3 / LOG3) / (3 + 1 / LOG3)
    names = {"ERR(exp)@3": ("ERR@3", err), "nDCG(exp)@3": ("nDCG(dcg='exp-log2')@3", ndcg)}
    for ours, (name, value) in names.items():
        for query in ("1", "q1"):
            judged, found = {query: {"a": 1, "b": 2}}, {query: {"a": 3.0, "b": 2.0, "c": 1.0}}
            assert measure(judged, found, ours) == pytest.approx(value, abs=1e-12)
            if query == "1":
                assert ask_ir_measures(judged, found, name) == round(value, 5)
            else:
                with pytest.raises(Exception, match="non-zero exit status"):
                    ask_ir_measures(judged, found, name)


def test_pytrec_eval_leaves_out_queries_that_a_run_lacks(measure: Callable[..., float]) -> None:
    """Query 2 is judged and has no results: 0 in our mean, as `trec_eval -c`."""
    judged, found = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(found)
    assert theirs == {"1": {"map": 1.0}}
    assert measure(judged, found, "AP") == 0.5


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_ap() -> None:
    """Nothing relevant: 0 or 1, ours null. Equal scores: one step of half precision."""
    assert sklearn.average_precision_score([0, 0], [0.2, 0.1]) == 0
    assert sklearn.label_ranking_average_precision_score([[0, 0]], [[0.2, 0.1]]) == 1
    assert np.isnan(compute("AP", grade_list([0, 0], [])))
    assert sklearn.average_precision_score([1, 0], [0.5, 0.5]) == 0.5
    assert compute("AP", grade_list([1, 0], [])) == 1


def test_scikit_learn_ndcg() -> None:
    """Two equal scores, one relevant: the mean of both orders; ours is the stated order's."""
    mean = (1 + 1 / LOG3) / 2
    assert sklearn.ndcg_score([[1, 0]], [[0.5, 0.5]]) == pytest.approx(mean, abs=1e-12)
    assert compute("nDCG", grade_list([1, 0], [])) == 1
    with pytest.raises(ValueError, match="more than 1 document"):
        sklearn.ndcg_score([[1]], [[0.5]])
    assert compute("nDCG", grade_list([1], [])) == 1


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_without_equal_scores(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grades, scores = rng.integers(0, 4, 30), -np.arange(30.0)
    block = grade_list(grades.tolist(), [])
    theirs = sklearn.average_precision_score(grades > 0, scores)
    assert compute("AP", block) == pytest.approx(theirs, abs=1e-12)
    for k in (None, 5):
        name = "nDCG" if k is None else f"nDCG@{k}"
        theirs = sklearn.ndcg_score(grades[None], scores[None], k=k)
        assert compute(name, block) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_scipy_on_constant_differences() -> None:
    """Ten differences of 0.3, whose mean is not 0.3 to the last bit: a point, and p = 0."""
    same = np.full(10, 0.3)
    theirs = stats.bootstrap((same,), np.mean, method="BCa").confidence_interval
    assert (theirs.low, theirs.high) == pytest.approx((0.3, 0.3), abs=1e-12)
    assert np.isnan(compute_bootstrap_interval(*sum_units(same[:, None], None))).all()
    assert stats.ttest_rel(np.full(10, 0.5), np.zeros(10)).pvalue == 0


RUN_WITH = {
    "pytrec_eval-terrier": {*PYTREC_EVAL},
    "ir_measures": {*IR_MEASURES, *UNTIED},
    "scikit-learn": {"AP", "nDCG"},
}
DIFFERENCES = {
    "pytrec_eval-terrier": set[str](),
    "ir_measures": {"RR", "ERR(exp)", "nDCG(exp)"},
    "scikit-learn": {"AP", "nDCG"},
}


@pytest.mark.parametrize("peer", AGREES)
def test_table_of_peers_claims_what_tests_run(peer: str) -> None:
    parse_one("AP")
    (name, known), agrees, differs = peer.split(), AGREES[peer], DIFFERS.get(peer, {})
    assert agrees.keys() == {each.partition("@")[0] for each in RUN_WITH[name]}
    assert differs.keys() == DIFFERENCES[name]
    assert {*agrees, *differs} <= {each.name for each in NAMES.values()}
    assert version(name).split(".")[:2] == known.split(".")[:2], "run all again"


def test_metrics_names_peers() -> None:
    rows = {row["metric"]: row for row in call("metrics")[1]}
    assert "pytrec_eval-terrier 0.5.11: recip_rank" in rows["RR"]["agrees"]
    assert "ascending order of ids" in rows["RR"]["differs"]
    assert rows["CAG(DCG)"]["agrees"] is rows["CAG(DCG)"]["differs"] is None
