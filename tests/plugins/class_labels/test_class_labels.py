"""The same class is relevant, but never the query's own item."""

from pathlib import Path

from dashboard.storage.collection import open_collection
from dashboard.study.new_query import search
from tests.plugins.worlds import measure_values, open_world, write_world

ITEMS = "item_id,file,species\na,a,cat\nb,b,dog\nc,c,cat\nd,d,fox\ne,e,\n"
QUERIES = "query_id,item_id,text,species\nx,a,,\ny,d,,\nz,,a dog,dog\nw,,anything,\n"
VECTORS = {"a": [5, 0], "b": [4, 1], "c": [3, 2], "d": [2, 3], "e": [5, 1]}


def write(folder: Path, settings: str, items: str = ITEMS) -> Path:
    asked = {"z": [1, 0], "w": [0, 1]}
    return write_world(folder, settings, items, QUERIES, VECTORS, asked)  # type: ignore[arg-type]


def test_same_class(tmp_path: Path) -> None:
    """X finds e, b, c and only c is a cat; no other fox; z finds a, e, b; w has no class."""
    folder = write(tmp_path / "w", 'class_label = "species"\n')
    assert measure_values(folder, "RR num_rel") == {
        "RR": [round(1 / 3, 9), None, round(1 / 3, 9), None],
        "num_rel": [1, None, 1, None],
    }
    assert any(
        "1 of 4 queries without a class" in each.found for each in open_collection(folder).findings
    )


def test_capitals_make_no_class_and_a_comma_in_a_list_none(tmp_path: Path) -> None:
    capitals = ITEMS.replace("c,c,cat", "c,c,CAT")
    comma = ITEMS.replace("c,c,cat", 'c,c,"[""cat, wild""]"').replace("d,d,fox", "d,d,cat")
    for name, items in (("w", capitals), ("v", comma)):
        folder = write(tmp_path / name, 'class_label = "species"\n', items)
        assert measure_values(folder, "num_rel")["num_rel"][0] == 1
    assert measure_values(folder, "num_rel")["num_rel"][1] == 1  # a and d
    said = open_collection(tmp_path / "w").findings
    assert "differ by capitals alone (CAT, cat)" in "".join(map(str, said))


def test_words_for_no_class(tmp_path: Path) -> None:
    """`d`, which y asks with, and `e` are of no class, and not of one class; x still finds c."""
    items = ITEMS.replace("d,d,fox", "d,d,Unknown").replace("e,e,", "e,e,unknown")
    folder = write(tmp_path / "w", 'class_label = "species"\n', items)
    assert measure_values(folder, "num_rel")["num_rel"][:2] == [1, None]
    said = [each.found for each in open_collection(folder).findings]
    assert "the words Unknown (1), unknown (1) in the column species" in said


def test_all_items_of_a_class_are_equally_relevant(tmp_path: Path) -> None:
    """x, of the class cat, finds e, b and c; c is a cat and a dog, at rank 3.

    Only of a cell that is no list it is said that it holds two classes.
    """
    items = ITEMS.replace("c,c,cat", 'c,c,"cat, dog"')
    items = items.replace("d,d,fox", 'd,d,"[""fox"", ""hen""]"')
    folder = write(tmp_path / "w", 'class_label = "species"\n', items)
    assert measure_values(folder, "nDCG")["nDCG"][0] == 0.5
    said = [each.found for each in open_collection(folder).findings if each.level == "note"]
    assert "1 items with several classes in the column species" in said


def test_what_tells_nothing_apart_is_refused(tmp_path: Path) -> None:
    missing = write(tmp_path / "v", 'class_label = "genus"\n')
    assert "a column genus" in str(open_collection(missing).unread["class_labels"])
    one = write(tmp_path / "u", 'class_label = "species"\n', "item_id,species\na,cat\nb,cat\n")
    assert "one class" in str(open_collection(one).unread["class_labels"])


def test_an_item_that_is_no_stored_query_is_judged_by_its_own_class(tmp_path: Path) -> None:
    study = open_world(write(tmp_path / "w", 'class_label = "species"\n'))
    found = search(study, ["v1"], item="c", depth=4)
    hits = {row["item_id"]: row["hit"] for row in found.rows}
    assert hits == {"a": True, "b": False, "d": False, "e": None}
    assert found.asked["class"] == "species: cat"
    notes = {row["item_id"]: row.get("notes") for row in found.rows}
    assert notes == {"a": ["cat"], "b": ["dog"], "d": ["fox"], "e": None}
