"""Numbers beyond what a shorter type holds, borders of lists, and which of two values counts."""

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.comparison import changes
from dashboard.evaluation.comparison.compare import compare, deltas
from dashboard.evaluation.comparison.slices import slices_of_relevant
from dashboard.evaluation.measure import measure
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.retrieval.one_query import text_run
from dashboard.retrieval.runs import run_of
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.runs.runs import read_run
from dashboard.views.address import view_of
from tests.evaluation.worlds import World

NEAR = [16_777_217.0, 16_777_216.0, 16_777_215.5, 16_777_215.0]
"""Descending; as float32 the first two are one number, and so are others."""


@pytest.mark.parametrize("form", ["{q} Q0 {i} 0 {s} t", "{q}  Q0\t{i} 0 {s} t", "csv"])
def test_scores_are_read_to_the_last_bit(tmp_path, form):
    ids = ["d", "c", "b", "a"]  # by id, and by gallery, in the opposite order
    path = tmp_path / ("a.csv" if form == "csv" else "a.trec")
    if form == "csv":
        rows = [f"q,{i},{s!r}" for i, s in zip(ids, NEAR, strict=True)]
        path.write_text("\n".join(["query_id,item_id,score", *rows]))
    else:
        rows = [form.format(q="q", i=i, s=repr(s)) for i, s in zip(ids, NEAR, strict=True)]
        path.write_text("".join(f"{row}\n" for row in rows))
    for gallery in (None, sorted(ids)):
        run = read_run(path, "gallery", gallery)
        assert run["item_id"].astype("str").tolist() == ids
        assert run["score"].tolist() == NEAR and run["rank"].tolist() == [1, 2, 3, 4]
    # trec_eval itself compares as float32: equal ones by id, descending
    run = read_run(path, "trec")
    assert run["item_id"].astype("str").tolist() == ids


@pytest.fixture
def recorded(tmp_path):
    """A collection with a file of ten results for each of two queries."""
    folder = tmp_path / "plain"
    (folder / "runs").mkdir(parents=True)
    (folder / "collection.toml").write_text('protocols = ["trec"]\n')
    items = [f"i{n}" for n in range(10)]
    (folder / "items.csv").write_text("\n".join(["item_id", *items]))
    (folder / "queries.csv").write_text("query_id,text\nq1,some words\nq2,other words\n")
    lines = [f"{q} Q0 {i} 0 {-n} t\n" for q in ("q1", "q2") for n, i in enumerate(items)]
    (folder / "runs/a.trec").write_text("".join(lines))
    (folder / "qrels.txt").write_text("q1 0 i0 1\nq2 0 i3 1\n")
    return open_collection(folder, allow_path=True)


@pytest.mark.parametrize("k", [1, 3, 9, 10, 11])
def test_a_recorded_run_gives_as_many_results_as_are_asked_for(recorded, k):
    run = run_of(recorded, "a", depth=k)
    for query in ("q1", "q2"):
        mine = run[run["query_id"] == query]
        assert mine["item_id"].tolist() == [f"i{n}" for n in range(min(k, 10))]
        assert mine["rank"].tolist() == list(range(1, min(k, 10) + 1))
    assert len(text_run(recorded, "a", "some words", k)) == min(k, 10)


def pictures_and_texts(alone):
    """Two pictures with five texts each, and so many pictures that nothing belongs to."""
    pictures = [f"p{n}" for n in range(2 + alone)]
    texts = [f"t{n}" for n in range(10)]
    queries = pd.DataFrame(
        {
            "query_id": [f"q_{p}" for p in pictures] + [f"q_{t}" for t in texts],
            "text": [""] * len(pictures) + ["words"] * 10,
            "item_id": [*pictures, *[""] * 10],
        }
    )
    pairs = [(f"q_p{n // 5}", f"t{n}") for n in range(10)]
    pairs += [(f"q_t{n}", f"p{n // 5}") for n in range(10)]
    qrels = pd.DataFrame(pairs, columns=["query_id", "item_id"]).assign(grade=1.0)
    first = qrels.drop_duplicates("query_id")
    return World(qrels=qrels, queries=queries), first.assign(rank=1, score=1.0)


@pytest.mark.parametrize("alone", [0, 1, 3])
def test_a_sum_of_six_is_at_most_six_whoever_else_asks(alone):
    evidence, run = pictures_and_texts(alone)
    made = PROTOCOLS["crossmodal"].judge(evidence, None)
    table = measure({"r": run}, made, "crossmodal", "Rsum mR i2t_R@1 t2i_R@1")
    means = table.groupby("metric")["value"].agg(["mean", "count"])
    assert means.loc["Rsum"].tolist() == pytest.approx([6, 2])
    assert means.loc["mR"].tolist() == pytest.approx([1, 2])
    assert means.loc["i2t_R"].tolist() == [1, 2] and means.loc["t2i_R"].tolist() == [1, 10]


