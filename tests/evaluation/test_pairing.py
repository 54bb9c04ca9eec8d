"""Which picture each text belongs to, and what a random order would find."""

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.image_text.pairing import chance, of_item, pairing
from dashboard.evaluation.protocols import PROTOCOLS
from tests.evaluation.worlds import World

QUERIES = pd.DataFrame(
    {
        "query_id": ["iw", "iv", "ta", "tb", "tc"],
        "text": ["", "", "a", "b", "c"],
        "item_id": ["w", "v", "", "", ""],
    }
)
PAIRS = [("iv", "a"), ("iv", "b"), ("iw", "c"), ("ta", "v"), ("tb", "v"), ("tc", "w")]
ITEMS = pd.DataFrame({"item_id": list("vwabc"), "side": ["p", "p", "t", "t", "t"]})


def judged(pairs, queries=QUERIES, items=None):
    qrels = pd.DataFrame(pairs, columns=["query_id", "item_id"]).assign(grade=1.0)
    return PROTOCOLS["crossmodal"].judge(World(qrels=qrels, queries=queries, items=items), None)


def test_each_text_has_the_place_of_its_picture():
    found = pairing(judged(PAIRS))
    assert found.pictures == ("w", "v")
    assert dict(zip(found.found, found.owners, strict=True)) == {"a": 1, "b": 1, "c": 0}
    assert dict(zip(found.asking, found.asking_owners, strict=True)) == {"ta": 1, "tb": 1, "tc": 0}


def test_a_text_of_a_picture_that_does_not_ask_is_left_out():
    found = pairing(judged(PAIRS, QUERIES[QUERIES["query_id"] != "iv"]))
    assert found.pictures == ("w",) and found.found == ("c",) and found.asking == ("tc",)


def test_a_text_of_two_pictures_has_no_place():
    with pytest.raises(ValueError, match="the text 'a' belongs to more than one picture"):
        pairing(judged([*PAIRS, ("iw", "a")]))
    with pytest.raises(ValueError, match="the text 'ta' belongs to more than one picture"):
        pairing(judged([*PAIRS, ("ta", "w")]))


def test_a_text_that_asks_nothing_belongs_to_the_pictures_that_ask_for_it():
    both = pd.DataFrame([*PAIRS, ("iw", "a")], columns=["query_id", "item_id"])
    qrels = both.assign(grade=[1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    items, mutual = QUERIES[QUERIES["text"] == ""], PROTOCOLS["crossmodal"]
    found = of_item(qrels, items, "a", mutual)
    assert found.values.tolist() == [["a", "v", 1.0], ["a", "w", 1.0]]
    assert of_item(qrels, items, "b", mutual).values.tolist() == [["b", "v", 0.0]]
    assert of_item(qrels, items, "v", mutual)["item_id"].tolist() == ["a", "b"], "its own query"
    asked_for_twice = pd.concat([items, pd.DataFrame([("i2", "", "v")], columns=items.columns)])
    twice = pd.concat([qrels, pd.DataFrame([("i2", "b", 1.0)], columns=qrels.columns)])
    assert of_item(twice, asked_for_twice, "b", mutual)["grade"].tolist() == [1.0]
    bare = items[items["query_id"] == "iw"]
    assert of_item(qrels, bare, "v", mutual).empty, "texts that ask for it are no items"
    assert of_item(qrels, items, "a", PROTOCOLS["hashing"]).empty, "pairs hold one way"


def test_an_item_that_is_a_text_asks_as_a_text():
    queries = QUERIES.assign(text="", item_id=["w", "v", "a", "b", "c"])
    kinds = ["image", "image", "text", "Text ", "text"]
    items = ITEMS.assign(kind=dict(zip("vwabc", kinds, strict=True)).values())
    made = judged(PAIRS, queries, items)
    assert made.kinds == {"iw": "image", "iv": "image", "ta": "text", "tb": "text", "tc": "text"}
    assert pairing(made).asking == ("ta", "tb", "tc")


def test_pictures_that_are_no_items_have_no_vectors():
    bare = QUERIES.assign(item_id="")
    with pytest.raises(ValueError, match=r"2 pictures that ask are no items \(iw\)"):
        pairing(judged(PAIRS, bare))


def test_texts_without_a_picture_and_pictures_without_a_text_are_said():
    items = pd.concat([ITEMS, pd.DataFrame({"item_id": ["d", "x"], "side": ["t", "p"]})])
    texts, pictures = judged(PAIRS, items=items).notes[-2:]
    assert texts.startswith("1 of 4 texts that can be found belong to no picture that is asked (d)")
    assert pictures.startswith("1 of 3 pictures that can be found belong to no text")
    assert not [note for note in judged(PAIRS, items=ITEMS).notes if "belong to no" in note]


def test_a_ratio_other_than_five_is_said():
    assert any("The 2 pictures have 1 to 2 texts each" in note for note in judged(PAIRS).notes)


def test_chance_is_what_random_orders_find():
    rng = np.random.default_rng(0)
    relevant, gallery = np.array([1, 2, 2, 5]), 20
    ranks = np.array([1, 3, 10, 20, 30])
    first = np.array(
        [[rng.permutation(gallery)[:r].min() + 1 for _ in range(20_000)] for r in relevant]
    )
    drawn = [(first <= rank).mean() for rank in ranks]
    assert chance(ranks, gallery, relevant) == pytest.approx(drawn, abs=0.01)
    assert np.isnan(chance(ranks, gallery, np.array([], dtype=int))).all()
