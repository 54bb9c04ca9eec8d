"""What trec_eval measures beside the usual, under its own names: values, means, sums and levels."""

import numpy as np
import pandas as pd
import pytest
import pytrec_eval

from dashboard.evaluation.comparison.compare import compare
from dashboard.evaluation.measure import measure, summarise
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.protocols import PROTOCOLS, trec
from dashboard.evaluation.rankings import from_lists
from tests.evaluation.oracle import made_up, qrels_table, trec_run
from tests.evaluation.worlds import World

GRADES = {"0-3": (0, 0, 0, 1, 1, 2, 3), "negative": (-2, -1, 0, 1, 2, 3)}
RECALLS = [f"iprec_at_recall_{point / 10:.2f}" for point in range(11)]
CUTS = [
    f"{name}_{k}" for name in ("P", "recall", "success", "map_cut", "ndcg_cut") for k in (5, 10)
]
VALUES = [
    "map",
    "recip_rank",
    "Rprec",
    "ndcg",
    "bpref",
    "infAP",
    "11pt_avg",
    "set_P",
    "set_recall",
    "set_map",
    "set_F",
]
VALUES += ["set_relative_P", *RECALLS, *CUTS]
GEOMETRIC = ["gm_map", "gm_bpref"]
SUMS = ["num_q", "num_ret", "num_rel", "num_rel_ret"]
FAMILIES = {*VALUES, *GEOMETRIC, *SUMS} - {*RECALLS, *CUTS}
FAMILIES |= {f"{name}.5,10" for name in ("P", "recall", "success", "map_cut", "ndcg_cut")}
FAMILIES.add("iprec_at_recall")


def measured(qrels, run, names, level):
    """Our measurements and the word of trec_eval in each row."""
    protocol = trec.with_options(None, level)
    judgement = protocol.judge(World(qrels=qrels_table(qrels)), None)
    table = measure({"r": trec_run(run)}, judgement, protocol, " ".join(names))
    return table.assign(name=np.repeat(names, len(qrels)))


def theirs(qrels, run, level):
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES, relevance_level=level)
    return evaluator.evaluate(run)


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("grades", GRADES)
def test_every_value_of_every_query_is_trec_evals(grades, level):
    qrels, run = made_up(21 + level, queries=400, grades=GRADES[grades])
    known = theirs(qrels, run, level)
    table = measured(qrels, run, [*VALUES, *GEOMETRIC, *SUMS], level)
    assert set(run) - set(qrels) and set(qrels) - set(run)
    for name, query, value in table[["name", "query_id", "value"]].itertuples(index=False):
        if query in known:
            expected = known[query][name]
            if name in GEOMETRIC:  # it gives the logarithm
                value, expected = max(value, 1e-5), np.exp(expected)
        elif name in ("num_q", "num_rel"):
            continue
        else:
            expected = 0.0  # judged and not run: with -c it counts as 0
        assert value == pytest.approx(expected, abs=1e-12), (name, query)


@pytest.mark.parametrize("level", [1, 2])
def test_geometric_means_and_sums_over_the_queries_are_trec_evals(level):
    qrels, run = made_up(31, queries=200)
    qrels = {query: items for query, items in qrels.items() if query in run}
    known = theirs(qrels, run, level)
    table = summarise(measured(qrels, run, ["map", *GEOMETRIC, *SUMS], level)).set_index("metric")
    for name in GEOMETRIC + SUMS:
        expected = pytrec_eval.compute_aggregated_measure(name, [v[name] for v in known.values()])
        column = "mean" if name in GEOMETRIC else "sum"
        assert table[column][name] == pytest.approx(expected, abs=1e-12), name
    assert table["sum"][["AP", *GEOMETRIC]].isna().all()
    assert table["mean"]["num_ret"] * len(known) == pytest.approx(table["sum"]["num_ret"])


def test_a_query_without_results_weighs_in_a_geometric_mean_as_with_c():
    qrels = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 0}}
    table = summarise(measured(qrels, {"a": {"x": 1.0}}, ["gm_map"], 1))
    # AP 1, no results, nothing relevant: exp((0 + 2 ln 0.00001) ÷ 3)
    assert table["mean"][0] == pytest.approx(1e-5 ** (2 / 3), rel=1e-12)
    assert table[["scored", "total"]].values.tolist() == [[3, 3]]


def test_queries_that_are_not_scored_are_in_no_geometric_mean_and_no_sum():
    alfa = PROTOCOLS["composed"]
    judgement = alfa.judge(World(qrels=qrels_table({"a": {"x": 1}, "b": {"x": 0}})), None)
    run = trec_run({query: {"x": 1.0} for query in "ab"})
    table = summarise(measure({"r": run}, judgement, alfa, "gm_map num_q"))
    assert table[["mean", "scored", "total"]].values.tolist() == [[1, 1, 2], [1, 1, 2]]
    assert table["sum"].tolist()[1] == 1


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("P_5", "P@5"),
        ("p.5", "P@5"),
        ("recall_100", "R@100"),
        ("success_10", "Success@10"),
        ("recip_rank", "RR"),
        ("Rprec", "Rprec"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("iprec_at_recall_0.10", "IPrec(0.1)"),
        ("iprec_at_recall_1.00", "IPrec(1)"),
        ("11pt_avg", "11pt_avg"),
        ("infap", "infAP"),
        ("set_F", "set_F"),
        ("set_F_0.5", "set_F(0.5)"),
        ("set_P@50", "set_P@50"),
    ],
)
def test_trec_evals_names_are_understood(written, printed):
    assert [str(measure) for measure in parse(written)] == [printed]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("P_0", "whole number of at least 1"),
        ("ndcg_cut", "nDCG"),
        ("iprec_at_recall_2", "from 0 to 1"),
        ("gm_map@10", "takes no cutoff"),
    ],
)
def test_what_trec_eval_has_not_either_is_told(wrong, said):
    with pytest.raises(ValueError, match=said):
        parse(wrong)


def test_recall_points_are_rounded_as_each_release_does():
    rankings = from_lists([[1, 0, 1, 0, 0, 1]])
    # recall 0.4 of 3 wants 1.2 hits: 2 where it is rounded up, 1 where to the nearest
    assert parse("IPrec(0.4)")[0](rankings).tolist() == [2 / 3]
    assert parse("IPrec(0.4,rounding=nearest)")[0](rankings).tolist() == [1]


@pytest.mark.parametrize("name", GEOMETRIC)
def test_a_geometric_mean_is_not_compared(name):
    qrels, run = made_up(5, queries=20)
    table = measured(qrels, run, [name], 1)
    both = [table.assign(run="a"), table.assign(run="b")]
    with pytest.raises(ValueError, match=f"{name} is a geometric mean over the queries"):
        compare(pd.concat(both), "a", "b")