@pytest.mark.parametrize(
    ("key", "first", "last", "expected"),
    [
        ("baseline", "v0.1", "v0.3", "v0.3"),
        ("candidate", "v0.3", "v0.1", "v0.1"),
        ("metric", "P@1", "nDCG@5", "nDCG@5"),
        ("queries", "text", "item", "item"),
        ("mapping_threshold", "0.2", "0.7", 0.7),
        ("find", "car", "bus", "bus"),
    ],
)
def test_of_a_key_that_stands_twice_in_a_link_the_last_counts(key, first, last, expected):
    view, problems = view_of({"collection": ["driving"], key: [first, last]})
    assert getattr(view, key) == expected and not problems
    view, problems = view_of({"collection": ["driving"], key: [last, "no such thing", first]})
    assert getattr(view, key) != expected and not problems


def test_the_last_collection_and_the_last_scheme_of_a_link_count():
    view, problems = view_of({"collection": ["driving", "openmoji_hashes"], "v": ["99", "1"]})
    assert view.collection == "openmoji_hashes" and not problems
    assert view_of({"collection": ["driving"], "v": ["1", "99"]})[1][0].key == "v"


def versions(baseline, candidate):
    rows = [
        pd.DataFrame({"run": run, "query_id": [f"q{n}" for n in range(len(values))],
                      "metric": "P", "cutoff": 5, "value": values})
        for run, values in (("a", baseline), ("b", candidate))
    ]  # fmt: skip
    return pd.concat(rows, ignore_index=True).astype({"cutoff": "Int64"})


def test_the_least_difference_that_is_one_has_its_sign():
    table = versions([0.5] * 4, [0.5 + 2e-9, 0.5 - 2e-9, 0.5 + 5e-10, 0.5 - 5e-10])
    row = compare(table, "a", "b").iloc[0]
    assert (row["better"], row["same"], row["worse"]) == (1, 2, 1)
    row = compare(table, "b", "a").iloc[0]
    assert (row["better"], row["same"], row["worse"]) == (1, 2, 1)
    assert deltas(table, "a", "b")["query_id"].iloc[[0, -1]].tolist() == ["q1", "q0"]


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e15])
def test_a_comparison_of_large_values_is_that_of_small_ones_times_the_scale(scale):
    rng = np.random.default_rng(1)
    before, after = rng.random((2, 30))
    small = compare(versions(before, after), "a", "b").iloc[0]
    large = compare(versions(before * scale, after * scale), "a", "b").iloc[0]
    for name in ("delta", "low", "high", "baseline", "candidate"):
        assert large[name] == pytest.approx(small[name] * scale, rel=1e-5)
    assert (large["p"], large["p_t"]) == pytest.approx((small["p"], small["p_t"]), abs=2e-3)


@pytest.mark.parametrize("largest", [0.9, 0.3, 0.7, 1.0, 2.3])
def test_many_differences_fall_into_bins_of_their_own_side(largest):
    worse, better = np.linspace(-largest, -0.01, 30), np.linspace(0.02, largest / 2, 25)
    values = np.concatenate([worse, [0.0, 0.0], better])
    table = changes.bins(pd.DataFrame({"delta": values}))
    counted = table.groupby("side")["queries"].sum()
    assert counted.to_dict() == {"worse": 30, "same": 2, "better": 25}
    assert (table.loc[table["side"] == "worse", "high"] <= 1e-12).all()
    assert (table.loc[table["side"] == "better", "low"] >= -1e-12).all()
    for row in table[table["side"] != "same"].itertuples():
        inside = (values > row.low - 1e-9) & (values < row.high + 1e-9) & (np.abs(values) > 1e-9)
        assert inside.sum() >= row.queries
    assert table["queries"].max() < 10 and table["low"].is_monotonic_increasing


@pytest.mark.parametrize(
    ("before", "after", "is_turned"),
    [(1, 0, True), (1, 0.2, False), (0.8, 0, False), (0, 1, False), (1, np.nan, False)],
)
def test_a_query_that_was_right_and_is_wrong_turned(before, after, is_turned):
    found = changes.turned(versions([before], [after]), "a", "b", "P", 5)
    assert found == (["q0"] if is_turned else [])


@pytest.mark.parametrize(
    ("number", "step"),
    [(1, "1"), (2, "2-4"), (4, "2-4"), (5, "5-9"), (9, "5-9"), (10, "10 or more")],
)
def test_the_steps_of_how_many_are_relevant_begin_where_they_say(number, step):
    rows = [("q", f"i{n}", 1.0) for n in range(number)]
    qrels = pd.DataFrame(rows, columns=["query_id", "item_id", "grade"])
    made = PROTOCOLS["trec"].judge(World(qrels=qrels), None)
    assert slices_of_relevant(made)["slice"].tolist() == [step]
