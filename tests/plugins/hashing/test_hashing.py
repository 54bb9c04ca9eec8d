"""Hash codes: distances, types by pairs and by labels, outputs read by their signs."""

from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.collection import open_collection
from dashboard.views.cards import make_payload
from tests.plugins.worlds import measure_values, open_world, write_world

VECTORS = {  # Hamming distances to q1 (all +1): 0, 1, 1, 2, 4
    "a": [1, 1, 1, 1], "b": [1, 1, 1, -1], "c": [1, 1, -1, 1], "d": [1, 1, -1, -1],
    "e": [-1, -1, -1, -1],
}  # fmt: skip
ITEMS = "item_id,file,labels\na,a,cat\nb,b,dog\nc,c,cat;dog\nd,d,\ne,e,cat\n"
QUERIES = "query_id,image,labels\nq1,x.png,cat\n"
QRELS = "q1 0 a 2\nq1 0 c 1\nq1 0 b 0\nq1 0 e 2\n"
SETTINGS = 'protocols = ["hashing"]\n'


def write(folder: Path, qrels: str = "", vectors: object = None, queries: str = QUERIES) -> Path:
    made = VECTORS if vectors is None else vectors
    asked = {"q1": [1, 1, 1, 1]}
    return write_world(folder, SETTINGS, ITEMS, queries, made, asked, qrels)  # type: ignore[arg-type]


@pytest.mark.parametrize("qrels", [QRELS, ""], ids=["pairs", "labels"])
def test_types_by_pairs_and_by_labels(tmp_path: Path, qrels: str) -> None:
    """Order a b c d e with grades 2 0 1 0 2: hits at 1, 3 and 5."""
    values = measure_values(
        write(tmp_path / "w", qrels), "AP(retrieved)@3 AP(retrieved) nDCG(exp)@3"
    )
    best = 3 + 3 / np.log2(3) + 1 / np.log2(4)
    assert values == {
        "AP(retrieved)@3": [round((1 + 2 / 3) / 2, 9)],
        "AP(retrieved)": [round((1 + 2 / 3 + 3 / 5) / 3, 9)],
        "nDCG(exp)@3": [round((3 + 1 / np.log2(4)) / best, 9)],
    }


def test_real_outputs_are_read_by_their_signs(tmp_path: Path) -> None:
    """Without signs e, the longest shadow of q1, would not be the last."""
    real = {
        "a": [9.0, 0.1, 0.1, 0.1],
        **{k: list(map(float, v)) for k, v in VECTORS.items() if k != "a"},
    }
    assert measure_values(write(tmp_path / "w", QRELS, real), "P@1 RR") == {"P@1": [1], "RR": [1]}


def test_the_sign_of_0_is_plus(tmp_path: Path) -> None:
    """With 0 as +1 b has distance 0; with 0 as -1 it has 3, and is the last."""
    real = {"b": [0.0, 0.0, 0.0, 0.5], "c": [1.0, 1, 1, -1], "a": [1.0, 1, -1, -1]}
    items = "item_id,file\n" + "".join(f"{name},{name}\n" for name in real)
    asked = {"q1": [1.0, 1, 1, 1]}
    folder = write_world(tmp_path / "w", SETTINGS, items, "query_id,image\nq1,x.png\n", real,
                         asked, "q1 0 b 2\nq1 0 c 0\nq1 0 a 0\n")  # fmt: skip
    assert measure_values(folder, "RR") == {"RR": [1]}


def test_codes_of_0_and_1(tmp_path: Path) -> None:
    """Codes of 0 and 1 have the distances of codes of -1 and 1; a code of zeros only is one."""
    codes = {name: [int(bit > 0) for bit in code] for name, code in VECTORS.items()}
    values = measure_values(write(tmp_path / "w", QRELS, codes), "AP(retrieved) RR")
    assert values == measure_values(write(tmp_path / "v", QRELS), "AP(retrieved) RR")


def test_notes_on_results(tmp_path: Path) -> None:
    """Distances 0 to 4 of 4; types by labels, with those in common, and by pairs; on cards, too."""
    for name, qrels in (("labels", ""), ("pairs", QRELS)):
        study = open_world(write(tmp_path / name, qrels))
        found = study.query("q1", ["v1"], 5)
        end = {"labels": ": cat", "pairs": ""}[name]
        assert [row["notes"] for row in found.rows] == [
            ["distance 0 of 4", f"type 1{end}"], ["distance 1 of 4", "type 3"],
            ["distance 1 of 4", f"type 2{end}"], ["distance 2 of 4", "type 3"],
            ["distance 4 of 4", f"type 1{end}"],
        ]  # fmt: skip
        assert [row["notes"] for row in found.ideal] == [
            [f"type 1{end}"], [f"type 1{end}"], [f"type 2{end}"],
        ]  # fmt: skip
        cards = make_payload(found, study.collection, ("v1",), "", 2)["rows"][0]["cards"]
        assert [card["notes"] for card in cards] == [row["notes"] for row in found.rows]


def test_no_notes_without_judgements_or_under_other_protocols(tmp_path: Path) -> None:
    queries = "query_id,image,labels\nq1,x.png,\nq2,y.png,cat\n"
    (row,) = open_world(write(tmp_path / "w", queries=queries)).query("q1", ["v1"], 1).rows
    assert row["notes"] == ["distance 0 of 4"] and row["hit"] is None
    study = open_world(write(tmp_path / "v", QRELS), protocol="trec")
    assert "notes" not in study.query("q1", ["v1"], 1).rows[0]


def test_words_for_no_label(tmp_path: Path) -> None:
    """`d` shares no label with a query that has none."""
    folder = write(tmp_path / "w", queries=QUERIES + "q2,y.png,Unknown\n")
    (folder / "items.csv").write_text(ITEMS.replace("d,d,", "d,d,unknown"))
    assert measure_values(folder, "num_rel")["num_rel"][1] is None
    said = [each.found for each in open_collection(folder).findings]
    assert "the words unknown (1) in the column labels" in said


def test_missing_labels_and_one_class(tmp_path: Path) -> None:
    folder = write(tmp_path / "w", queries="query_id,image,labels\nq1,x.png,\n")
    said = str(open_collection(folder).unread["hashing"])
    assert said.startswith("queries.csv: found no labels and no qrels; expected a column labels")
    with pytest.raises(ValueError, match="no labels and no qrels"):
        measure_values(folder, "P@1")
    same = write(tmp_path / "v")
    (same / "items.csv").write_text("item_id,label\n" + "".join(f"{i},cat\n" for i in VECTORS))
    assert measure_values(same, "AP(retrieved) nDCG(exp)") == {
        "AP(retrieved)": [1.0], "nDCG(exp)": [1.0],
    }  # fmt: skip
    (found,) = [each for each in open_collection(same).findings if each.level == "warning"]
    assert (found.file, found.found) == ("items.csv", "labels of one class only")
