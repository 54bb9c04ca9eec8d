"""Types of pairs from labels: what they are, what they cost, and what is refused."""

from __future__ import annotations

import itertools
import json
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.evaluation.protocols import PROTOCOLS, hashing
from dashboard.evaluation.protocols import class_labels as labels
from dashboard.evaluation.protocols.class_labels import labelled_pairs, sets_of
from dashboard.storage.collection.collection import open_collection
from dashboard.tables import DataError
from tests.storage.tiny import ITEMS, make_collection

HASHING = PROTOCOLS["hashing"]
OF_ITEMS = ["cat", "cat, dog", "Dog", "bird", "", "dog,cat"]
OF_QUERIES = ["dog, cat", "cat", "fish", ""]


def tables(of_items=OF_ITEMS, of_queries=OF_QUERIES):
    items = pd.DataFrame({"item_id": [f"i{n}" for n in range(len(of_items))], "labels": of_items})
    queries = pd.DataFrame({"query_id": [f"q{n}" for n in range(len(of_queries))]})
    queries = queries.assign(text="", item_id="", image="", labels=of_queries)
    return queries, items


def evidence(queries, items, qrels=None):
    nothing = {"keywords": None, "query_keywords": None}
    return SimpleNamespace(queries=queries, items=items, qrels=qrels, **nothing)


def grades(pairs):
    return {(row.query_id, row.item_id): int(row.grade) for row in pairs.itertuples()}


def test_the_same_labels_are_type_1_some_in_common_type_2_none_type_3() -> None:
    judged = HASHING.judge(evidence(*tables()), None)
    found = {pair: grade for pair, grade in grades(judged.qrels).items() if grade}
    assert found == {
        ("q0", "i0"): 1, ("q0", "i1"): 2, ("q0", "i2"): 1, ("q0", "i5"): 2,
        ("q1", "i0"): 2, ("q1", "i1"): 1, ("q1", "i5"): 1,
    }  # fmt: skip
    assert judged.unscorable == {"q2": "no relevant item", "q3": "no judged item"}
    table = hashing.types(judged, list(tables()[1]["item_id"]), ["q0", "q1"]).set_index("type")
    assert table["pairs"].to_dict() == {1: 3, 2: 4, 3: 5}
    assert "labels" in judged.notes[0]


def test_labels_give_what_the_same_pairs_written_down_give() -> None:
    rng = np.random.default_rng(4)
    drawn = [", ".join(rng.choice(list("abcdef"), rng.integers(0, 4), replace=False))
             for _ in range(60)]  # fmt: skip
    queries, items = tables(drawn[:40], drawn[40:])
    (asked, there) = sets_of(queries["labels"], items["labels"])
    rows = []
    for (query, own), (item, others) in itertools.product(
        zip(queries["query_id"], asked, strict=True), zip(items["item_id"], there, strict=True)
    ):
        if own and others and own & others:
            rows.append((query, item, 1 if own == others else 2))
    qrels = pd.DataFrame(rows, columns=["query_id", "item_id", "type"]).assign(grade=0.0)
    written = HASHING.judge(evidence(queries, items, qrels), None)
    made = HASHING.judge(evidence(queries, items), None)
    positive = {pair: grade for pair, grade in grades(made.qrels).items() if grade}
    assert positive == grades(written.qrels)
    assert made.relevant.tolist() == written.relevant.tolist()
    assert (made.ideal == written.ideal).all()


@pytest.mark.parametrize(
    "cells", [["a; b, c", "d"], ["a | b, c", "d"], ["['a', 'b']", "d"], ['["a", "b"]', "d"]]
)
def test_several_labels_stand_in_a_cell(cells: list[str]) -> None:
    (first, second), (blank,) = sets_of(cells, [" "])
    assert len(first) == 2 and "a" in first and second == {"d"} and not blank


def test_one_table_without_labels_is_refused_and_without_any_qrels_are_wanted() -> None:
    queries, items = tables()
    with pytest.raises(DataError, match="queries: found no column labels, which the items have"):
        HASHING.judge(evidence(queries.drop(columns="labels"), items), None)
    with pytest.raises(DataError, match="no qrels"):
        HASHING.judge(evidence(queries.drop(columns="labels"), items.drop(columns="labels")), None)


def test_an_item_that_is_a_query_is_refused_as_ever() -> None:
    queries, items = tables()
    with pytest.raises(DataError, match="among the queries"):
        HASHING.judge(evidence(queries.assign(image="i0"), items), None)


def test_pairs_cost_what_they_take_and_too_many_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thousand queries of ten classes on 20,000 items: 2 million pairs, not 20 million."""
    kinds = [f"class {n % 10}" for n in range(20_000)]
    queries, items = tables(kinds, kinds[:1_000])
    tracemalloc.start()
    found = labelled_pairs(queries, items)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 2_000_000
    assert most < 120e6
    monkeypatch.setattr(labels, "MOST_PAIRS", 1_999_999)
    with pytest.raises(DataError, match=r"labels that make 2,000,000 pairs"):
        labelled_pairs(queries, items)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The tiny collection with labels for hashing."""
    place = make_collection(tmp_path / "tiny")
    settings = (place / "collection.toml").read_text()
    (place / "collection.toml").write_text(settings.replace('["alfa"]', '["hashing"]'))
    rows = [f"{i},{i}.mp4,{w}" for i, w in zip(ITEMS, ("x", "x;y", "y", ""), strict=True)]
    (place / "items.csv").write_text("item_id,file,labels\n" + "\n".join(rows) + "\n")
    (place / "queries.csv").write_text("query_id,text,labels\nq1,car,x\nq2,bus,x;y\nq3,cat,z\n")
    return place


def test_a_collection_of_labels_is_checked_and_measured(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["measure", str(folder), "--runs", "v0.2", "--metrics", "nDCG(exp)@4", "--by-query"]
    assert main([*call, "--format", "json"]) == 0
    by_labels = json.loads(capsys.readouterr().out)
    assert [row["query_id"] for row in by_labels if row["value"] is not None] == ["q1", "q2"]
    assert main(["check", str(folder), "--format", "json"]) == 0
    said = [row["found"] for row in json.loads(capsys.readouterr().out)]
    assert "1 of 4 items without labels (v03)" in said
    before = open_collection(folder, allow_path=True).digests["labels"]
    written = "query_id,item_id,type\nq1,v00,1\nq1,v01,2\nq2,v01,1\nq2,v00,2\nq2,v02,2\nq3,v00,3\n"
    (folder / "qrels.csv").write_text(written)
    assert main([*call, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == by_labels
    assert main(["check", str(folder), "--format", "json"]) == 0
    said = [row["found"] for row in json.loads(capsys.readouterr().out)]
    assert "labels in items, queries beside a file of qrels" in said
    assert open_collection(folder, allow_path=True).digests["labels"] != before
    (folder / "qrels.csv").write_text(written.replace("q3,v00,3", "q3,v00,4"))
    assert main(["check", str(folder), "--format", "json"]) == 1
    rows = [row for row in json.loads(capsys.readouterr().out) if row["level"] == "error"]
    assert (rows[0]["line"], rows[0]["found"]) == (7, "the type '4'")


def test_other_labels_are_another_state_of_the_labels(folder: Path) -> None:
    before = open_collection(folder, allow_path=True)
    text = (folder / "items.csv").read_text()
    (folder / "items.csv").write_text(text.replace("v02.mp4,y", "v02.mp4,x"))
    after = open_collection(folder, allow_path=True)
    assert after.digests["labels"] != before.digests["labels"]
    assert after.digest != before.digest
