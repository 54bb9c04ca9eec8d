"""The metric that charts show first is one that this collection's data can move."""

from pathlib import Path

import pytest

from dashboard.errors import ChoiceError
from dashboard.storage.collection import open_collection
from dashboard.study.choices import resolve
from tests.plugins.worlds import write_world

PLANE = {name: [1.0, place] for place, name in enumerate("abcdef")}
ITEMS = "item_id\na\nb\nc\nd\ne\nf\n"
ASKED = "query_id,text\nq1,one\nq2,two\n"


@pytest.mark.parametrize(
    ("qrels", "metric", "first"),
    [
        ("q1 0 a 1\nq2 0 b 1\nq2 0 c 0\n", "RR", "RR R@1"),
        ("q1 0 a 1\nq1 0 b 1\nq2 0 b 1\n", "AP", "P@5"),
        ("q1 0 a 2\nq2 0 b 1\n", "nDCG@10", "RR R@1"),
        ("q1 0 a 0\nq2 0 b 0\n", "AP", "P@5"),
    ],
)
def test_judged_pairs(tmp_path: Path, qrels: str, metric: str, first: str) -> None:
    """Success@6 of six items is 1 for any version that ranks them."""
    write_world(tmp_path, "", ITEMS, ASKED, PLANE, {"q1": [1, 0], "q2": [0, 1]}, qrels)
    collection = open_collection(tmp_path)
    assert resolve(collection, {})["metric"] == metric
    assert resolve(collection, {})["metrics"].startswith(first)
    assert resolve(collection, {"metrics": "Success@6 P@3 Success@3"})["metric"] == "Success@3"


def test_classes(tmp_path: Path) -> None:
    items = "item_id,kind\na,x\nb,x\nc,y\nd,y\ne,z\nf,z\n"
    asked = "query_id,item_id\nq1,a\nq2,c\n"
    write_world(tmp_path, 'class_label = "kind"\n', items, asked, PLANE, {})
    assert resolve(open_collection(tmp_path), {})["metric"] == "RR"
    (tmp_path / "queries.csv").write_text("query_id,item_id\n")
    with pytest.raises(ChoiceError, match="no query to search with: queries.csv has no row"):
        resolve(open_collection(tmp_path), {})


def test_low_ceiling_of_keywords(tmp_path: Path) -> None:
    """One relevant clip each: P@10 cannot pass 0.1; P@5 can reach 0.2. R@10 of six is always 1."""
    (tmp_path / "unified_annotation.csv").write_text(
        "slice_id,pv_kind\n" + "".join(f"{name},{name * 3}\n" for name in "abcdef")
    )
    (tmp_path / "query_keywords.csv").write_text(
        "query_id,ngram,group,keyword,score\nq1,one,pv_kind,aaa,0.9\nq2,two,pv_kind,bbb,0.9\n"
    )
    settings = 'groups = ["pv_kind"]\ncutoffs = [5]\n'
    write_world(tmp_path, settings, ITEMS, ASKED, PLANE, {"q1": [1, 0], "q2": [0, 1]})
    assert resolve(open_collection(tmp_path), {})["metric"] == "P@5"
    (tmp_path / "collection.toml").write_text(settings.replace("5", "5, 10"))
    assert resolve(open_collection(tmp_path), {})["metric"] == "R@5"


def test_texts_alone(tmp_path: Path) -> None:
    """Nobody asks with pictures, so i2t_R has no value: the other direction stands first."""
    kinds = zip("abcdef", ["image", "image", *["text"] * 4], strict=True)
    items = "item_id,kind\n" + "".join(f"{name},{kind}\n" for name, kind in kinds)
    qrels = "q1 0 a 1\nq2 0 b 1\n"
    settings = 'protocols = ["crossmodal"]\n'
    write_world(tmp_path, settings, items, ASKED, PLANE, {"q1": [1, 0], "q2": [0, 1]}, qrels)
    assert resolve(open_collection(tmp_path), {})["metric"] == "t2i_R@1"
