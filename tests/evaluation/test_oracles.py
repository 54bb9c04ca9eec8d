"""Our numbers beside those of other tools and of plain loops, query by query to 1e-9."""

import itertools

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from sklearn.metrics import average_precision_score, ndcg_score

from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.rankings import from_lists
from tests.evaluation.oracle import made_up, plain_cag, plain_err, qrels_table, trec_run
from tests.evaluation.worlds import World

TREC_EVAL = {
    "P@1": "P_1",
    "P@5": "P_5",
    "P@10": "P_10",
    "P@100": "P_100",
    "R@5": "recall_5",
    "R@10": "recall_10",
    "Success@1": "success_1",
    "Success@5": "success_5",
    "Success@10": "success_10",
    "AP": "map",
    "AP@5": "map_cut_5",
    "AP@10": "map_cut_10",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "nDCG": "ndcg",
    "nDCG@5": "ndcg_cut_5",
    "nDCG@10": "ndcg_cut_10",
}
FAMILIES = {"map", "recip_rank", "Rprec", "ndcg"} | {
    f"{family}.1,5,10,100" for family in ("P", "recall", "success", "map_cut", "ndcg_cut")
}


def measured(qrels, run, metrics):
    """{(metric, query): value} under protocol trec."""
    trec = PROTOCOLS["trec"]
    judgement = trec.judge(World(qrels=qrels_table(qrels)), None)
    table = measure({"r": trec_run(run)}, judgement, trec, metrics)
    names = table["metric"] + table["cutoff"].map("@{}".format, na_action="ignore").fillna("")
    return dict(zip(zip(names, table["query_id"], strict=True), table["value"], strict=True))


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(each, marks=pytest.mark.slow) for each in (1, 2))]
)
@pytest.mark.parametrize("grades", [(0, 0, 0, 1, 1, 2, 3), (-2, -1, 0, 1)], ids=["0-3", "negative"])
def test_trec_eval_gives_the_same_for_every_query(seed, grades):
    qrels, run = made_up(seed, grades=grades)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES).evaluate(run)
    ours = measured(qrels, run, " ".join(TREC_EVAL))
    assert len(theirs) > 700
    for (name, query), value in ours.items():
        # pytrec_eval is silent on judged queries that were not run; trec_eval -c counts them as 0
        expected = theirs[query][TREC_EVAL[name]] if query in run else 0.0
        assert value == pytest.approx(expected, abs=1e-9), (name, query)


def test_exponential_gain_is_trec_evals_with_other_grades():
    qrels, run = made_up(5)
    gains = {q: {i: 2**g - 1 for i, g in items.items()} for q, items in qrels.items()}
    theirs = pytrec_eval.RelevanceEvaluator(gains, {"ndcg", "ndcg_cut"}).evaluate(run)
    ours = measured(qrels, run, "nDCG(exp) nDCG(exp)@5")
    for query in theirs:
        assert ours["nDCG(exp)", query] == pytest.approx(theirs[query]["ndcg"], abs=1e-9)
        assert ours["nDCG(exp)@5", query] == pytest.approx(theirs[query]["ndcg_cut_5"], abs=1e-9)


def test_ir_measures_gives_the_same_share_of_judged_results():
    qrels, run = made_up(6, queries=200)
    # ir_measures breaks ties by item id ascending, trec_eval descending: here are none
    run = {
        q: {i: float(s) for s, i in enumerate(sorted(items, key=hash))} for q, items in run.items()
    }
    wanted = [ir_measures.parse_measure(name) for name in ("Judged@5", "Judged@20", "RR@5")]
    ours = measured(qrels, run, "Judged@5 Judged@20 RR@5")
    for found in ir_measures.iter_calc(wanted, qrels, run):
        assert ours[str(found.measure), found.query_id] == pytest.approx(found.value, abs=1e-9)


