"""Pictures and texts in one collection: each direction's metric, and Rsum over both."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.explain import explain_run
from dashboard.evaluation.image_text.recalls import with_sums
from dashboard.evaluation.measure import counts, measure, summarise
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.protocol import qrels_of_queries
from dashboard.tables import RUN

CUTOFFS = (1, 5, 10)


def world(texts_of, seed=0):
    """Evidence of pictures with some texts each, a run with random order, and its ranks of the
    truth."""
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(len(texts_of)), texts_of)
    similarity = rng.normal(size=(len(texts_of), len(owner)))
    similarity[owner, np.arange(len(owner))] += 1
    pictures = [f"p{n}" for n in range(len(texts_of))]
    texts = [f"t{n}" for n in range(len(owner))]
    queries = pd.DataFrame(
        {
            "query_id": [f"q_{p}" for p in pictures] + [f"q_{t}" for t in texts],
            "text": [""] * len(pictures) + ["words"] * len(texts),
            "item_id": [*pictures, *[""] * len(texts)],
        }
    )
    pairs = [(f"q_p{p}", f"t{t}", 1) for t, p in enumerate(owner)]
    pairs += [(f"q_t{t}", f"p{p}", 1) for t, p in enumerate(owner)]
    qrels = pd.DataFrame(pairs, columns=["query_id", "item_id", "grade"])
    rows = []
    for p, scores in enumerate(similarity):
        order = np.argsort(-scores)
        rows += [(f"q_p{p}", f"t{t}", scores[t], rank) for rank, t in enumerate(order, 1)]
    for t, scores in enumerate(similarity.T):
        order = np.argsort(-scores)
        rows += [(f"q_t{t}", f"p{p}", scores[p], rank) for rank, p in enumerate(order, 1)]
    run = pd.DataFrame(rows, columns=list(RUN.columns))
    best = [(-scores).argsort().argsort()[owner == p].min() for p, scores in enumerate(similarity)]
    theirs = [(-similarity[:, t]).argsort().argsort()[owner[t]] for t in range(len(owner))]
    evidence = SimpleNamespace(
        queries=queries, qrels=qrels, items=None, keywords=None, query_keywords=None
    )
    return evidence, run, np.array(best), np.array(theirs)


@pytest.mark.parametrize("texts_of", [[5] * 12, [1, 7, 2, 2, 30, 1, 9, 4, 4, 4, 4, 4]])
def test_both_directions_and_their_sum(texts_of):
    evidence, run, best, theirs = world(texts_of)
    protocol = PROTOCOLS["crossmodal"]
    made = protocol.judge(evidence, None)
    table = summarise(measure({"r": run}, made, protocol, protocol.metrics))
    means = {(m, None if pd.isna(k) else k): v for m, k, v in table.iloc[:, 1:4].to_numpy()}
    i2t, t2i = ([float((ranks < k).mean()) for k in CUTOFFS] for ranks in (best, theirs))
    for number, k in enumerate(CUTOFFS):
        assert means["i2t_R", k] == pytest.approx(i2t[number])
        assert means["t2i_R", k] == pytest.approx(t2i[number])
    assert means["Rsum", None] == pytest.approx(sum(i2t) + sum(t2i))
    assert means["mR", None] == pytest.approx((sum(i2t) + sum(t2i)) / 6)
    scored = table.set_index("metric")["scored"]
    assert set(scored["t2i_R"]) == {sum(texts_of)}
    assert set(scored["i2t_R"]) == {12} == {scored["Rsum"], scored["mR"]}


def test_another_ratio_is_said():
    judge = PROTOCOLS["crossmodal"].judge
    assert not any("source" in note for note in judge(world([5, 5])[0], None).notes)
    said = judge(world([5, 7])[0], None).notes[-1]
    assert said.startswith("The 2 pictures have 5 to 7 texts each, not the source's 5")


@pytest.mark.parametrize(
    ("asking", "own", "other", "number"),
    [("q_p", "i2t_R", "t2i_R", 12), ("q_t", "t2i_R", "i2t_R", 60)],
)
def test_a_direction_that_was_not_asked_has_no_value_and_neither_has_the_sum(
    asking, own, other, number
):
    evidence, run, *ranks = world([5] * 12)
    evidence.queries = evidence.queries[evidence.queries["query_id"].str.startswith(asking)]
    protocol = PROTOCOLS["crossmodal"]
    made = protocol.judge(evidence, None)  # the judgements know both directions
    values = measure({"r": run}, made, protocol, protocol.metrics)
    assert values.loc[values["metric"].isin([other, "Rsum", "mR"]), "value"].isna().all()
    table = summarise(values).set_index("metric")
    found = ranks[asking == "q_t"]
    assert table.loc[own, "mean"].tolist() == pytest.approx([(found < k).mean() for k in CUTOFFS])
    assert (table.loc[own, "scored"] == number).all()
    who = "pictures" if asking == "q_p" else "texts"
    assert made.notes[0].startswith(f"Only {who} are asked: {other} has no value")


def test_where_nothing_tells_pictures_from_texts_no_direction_has_a_value():
    evidence, run, *_ = world([5, 5])
    evidence.queries = None
    protocol = PROTOCOLS["crossmodal"]
    made = protocol.judge(evidence, None)
    assert measure({"r": run}, made, protocol, protocol.metrics)["value"].isna().all()
    assert made.notes[0].startswith("Nothing says which queries are pictures")
    assert measure({"r": run}, made, protocol, "Success@1")["value"].notna().all()


@pytest.mark.parametrize("protocol", ["context", "crossmodal", "hashing", "trec"])
def test_of_the_judged_queries_only_those_that_are_asked_count(protocol):
    evidence, run, *_ = world([5, 5])
    evidence.queries = evidence.queries[evidence.queries["text"] != ""]
    evidence.qrels = qrels_of_queries(evidence.qrels, evidence.queries)
    made = PROTOCOLS[protocol].judge(evidence, None)
    assert made.query_ids == tuple(f"q_t{n}" for n in range(10))
    counted = counts({"r": run}, made, protocol).iloc[0]
    assert counted["total"] == 10 and counted["no_results"] == 0
    assert qrels_of_queries(None, evidence.queries) is None


def without_picture(*queries):
    """The world of two pictures with five texts each, some queries taken away."""
    evidence, run, *_ = world([5, 5])
    evidence.queries = evidence.queries[~evidence.queries["query_id"].isin(queries)]
    evidence.qrels = evidence.qrels[~evidence.qrels["query_id"].isin(queries)]
    return PROTOCOLS["crossmodal"].judge(evidence, None), run


def test_a_text_whose_picture_does_not_ask_leaves_the_sum_without_a_value():
    made, run = without_picture("q_p1")
    protocol = PROTOCOLS["crossmodal"]
    table = summarise(measure({"r": run}, made, protocol, protocol.metrics))
    means = table.set_index("metric")["mean"]
    assert means[["Rsum", "mR"]].isna().all() and table["scored"].tolist()[-2:] == [0, 0]
    said = next(note for note in made.notes if "have no value" in note)
    assert said.startswith("The picture of 5 of 10 texts does not itself ask for texts")
    assert "such as that of 'q_t5'" in said
    added = with_sums(table).set_index("metric")["mean"]
    six = means[["i2t_R", "t2i_R"]].sum()
    assert added[["Rsum", "mR"]].tolist() == pytest.approx([six, six / 6])


def test_a_picture_that_was_not_run_leaves_the_sum_of_that_run_without_a_value():
    made, run = without_picture()
    assert not any("have no value" in note for note in made.notes)
    run.attrs["not_run"] = {"q_p1": "no vector"}
    table = summarise(measure({"r": run}, made, "crossmodal", "i2t_R@1 t2i_R@1 Rsum"))
    assert table["scored"].tolist() == [1, 10, 0]
    run.attrs["not_run"] = {f"q_t{n}": "no vector" for n in range(10)}
    table = summarise(measure({"r": run}, made, "crossmodal", "i2t_R@1 t2i_R@1 Rsum"))
    assert table["scored"].tolist() == [2, 0, 0]  # one direction alone is no sum of both


def test_sums_are_of_the_six_means_of_each_run_and_of_nothing_less():
    rows = [("a", way, k, n / 6, n, 9) for way, n in (("i2t_R", 1), ("t2i_R", 2)) for k in CUTOFFS]
    rows += [("b", "i2t_R", k, 0.5, 4, 9) for k in CUTOFFS]
    rows += [("b", "t2i_R", k, np.nan, 0, 9) for k in CUTOFFS] + [("b", "Rsum", None, 1.5, 4, 9)]
    columns = ["run", "metric", "cutoff", "mean", "scored", "total"]
    means = pd.DataFrame(rows, columns=columns).astype({"cutoff": "Int64"})
    table = with_sums(means)
    sums = table[table["metric"].isin(["Rsum", "mR"])].set_index(["run", "metric"])
    assert sums["mean"].tolist() == pytest.approx([1.5, 0.25, np.nan, np.nan], nan_ok=True)
    assert sums["scored"].tolist() == [3, 3, 4, 4] and sums["cutoff"].isna().all()
    assert len(table) == 16


@pytest.mark.parametrize("metric", ["mR", "Rsum", "i2t_R@5", "t2i_R@5"])
@pytest.mark.parametrize("query", ["q_p0", "q_t0"])
def test_the_explained_value_is_the_measured_one(metric, query):
    evidence, run, *_ = world([2, 3, 4])
    protocol = PROTOCOLS["crossmodal"]
    made = protocol.judge(evidence, None)
    values = measure({"r": run}, made, protocol, metric).set_index("query_id")["value"]
    found = explain_run(parse(metric)[0], run, made, protocol, query)
    assert found.value == pytest.approx(values[query], nan_ok=True)
    assert found.lines
