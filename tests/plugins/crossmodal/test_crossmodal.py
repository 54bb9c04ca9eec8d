"""Image-text matching: directions, sides, and metrics of both directions."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from dashboard.evaluation.metrics import parse_one
from dashboard.storage.collection import open_collection
from dashboard.study.changes import describe_gaps, list_changes
from dashboard.study.new_query import search
from dashboard.study.query_result import explain_null
from tests.plugins.worlds import measure_values, open_world, write_world

ITEMS = "item_id,file,kind\np1,p1.png,image\np2,p2.png,image\nt1,,text\nt2,,text\nt3,,text\n"
QUERIES = "query_id,text,item_id\ni1,,p1\ni2,,p2\ns1,red,\ns2,blue,\ns3,sky,\n"
QRELS = "i1 0 t1 1\ni2 0 t2 1\ni2 0 t3 1\ns1 0 p1 1\ns2 0 p2 1\ns3 0 p2 1\n"
VECTORS = {
    "p1": [1.0, 0.0], "p2": [0.0, 1.0], "t1": [1.0, 0.1], "t2": [1.0, 0.2], "t3": [0.9, 1.0],
}  # fmt: skip
ASKED = {"s1": [1.0, 0.1], "s2": [1.0, 0.2], "s3": [0.9, 1.0]}


def write(folder: Path, items: str = ITEMS, queries: str = QUERIES) -> Path:
    return write_world(
        folder, 'protocols = ["crossmodal"]\n', items, queries, VECTORS, ASKED, QRELS
    )


def test_directions_and_their_sum(tmp_path: Path) -> None:
    """Both pictures find a text first; of the texts only s2 finds the wrong picture first.

    One direction alone has no sum.
    """
    folder = write(tmp_path / "w")
    study = open_world(folder)
    found = {q: [row["item_id"] for row in study.query(q, ["v1"], 5).rows] for q in ("i1", "s1")}
    assert found == {"i1": ["t1", "t2", "t3"], "s1": ["p1", "p2"]}
    values = measure_values(folder, "i2t_R@1 t2i_R@1 Rsum", queries="item")
    assert values == {"i2t_R@1": [1, 1], "t2i_R@1": [None, None], "Rsum": [None, None]}
    values = measure_values(folder, "i2t_R@1 t2i_R@1 Rsum mR")
    assert study.find_doubt("AP i2t_R@1") == ""
    clips = open_world(write(tmp_path / "clips", ITEMS.replace("image", "video")))
    assert clips.find_doubt("Rsum t2i_R@20") == (
        "1 for a version that finds all: i2t_R@5, i2t_R@10, as a clip searches 3 texts; "
        "t2i_R@5, t2i_R@10, t2i_R@20, as a text searches 2 clips"
    )
    assert clips.pick_headline(clips.rules.metrics) == "t2i_R@1"
    assert open_world(folder, queries="item").pick_headline("Rsum i2t_R@1 i2t_R@2") == "i2t_R@1"
    assert {row["query_id"] for row in list_changes(study, "v1", "v1", "mR")} == {"i1", "i2"}
    assert len(list_changes(study, "v1", "v1", "t2i_R@1")) == 3
    assert explain_null(study, "v1", 0, parse_one("t2i_R@1")) == "it asks other queries"
    assert values["i2t_R@1"] == [1, 1, None, None, None]
    assert values["t2i_R@1"] == [None, None, 1, 0, 1]
    rsum = [value for value in values["Rsum"] if value is not None]
    six_means = (1 + 1 + 1) + (2 / 3 + 1 + 1)
    assert sum(rsum) / 2 == pytest.approx(six_means)
    assert values["mR"][0] == pytest.approx(rsum[0] / 6)
    assert values["Rsum"][2:] == [None, None, None]


def test_no_vector_of_any_text(tmp_path: Path) -> None:
    """What cannot be found was not run: pictures have no value, and there is no sum."""
    folder = write(tmp_path / "w")
    for name in ("items.npy", "items.txt"):
        (folder / "models" / "v1" / name).unlink()
    np.save(folder / "models" / "v1" / "items.npy", np.eye(2))
    (folder / "models" / "v1" / "items.txt").write_text("p1\np2")
    values = measure_values(folder, "i2t_R@1 t2i_R@1 Rsum mR")
    assert values["t2i_R@1"] == [None, None, 1, 0, 1]
    assert {*values["i2t_R@1"], *values["Rsum"], *values["mR"]} == {None}
    said = "no vector of any item that the query may find"
    assert open_world(folder).query("i1", ["v1"], 5).problems == {"v1": said}


def test_results_of_one_direction(tmp_path: Path) -> None:
    """Pictures were not run, and there is no sum; of the texts s2 and s3 have found nothing."""
    folder = write(tmp_path / "w")
    shutil.rmtree(folder / "models")
    (folder / "runs").mkdir()
    (folder / "runs" / "v1.trec").write_text("s1 Q0 p1 1 2 t\n")
    values = measure_values(folder, "i2t_R@1 i2t_MdR t2i_R@1 Rsum mR")
    assert values.pop("t2i_R@1") == [None, None, 1, 0, 0]
    assert {value for each in values.values() for value in each} == {None}
    left_out = "Queries not scored, left out of means: 2 (v1 has no results for any image query)."
    told = {"note": [left_out], "warning": ["Queries without results, which count as 0: 2 of 3."]}
    assert describe_gaps(open_world(folder), ["v1", "v1"]) == told


def test_an_item_that_is_no_stored_query_searches_the_other_side(tmp_path: Path) -> None:
    study = open_world(write(tmp_path / "w", queries=QUERIES.replace("i2,,p2\n", "")))
    found = search(study, ["v1"], item="p2", depth=5)
    assert {row["item_id"] for row in found.rows} == {"t1", "t2", "t3"}
    assert {row["hit"] for row in found.rows} == {None}


def test_queries_and_items_without_a_pair_are_said_and_have_no_value(tmp_path: Path) -> None:
    """Nothing belongs to s3, and t4 to no picture; the others keep their values."""
    items, queries = ITEMS + "t4,,text\n", QUERIES + "s4,sea,\n"
    folder = write(tmp_path / "w", items, queries)
    (folder / "qrels.txt").write_text(QRELS.replace("s3 0 p2 1\n", ""))
    said = [each.found for each in open_collection(folder).findings if each.file == "qrels"]
    assert said == [
        "2 queries that nothing belongs to (s3, s4)",
        "1 texts that belong to no query (t4)",
    ]
    assert measure_values(folder, "t2i_R@1")["t2i_R@1"] == [None, None, 1, 0, None, None]
    findings = open_collection(write(tmp_path / "x", ITEMS.replace("p2.png,image", "p2.png,")))
    assert any("1 of no kind (p2)" in each.found for each in findings.findings)


@pytest.mark.parametrize("metric", ["Rsum", "mR", "i2t_R@1"])
def test_a_slice_has_one_value(tmp_path: Path, metric: str) -> None:
    """p1 has one text and p2 two: weights of the whole are not those of a slice."""
    queries = "query_id,text,item_id,by,also\ni1,,p1,x,u\ni2,,p2,y,u\ns1,red,,x,v\n"
    queries += "s2,blue,,y,v\ns3,sky,,y,v\n"
    folder = write(tmp_path / "w", queries=queries)
    shutil.copytree(folder / "models" / "v1", folder / "models" / "v2")
    np.save(folder / "models" / "v2" / "queries.npy", np.array([[0.1, 1], [0.1, 1], [1, 0.1]]))
    study = open_world(folder)
    listed = {row["slice"]: row["delta"] for row in study.compare_slices("v1", "v2", metric)}
    crossed = study.cross_slices("v1", "v2", metric, "by", "also")
    means = {(r["slice"], r["run"]): r["mean"] for r in study.list_slice_means(["v1"], metric)}
    for name in ("by=x", "by=y"):
        (row,) = open_world(folder, slice=name).compare("v1", "v2", metric)
        assert listed[name] == pytest.approx(row["delta"], abs=1e-12)
        assert means[name, "v1"] == pytest.approx(row["baseline"], abs=1e-12)
        (cell,) = [each["delta"] for each in crossed if each["slice"] == name]
        assert cell == pytest.approx(row["delta"], abs=1e-12)
