"""The table "value, zero or null", cell by cell, and the shape of measurements."""

import math

import pandas as pd
import pytest

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import counts, measure, summarise
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.tables import MEASUREMENTS
from tests.evaluation.worlds import run_of

# found: a hit and a miss; nothing: judged, but nothing relevant; absent: relevant, but not in the
# run; failed: relevant, but not run; unmapped: not scorable
QUERIES = ("found", "nothing", "absent", "failed", "unmapped")
QRELS = pd.DataFrame(
    [
        ("found", "a", 1),
        ("found", "b", 1),
        ("nothing", "a", 0),
        ("absent", "a", 1),
        ("failed", "a", 1),
        ("unmapped", "a", 1),
    ],
    columns=["query_id", "item_id", "grade"],
)
RUN = run_of({"found": ["a", "c"], "nothing": ["a", "c"], "unmapped": ["a"]})
RUN.attrs["not_run"] = {"failed": "the encoder failed"}
EVERY = (
    "P@2 R@2 Success@2 AP AP(retrieved)@2 AP(min)@2 AP(annotated) Rprec RR nDCG@2 nDCG(exp) "
    "nDCG(ideal=retrieved)@2 DCG@2 CG@2 AVG MAX RBP(0.95) ERR Judged@2 CAG(DCG)@2"
)
RATIOS = {"R", "AP", "AP(retrieved)", "AP(min)", "AP(annotated)", "Rprec", "nDCG", "nDCG(exp)"} | {
    "nDCG(ideal=retrieved)"
}


def judgement(**more):
    qrels = QRELS.assign(credit=QRELS["grade"].astype(float))
    return Judgement(qrels, QUERIES, {"unmapped": "no keyword mapped"}, **more)


def values(protocol):
    table = measure({"r": RUN}, judgement(), protocol, EVERY)
    return {query: rows.set_index("metric")["value"] for query, rows in table.groupby("query_id")}


@pytest.mark.parametrize("protocol", ["alfa", "composed", "crossmodal", "hashing"])
def test_nothing_relevant_is_null_for_every_metric(protocol):
    assert values(protocol)["nothing"].isna().all()


def test_nothing_relevant_is_what_the_formula_gives_in_context():
    found = values("context")["nothing"]
    assert set(found.index[found.isna()]) == RATIOS
    assert (found.drop(["Judged"]).dropna() == 0).all()


def test_nothing_relevant_is_zero_for_trec():
    found = values("trec")["nothing"]
    assert (found.drop("Judged") == 0).all()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_query_that_was_run_and_found_nothing_is_zero(protocol):
    assert (values(protocol)["absent"] == 0).all()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("query", ["failed", "unmapped"])
def test_a_query_that_was_not_run_or_asks_for_nothing_is_null(protocol, query):
    assert values(protocol)[query].isna().all()


@pytest.mark.parametrize(
    ("protocol", "null"),
    [("alfa", {"P", "AP", "CG", "Judged"}), ("context", {"AP", "Judged"}), ("trec", set())],
)
def test_nothing_found_where_nothing_is_relevant_is_no_more_than_that(protocol, null):
    qrels = QRELS.query("query_id == 'nothing'").assign(credit=0.0)
    table = measure(
        {"r": RUN.iloc[:0]}, Judgement(qrels, ("nothing",), {}), protocol, "P@2 AP CG Judged"
    )
    found = table.set_index("metric")["value"]
    assert set(found.index[found.isna()]) == null
    assert (found.dropna() == 0).all()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_found_item_counts_alike_everywhere(protocol):
    found = values(protocol)["found"]
    assert found.drop("Judged").notna().all()
    assert found["P"] == found["R"] == 0.5
    # c is unjudged; composed and context leave it out of the list
    assert found["Judged"] == (1.0 if protocol in ("composed", "context") else 0.5)
    assert found["AVG"] == (1.0 if protocol in ("composed", "context") else 0.5)


@pytest.mark.parametrize(
    ("protocol", "scored", "no_results"),
    [("alfa", 2, 1), ("context", 3, 1), ("trec", 3, 1)],
)
def test_every_query_is_counted(protocol, scored, no_results):
    row = counts({"r": RUN}, judgement(), protocol).iloc[0].to_dict()
    assert row == {
        "run": "r",
        "total": 5,
        "scored": scored,
        "no_keyword": 1,
        "no_relevant": 1,
        "no_results": no_results,
        "not_run": 1,
    }
    summary = summarise(measure({"r": RUN}, judgement(), protocol, "P@1")).iloc[0]
    assert (summary["scored"], summary["total"]) == (scored, 5)


def test_measurements_are_a_table_of_the_declared_shape():
    table = measure({"one": RUN, "two": RUN}, judgement(), "alfa", "P@2 AP")
    assert list(table.columns) == list(MEASUREMENTS.columns)
    assert len(table) == 2 * 2 * 5
    assert table["run"].drop_duplicates().tolist() == ["one", "two"]
    assert table["query_id"].head(5).tolist() == list(QUERIES)
    assert table["cutoff"].dtype == "Int64"
    assert table["cutoff"].isna().sum() == 10
    assert {str(table[c].dtype) for c in ("run", "query_id", "metric")} == {"str"}


def test_the_mean_of_no_scored_query_is_null():
    only = Judgement(judgement().qrels.iloc[:0], ("q",), {"q": "no judged item"})
    row = summarise(measure({"r": RUN}, only, "alfa", "AP")).iloc[0]
    assert math.isnan(row["mean"])
    assert (row["scored"], row["total"]) == (0, 1)


def test_nothing_is_rounded_before_the_mean():
    table = pd.DataFrame({"run": "r", "metric": "AP", "cutoff": pd.NA, "value": [1 / 3, 1 / 7]})
    assert summarise(table)["mean"].tolist() == [(1 / 3 + 1 / 7) / 2]


def test_an_unknown_protocol_is_told_which_there_are():
    with pytest.raises(ValueError, match="no protocol 'alpha'. Known: alfa"):
        measure({"r": RUN}, judgement(), "alpha", "AP")


def test_no_run_gives_an_empty_table():
    assert measure({}, judgement(), "alfa", "AP").empty
