"""The keywords of an item are looked up, in the order of the annotation."""

import pandas as pd

from dashboard.evaluation.keywords_of_items import KeywordsOfItems

ROWS = [
    ("b", "type", "car"),
    ("a", "type", "bicyclist"),
    ("b", "scene", "urban"),
    ("a", "scene", "car"),
]
TABLE = pd.DataFrame(ROWS, columns=["item_id", "group", "keyword"], dtype="str")


def test_items_that_have_keywords_come_as_the_annotation_has_them():
    found = KeywordsOfItems(TABLE).of(["none", "a", "b", "a"])
    assert list(found.items()) == [
        ("b", [("type", "car"), ("scene", "urban")]),
        ("a", [("type", "bicyclist"), ("scene", "car")]),
    ]


def test_of_one_item_the_keywords_are_a_set_and_others_have_none():
    found = KeywordsOfItems(TABLE)
    assert found["a"] == {("type", "bicyclist"), ("scene", "car")}
    assert found.get("none") is None and len(found) == 2 and list(found) == ["b", "a"]


def test_which_of_many_items_have_a_keyword_is_told_by_their_places():
    found = KeywordsOfItems(TABLE)
    places = found.places(["a", "none", "b", "a"])
    assert places.tolist() == [1, -1, 0, 1]
    for pair in [*map(tuple, TABLE[["group", "keyword"]].to_numpy()), ("type", "none")]:
        have = found.have(pair, places.reshape(2, 2))
        expected = [pair in found.get(item, frozenset()) for item in ("a", "none", "b", "a")]
        assert have.ravel().tolist() == expected and have.shape == (2, 2), pair


def test_without_rows_nothing_has_a_keyword():
    found = KeywordsOfItems(TABLE.iloc[:0])
    assert found.of(["a"]) == {} and not found and found.get("a") is None
    assert not found.have(("type", "car"), found.places(["a"])).any()
