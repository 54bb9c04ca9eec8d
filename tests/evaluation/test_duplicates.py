"""Copies by hand: what is alike, which is kept, and that leaving out equals never having had it."""

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation import duplicates
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import measure
from dashboard.retrieval.gallery import Gallery
from dashboard.storage.vectors.vectors import Vectors

GALLERY = ["a", "b", "c", "d", "e"]


def vectors(*angles):
    radians = np.radians(angles)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype("float32")


def gallery(ids, matrix):
    return Gallery(Vectors(tuple(ids), matrix))


def pairs(*found):
    return [duplicates.Pair(*each, 1.0) for each in found]


def run(**queries):
    rows = [(q, i, 1 - p / 9, p + 1) for q, items in queries.items() for p, i in enumerate(items)]
    return pd.DataFrame(rows, columns=["query_id", "item_id", "score", "rank"])


def test_vectors_are_alike_from_the_stated_cosine_on():
    found = duplicates.alike(gallery(GALLERY, vectors(0, 11, 23, 90, 90)))
    assert found[0] == ("a", "b", pytest.approx(np.cos(np.radians(11)), abs=1e-6))
    assert [pair[:2] for pair in found] == [("a", "b"), ("d", "e")]
    assert np.cos(np.radians(12)) < duplicates.ALIKE


def test_blocks_do_not_matter(monkeypatch):
    matrix = vectors(*np.random.default_rng(0).uniform(0, 360, 40))
    ids = [f"i{n}" for n in range(40)]
    whole = duplicates.alike(gallery(ids, matrix))
    monkeypatch.setattr(duplicates, "BLOCK", 7)
    assert whole == duplicates.alike(gallery(ids, matrix))
    assert len(whole)


def test_pictures_are_the_same_up_to_the_stated_bits():
    def hashed(bits):
        return np.packbits(np.arange(256) < bits).tobytes()

    known = {"a": hashed(0), "b": hashed(20), "c": hashed(41)}
    found = duplicates.same_picture(known)
    assert found == [("a", "b", 20)]
    assert duplicates.same_picture({}) == []


def test_too_many_items_are_refused(monkeypatch):
    monkeypatch.setattr(duplicates, "MOST", 4)
    with pytest.raises(ValueError, match="5 items are too many"):
        duplicates.alike(gallery(GALLERY, vectors(0, 1, 2, 3, 4)))


def test_all_versions_or_the_pictures_must_say_so():
    v1, v2 = pairs(("a", "b"), ("c", "d")), pairs(("c", "d"))
    assert duplicates.copies(GALLERY, [v1, v2], pairs()) == {"d": "c"}
    assert duplicates.copies(GALLERY, [v1, v2], pairs(("a", "e"))) == {"d": "c", "e": "a"}
    assert duplicates.copies(GALLERY, [], pairs()) == {}


def test_a_copy_of_a_copy_is_a_copy_of_the_first():
    found = duplicates.copies(GALLERY, [], pairs(("b", "e"), ("d", "e"), ("a", "d")))
    assert found == {"b": "a", "d": "a", "e": "a"}


def test_the_first_of_several_is_kept_and_ranks_close_up():
    ranked = run(q1=["d", "c", "b", "a"], q2=["a", "b"])
    ranked.attrs["not_run"] = {"q3": "no vector"}
    kept = duplicates.without(ranked, {"b": "a", "d": "c"}, {})
    assert kept["item_id"].tolist() == ["d", "b", "a"]
    assert kept["rank"].tolist() == [1, 2, 1]
    assert kept.attrs == {"not_run": {"q3": "no vector"}, "left_out": {"q1": 2, "q2": 1}}


def test_copies_of_the_querys_own_item_go():
    kept = duplicates.without(run(q1=["c", "b", "d"]), {"b": "a"}, {"q1": "a"})
    assert kept["item_id"].tolist() == ["c", "d"]
    kept = duplicates.without(run(q1=["c", "a", "d"]), {"b": "a"}, {"q1": "b"})
    assert kept["item_id"].tolist() == ["c", "d"]


def test_categories_and_texts_give_the_same():
    ranked = run(q1=["d", "c", "b", "a"])
    as_categories = ranked.astype({"item_id": "category", "query_id": "category"})
    texts = duplicates.without(ranked, {"b": "a"}, {})
    assert duplicates.without(as_categories, {"b": "a"}, {})["item_id"].tolist() == (
        texts["item_id"].tolist()
    )


def judged(grades, **kept):
    table = pd.DataFrame(
        [("q1", item, grade, grade / 1) for item, grade in grades.items()],
        columns=["query_id", "item_id", "grade", "credit"],
    )
    return Judgement(table, ("q1",), {}, **kept)


def test_metrics_are_those_of_a_gallery_that_never_had_the_copies():
    copy_of = {"b": "a", "e": "c"}
    ranked = run(q1=["b", "a", "d", "c", "e"])
    merged = duplicates.as_one(duplicates.without(ranked, copy_of, {}), copy_of)
    found = duplicates.judged_as_one(
        judged(dict(zip(GALLERY, (1, 1, 0, 1, 1), strict=True))), copy_of
    )
    clean = judged({"a": 1, "c": 1, "d": 1})
    metrics = "P@2 R@2 AP nDCG@3 RR"
    ours = measure({"v": merged}, found, "alfa", metrics)["value"]
    theirs = measure({"v": run(q1=["a", "d", "c"])}, clean, "alfa", metrics)["value"]
    assert ours.tolist() == theirs.tolist()


def test_of_several_judgements_the_best_counts_and_the_own_item_goes():
    found = duplicates.judged_as_one(
        judged({"a": 1, "b": 0, "c": 1, "d": 1}, leave_out={"q1": "d"}), {"b": "a", "d": "c"}
    )
    assert found.qrels[["item_id", "grade"]].to_numpy().tolist() == [["a", 1]]
    assert found.leave_out == {"q1": "c"}
