"""Composed queries: only annotated items are ranked, and the reference is none of them."""

from pathlib import Path

import pytest

from dashboard.storage.collection import open_collection
from dashboard.study.new_query import search
from dashboard.views.cards import make_payload
from tests.core.test_screens import draw
from tests.plugins.worlds import call, measure_values, open_world, write_world

ITEMS = "item_id,file\n" + "".join(f"{name},{name}.png\n" for name in "abcdef")
VECTORS = {  # the cosine with (1, 0) falls from a to f
    "a": [1.0, 0.0], "b": [4.0, 1.0], "c": [3.0, 1.0], "d": [2.0, 1.0], "e": [1.0, 1.0],
    "f": [0.0, 1.0],
}  # fmt: skip


def write(folder: Path, qrels: str, image: str = "a.png") -> Path:
    queries = f"query_id,text,image\nq1,longer and red,{image}\n"
    settings = 'protocols = ["composed"]\n'
    return write_world(folder, settings, ITEMS, queries, VECTORS, {"q1": [1.0, 0.0]}, qrels)


def test_annotated_items_only(tmp_path: Path) -> None:
    """Ranked: b (1), d (0), f (1); c and e have no label. AP = (1/1 + 2/3) / 2."""
    folder = write(tmp_path / "w", "q1 0 b 1\nq1 0 d 0\nq1 0 f 1\n")
    values = measure_values(folder, "AP(annotated) P@2 R@2 num_ret Judged@3")
    assert values == {
        "AP(annotated)": [round((1 + 2 / 3) / 2, 9)], "P@2": [0.5], "R@2": [0.5], "num_ret": [3],
        "Judged@3": [1],
    }  # fmt: skip
    shown = make_payload(open_world(folder).query("q1", ["v1"]), open_collection(folder), (), "", 5)
    assert shown["relevant"] == "2 relevant · with a"


@pytest.mark.parametrize("image", ["a.png", "a"])
def test_the_reference_is_never_relevant(tmp_path: Path, image: str) -> None:
    """A label of the reference, named by its file or its id, counts for nothing."""
    folder = write(tmp_path / "w", "q1 0 a 1\nq1 0 b 1\nq1 0 d 0\n", image)
    values = measure_values(folder, "AP(annotated) num_rel num_ret")
    assert values == {"AP(annotated)": [1], "num_rel": [1], "num_ret": [2]}


@pytest.mark.parametrize("settings", ["", 'protocols = ["composed"]'])
def test_a_protocol_that_cannot_tell_versions_apart_says_so(tmp_path: Path, settings: str) -> None:
    folder = write(tmp_path / "w", "q1 0 c 1\n")
    (said,) = [each for each in open_collection(folder).findings if each.level == "warning"]
    assert said.found == "no label 0" and said.wanted.endswith("choose protocol = trec")
    (folder / "collection.toml").write_text(settings)
    assert measure_values(folder, "R@1", protocol="trec") == {"R@1": [0]}
    for qrels in ("q1 0 c 1\n", "q1 0 c 1\nq2 0 d 0\n"):
        (folder / "qrels.txt").write_text(qrels)
        code, _, said = call("measure", folder, "--protocol", "composed")
        assert code == 0
        assert "composed cannot tell versions apart; choose protocol = trec\n" in said
    (folder / "qrels.txt").write_text("q1 0 c 1\nq1 0 d 0\n")
    assert "note" not in call("measure", folder, "--protocol", "composed")[2]
    (folder / "queries.csv").write_text("query_id,text\n")
    assert call("search", folder, "--item", "a", "--protocol", "composed")[0] == 0


def test_a_new_search_ranks_all_items(tmp_path: Path) -> None:
    study = open_world(write(tmp_path / "w", "q1 0 b 1\nq1 0 d 0\n"))
    rows = search(study, ["v1"], item="c", depth=9).rows
    assert len(rows) == 5 and {row["hit"] for row in rows} == {None}


def test_a_query_with_text_and_item_has_its_own_vector(tmp_path: Path) -> None:
    """The vector of the query is searched with, not that of the item that it names."""
    folder = write(tmp_path / "w", "q1 0 a 1\nq1 0 e 0\n")
    (folder / "queries.csv").write_text("query_id,text,item_id\nq1,red,f\n")
    assert measure_values(folder, "AP(annotated)") == {"AP(annotated)": [1]}


def test_an_annotated_item_outside_the_gallery_is_an_error(tmp_path: Path) -> None:
    collection = open_collection(write(tmp_path / "w", "q1 0 b 1\nq1 0 d 0\nq1 0 z 1\n"))
    said = "labels of 1 items outside the gallery (z); expected labels of items of the gallery"
    assert said in str(collection.unread["composed"])
    assert [each.file for each in collection.findings if each.level == "error"] == ["qrels"]


def test_an_annotated_item_without_a_vector_is_an_error(tmp_path: Path) -> None:
    folder = write(tmp_path / "w", "q1 0 b 1\nq1 0 d 0\n")
    (folder / "models" / "v1" / "items.txt").write_text("a\nb\nc\nx\ne\nf")
    (said,) = [each for each in open_collection(folder).findings if each.level == "error"]
    assert (said.file, said.found) == (
        "models/v1/items.npy", "no vector for 1 annotated items (d)",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ("q1 0 b 1\n", "composed cannot tell versions apart; choose protocol = trec"),
        ("q1 0 b 1\nq1 0 d 0\nq2 0 c 1\n", "1 to 2 items for each of 2 queries, of which 1 fulf"),
        ("q1 0 b 1\nq1 0 d 0\nq2 0 c 1\n", "1 of the queries have no label 0"),
    ],
)
def test_the_screen_says_what_labels_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qrels: str, said: str
) -> None:
    folder = write(tmp_path / "data" / "w", qrels)
    with (folder / "queries.csv").open("a") as file:
        file.write("q2,shorter,b.png\n")
    drawn = draw(folder, monkeypatch, "overview")
    assert not drawn.exception
    shown = (*drawn.header, *drawn.caption, drawn.markdown[0])
    told = [each.value.replace("\\", "") for each in shown]
    assert any(said in each for each in told) and "2 text-and-item queries" in told[-1]
    assert ("cannot tell" in told[0]) == ("cannot tell" in said)