def test_scikit_learn_gives_the_same_ndcg_for_fractional_grades():
    random = np.random.default_rng(7)
    for _ in range(100):
        grades = random.integers(0, 9, random.integers(2, 30)) / 8
        if not grades.any():
            continue
        scores = -np.arange(len(grades), dtype=float)
        rankings = from_lists([grades.tolist()], judged_grades=[grades.tolist()])
        for k in (None, 1, 5, 100):
            theirs = ndcg_score([grades], [scores], k=k, ignore_ties=True)
            ours = parse("nDCG" if k is None else f"nDCG@{k}")[0](rankings)[0]
            assert ours == pytest.approx(theirs, abs=1e-9)


def test_scikit_learn_gives_the_same_ap_of_the_whole_gallery():
    random = np.random.default_rng(8)
    for _ in range(100):
        relevant = random.integers(0, 2, random.integers(2, 40))
        if relevant.any():
            theirs = average_precision_score(relevant, -np.arange(len(relevant)))
            ours = parse("AP")[0](from_lists([relevant.tolist()]))[0]
            assert ours == pytest.approx(theirs, abs=1e-9)


def lists(random, count=150):
    """Lists of credits of many lengths, with zeros, ones and repeated values."""
    for _ in range(count):
        yield (random.integers(0, 11, random.integers(0, 25)) / 10).tolist()


@pytest.mark.parametrize("discount", ["RBP", "DCG", "CG", "AVG", "ERR", "MAX"])
def test_cag_is_what_its_formulas_read(discount):
    credits = list(lists(np.random.default_rng(9)))
    rankings = from_lists([[1] * len(c) for c in credits], credit=credits)
    options = itertools.product((1, 3, 10, 100), ("window", "w"), ("list", "image"), (None, 4, 50))
    for w, divide, per, k in options:
        name = f"CAG({discount},w={w},divide={divide},per={per})" + (f"@{k}" if k else "")
        theirs = [plain_cag(c, discount, k, w=w, divide=divide, per=per) for c in credits]
        np.testing.assert_allclose(parse(name)[0](rankings), theirs, rtol=0, atol=1e-12)


def test_cag_over_rows_is_the_mean_of_row_means():
    credits = list(lists(np.random.default_rng(10)))
    rankings = from_lists([[1] * len(c) for c in credits], credit=credits)
    for rows, w, k in itertools.product((2, 5, 50), (1, 3), (None, 7)):
        at = f"@{k}" if k else ""
        theirs = [plain_cag(c, "AVG", k, w=w, rows=rows) for c in credits]
        ours = parse(f"CAG(AVG(rows={rows}),w={w}){at}")[0](rankings)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
        original = [
            np.mean([np.mean(c[:k][s : s + rows]) for s in range(0, len(c[:k]), rows)] or [0])
            for c in credits
        ]
        ours = parse(f"AVG(rows={rows}){at}")[0](rankings)
        np.testing.assert_allclose(ours, original, rtol=0, atol=1e-12)


def test_err_stops_by_credit_or_as_gdeval_by_grade():
    random = np.random.default_rng(11)
    grades = [random.integers(0, 5, random.integers(1, 20)).tolist() for _ in range(100)]
    credits = [[g / 4 for g in row] for row in grades]
    rankings = from_lists(grades, credit=credits)
    for k in (None, 3):
        at = f"@{k}" if k else ""
        by_credit = [plain_err(row, k) for row in credits]
        by_grade = [plain_err([(2**g - 1) / 16 for g in row], k) for row in grades]
        np.testing.assert_allclose(parse(f"ERR{at}")[0](rankings), by_credit, atol=1e-12)
        np.testing.assert_allclose(parse(f"ERR(exp){at}")[0](rankings), by_grade, atol=1e-12)


def test_err_of_gdevals_example():
    # grades 2, 0, 1, 0, 1 give the stop probabilities 3/16, 0, 1/16, 0, 1/16, so ERR is
    # 3/16 + 13/16 · 1/16 ÷ 3 + 13/16 · 15/16 · 1/16 ÷ 5 = .21395 as gdeval prints
    rankings = from_lists([[2, 0, 1, 0, 1]])
    assert parse("ERR(exp)@20")[0](rankings)[0] == pytest.approx(0.21395, abs=5e-6)
