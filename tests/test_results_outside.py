"""Results that are no item of the collection keep their rank, everywhere, and are counted."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.evaluation.coverage import is_outside, outside, outside_said
from dashboard.storage.collection.collection import open_collection
from tests.storage.tiny import ITEMS, make_collection
from tests.test_screens import cards, opened, said

PROTOCOLS = {
    "trec": "P@1 P@5 RR AP nDCG@5 R@5 Success@1",
    "hashing": "AP(retrieved)@5 nDCG(exp)@5 P@5",
    "composed": "AP(annotated) P@5",
    "context": "CAG(DCG)@5 CG(per=image)@5 ERR@5",
    "crossmodal": "Success@1 Success@5",
}
GRADES = {"trec": [0, 1, 2, 3], "hashing": [1, 2], "composed": [0, 1], "context": [0, 40, 80, 100]}
"""What each protocol takes for a grade; `crossmodal` takes 1."""


def judged_world(folder, protocol):
    """A collection with judgements and two runs; the first spends half of its places on ids that
    the collection does not have."""
    make_collection(folder)
    shutil.rmtree(folder / "models")
    for name in ("unified_annotation.csv", "vocabulary.toml"):
        (folder / name).unlink()
    (folder / "collection.toml").write_text(f'title = "Runs"\nprotocols = ["{protocol}"]\n')
    texts = "".join(f"q{n},text {n},\n" for n in range(6))
    (folder / "queries.csv").write_text(f"query_id,text,item_id\n{texts}")
    random, grades = np.random.default_rng(3), GRADES.get(protocol, [1])
    lines = [f"q{q} 0 {i} {random.choice(grades)}\n" for q in range(6) for i in ITEMS[q % 2 :]]
    (folder / "qrels.txt").write_text("".join(lines))
    (folder / "runs").mkdir()
    for run, others in (("a", ["zz0", "zz1"]), ("b", [])):
        rows = []
        for query in range(6):
            items = random.permutation(ITEMS)[: 4 - len(others)]
            ids = random.permutation([*items, *others])
            rows += [f"q{query} Q0 {i} 1 {9 - place / 8} x\n" for place, i in enumerate(ids)]
        (folder / "runs" / f"{run}.trec").write_text("".join(rows))
    return folder


def call(capsys, *arguments):
    code = main([*map(str, arguments), "--format", "json"])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_what_is_no_item_keeps_its_place_in_the_first_rank(tmp_path, capsys):
    folder = judged_world(tmp_path / "w", "trec")
    (folder / "qrels.txt").write_text("q0 0 v00 1\n")
    ids = ["zz1", "zz2", "zz3", "zz4", "v00"]
    rows = [f"q0 Q0 {item} 1 {9 - n} x\n" for n, item in enumerate(ids)]
    (folder / "runs" / "a.trec").write_text("".join(rows))
    own = ["--metrics", "P@1 RR"]
    code, found, err = call(capsys, "measure", folder, "--runs", "a", *own)
    assert code == 0
    assert [row["mean"] for row in found] == [0.0, pytest.approx(0.2)]
    assert (
        "warning: a: 4 of 5 results are no items of the collection (zz1, zz2, zz3 …), of 1 query; "
        "they keep their rank, and those without a judgement count as not relevant" in err
    )


def test_what_is_no_item_but_judged_relevant_is_a_hit_as_the_sentence_says(tmp_path, capsys):
    folder = judged_world(tmp_path / "w", "trec")
    (folder / "qrels.txt").write_text("q0 0 v00 1\nq0 0 zz1 1\n")
    rows = [f"q0 Q0 {item} 1 {9 - n} x\n" for n, item in enumerate(["zz1", "zz2", "v00"])]
    (folder / "runs" / "a.trec").write_text("".join(rows))
    _, found, err = call(capsys, "measure", folder, "--runs", "a", "--metrics", "P@1 P@2")
    assert [row["mean"] for row in found] == [1.0, 0.5]
    assert "2 of 3 results are no items" in err and "those without a judgement count as" in err


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_collection_and_its_plain_files_give_the_same_numbers(protocol, tmp_path, capsys):
    folder = judged_world(tmp_path / "w", protocol)
    own = ["--protocol", protocol, "--metrics", PROTOCOLS[protocol], "--by-query"]
    _, here, err = call(capsys, "measure", folder, *own)
    files = ["--qrels", folder / "qrels.txt"]
    files += ["--run", folder / "runs/a.trec", "--run", folder / "runs/b.trec"]
    _, there, _ = call(capsys, "measure", *files, *own)
    assert here == there
    assert "warning: a: 12 of 24 results are no items of the collection (zz" in err
    assert "warning: b" not in err
    condensed = protocol in ("composed", "context")
    assert ("left out, as every result that nobody judged" in err) == condensed
    assert ("keep their rank" in err) == (not condensed)


def test_check_compare_report_and_search_say_how_many(tmp_path, capsys):
    folder = judged_world(tmp_path / "w", "trec")
    _, found, _ = call(capsys, "check", folder)
    text = json.dumps(found)
    assert "12 results that are no items (zz0, zz1)" in text
    pair = ["--baseline", "a", "--candidate", "b"]
    page = tmp_path / "r.html"
    for command in (["compare", folder, *pair], ["report", folder, *pair, "-o", page]):
        _, _, err = call(capsys, *command)
        assert "a: 12 of 24 results are no items of the collection" in err
    written = page.read_text()
    assert "a: 12 of 24 results are no items of the collection" in written
    assert "not in the collection" in written, "the placeholder of a result that is no item"
    _, found, err = call(capsys, "search", folder, "text 1", "--model", "a", "-k", "9")
    assert [row["rank"] for row in found] == list(range(1, 5))
    hits = {row["item_id"]: row["hit"] for row in found}
    assert {item: hits[item] for item in hits if item.startswith("zz")} == {
        "zz0": False,
        "zz1": False,
    }
    assert "a: 2 of 4 results are no items of the collection" in err


def test_a_side_and_copies_leave_what_is_no_item_in_its_place(tmp_path, capsys):
    folder = judged_world(tmp_path / "w", "trec")
    items = (folder / "items.csv").read_text().splitlines()
    sides = ["side", "clips", "clips", "texts", "texts"]
    joined = [f"{row},{side}" for row, side in zip(items, sides, strict=True)]
    (folder / "items.csv").write_text("\n".join(joined))
    (folder / "queries.csv").write_text("query_id,text,item_id,among\nq0,text 0,,clips\n")
    (folder / "qrels.txt").write_text("q0 0 v01 1\n")
    ids = ["zz1", "v02", "v01", "zz2", "v00"]
    rows = [f"q0 Q0 {item} 1 {9 - n} x\n" for n, item in enumerate(ids)]
    (folder / "runs" / "a.trec").write_text("".join(rows))
    _, found, _ = call(capsys, "measure", folder, "--runs", "a", "--metrics", "RR")
    assert found[0]["mean"] == 0.5
    _, found, _ = call(
        capsys, "measure", folder, "--runs", "a", "--metrics", "RR", "--copies", "left_out"
    )
    assert found[0]["mean"] == 0.5


def test_results_of_some_queries_and_of_none():
    run = pd.DataFrame(
        {"query_id": ["q", "q", "r"], "item_id": ["z", "a", "y"], "rank": [1, 2, 1], "score": 1.0}
    )
    assert is_outside(run, ["a"]).tolist() == [True, False, True]
    found = outside({"v": run, "w": run.iloc[1:2]}, ["a"], only=["q"])
    assert found.to_dict("records") == [
        {"run": "v", "results": 1, "of": 2, "queries": 1, "first": ("z",)}
    ]
    sentence = outside_said(found, condensed=False)["v"]
    assert sentence.startswith("1 of 2 results is no item of the collection (z), of 1 query;")
    assert outside({}, ["a"]).empty and outside({"v": run.iloc[:0]}, ["a"]).empty


@pytest.fixture
def world(tmp_path, monkeypatch):
    from dashboard.storage.collection import collection as collections

    judged_world(tmp_path / "outside", "trec")
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path)


@pytest.mark.parametrize("screen", ["overview", "compare", "slices"])
def test_screens_say_how_many(screen, world):
    app = opened(screen, collection="outside", baseline="a", candidate="b")
    assert not app.exception
    assert "a: 12 of 24 results are no items of the collection (zz" in said(app)


def test_a_card_stands_for_what_is_no_item(world):
    app = opened("query", collection="outside", baseline="a", candidate="b", query="q1", shown="10")
    assert not app.exception
    told = cards(app)
    first = told["rows"][0]
    assert [each["rank"] for each in first["results"]] == list(range(1, 5))
    assert "2 of 4 results are no items of the collection" in first["note"]
    beyond = [item for item in told["items"] if item["id"].startswith("zz")]
    assert len(beyond) == 2
    for item in beyond:
        assert (item["hit"], item["problem"]) == (False, "not in the collection")
        assert item["note"] == f"{item['id']} is not in the collection" and "why" not in item
    assert first["judged"] <= 2 and first["number"] == 4, "nobody judged what is no item"


def test_the_collection_opens_with_them(tmp_path):
    folder = judged_world(tmp_path / "w", "trec")
    assert open_collection(folder, allow_path=True).findings.empty
