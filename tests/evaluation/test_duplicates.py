"""Copies by hand: what is alike, which is kept, and that leaving out equals never having had it."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.evaluation import duplicates
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import measure
from dashboard.retrieval import near_pairs
from dashboard.retrieval.gallery import Gallery
from dashboard.storage.vectors.vectors import Vectors
from dashboard.tables import DataError

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


@st.composite
def versions(draw):
    """Two versions of a few items, some of them copies, and the cosine that is close."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    number, width = draw(st.integers(2, 60)), draw(st.sampled_from([2, 3, 16, 40]))
    sizes = random.permutation(np.geomspace(1, draw(st.sampled_from([1, 0.01])), width))
    first = random.standard_normal((number, width)) * sizes
    copied = random.integers(0, number, number // 2)
    first[: number // 2] = first[copied] * random.uniform(0.5, 2, (len(copied), 1))
    first += random.standard_normal((number, width)) * sizes * draw(st.sampled_from([0, 0.1]))
    second = first + random.standard_normal((number, width)) * sizes * 0.05
    ids, spaces = [f"i{place}" for place in range(number)], []
    for matrix, own in ((first, np.arange(number)), (second, np.arange(1, number))):
        unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        spaces.append(gallery([ids[place] for place in own], unit[own].astype("float32")))
    return ids, spaces


@given(versions())
@settings(max_examples=100, deadline=None)
def test_a_search_for_copies_gives_those_of_comparing_each_with_each(world):
    ids, spaces = world
    pairs_of = []
    for space in spaces:
        unit = space.vectors.unit.astype("float64")
        close = np.argwhere(np.triu((unit @ unit.T).round(6) >= duplicates.ALIKE, k=1))
        pairs_of.append(pairs(*((space.ids[one], space.ids[other]) for one, other in close)))
        assert sorted(zip(*space.close_pairs(duplicates.ALIKE), strict=True)) == [
            *map(tuple, close)
        ]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(duplicates, "MOST", 1)
        patched.setattr(near_pairs, "ROWS", 16)
        patched.setattr(near_pairs, "COLUMNS", 20)
        patched.setattr(near_pairs, "FEWEST", 1)
        patched.setattr(near_pairs, "COMPARISON", 0)
        found = duplicates.copies_by_vectors("many", ids, spaces)
    assert found == duplicates.copies(ids, pairs_of, [])


def test_a_search_for_copies_takes_items_that_are_just_alike_to_both_versions(monkeypatch):
    """To `v1` all are alike; to `v2` a and b have the least cosine that is, a and c one less."""
    at_limit, below = (np.degrees(np.arccos(cosine)) for cosine in (0.98, 0.97999))
    v1 = gallery("abc", vectors(0, 0, 0))
    v2 = gallery("abc", vectors(0, at_limit, -below))
    for most in (2, 3):  # searched, and each compared with each
        monkeypatch.setattr(duplicates, "MOST", most)
        assert duplicates.copies_by_vectors("three", "abc", [v1, v2]) == {"b": "a"}


def test_few_and_many_items_have_the_same_copies(monkeypatch):
    random = np.random.default_rng(0)
    matrix = random.standard_normal((300, 24))
    matrix[100:200] = matrix[:100] + random.standard_normal((100, 24)) * 0.2
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    space = gallery([f"i{n}" for n in range(300)], unit.astype("float32"))
    few = duplicates.copies_by_vectors("many", space.ids, [space])
    assert 20 < len(few) < 100
    monkeypatch.setattr(duplicates, "MOST", 299)
    assert duplicates.copies_by_vectors("many", space.ids, [space]) == few
    assert duplicates.copies_by_vectors("many", space.ids, []) == {}


@pytest.mark.parametrize(
    ("room", "limit", "most", "message"),
    [
        (near_pairs, "MOST_PAIRS", 9, "found more than 9 pairs of items are alike; wanted"),
        (duplicates, "LARGEST", 4, "found 5 items; wanted at most 4 to look for near-duplicates"),
    ],
    ids=["pairs", "items"],
)
def test_a_gallery_that_is_too_large_is_refused(room, limit, most, message, monkeypatch):
    monkeypatch.setattr(duplicates, "MOST", 4)
    monkeypatch.setattr(room, limit, most)
    with pytest.raises(DataError, match=f"many: {message}.*Let them be counted"):
        duplicates.copies_by_vectors("many", GALLERY, [gallery(GALLERY, vectors(0, 0, 0, 0, 0))])


@pytest.mark.slow
def test_a_search_for_copies_keeps_to_little_memory_and_few_products():
    random = np.random.default_rng(1)
    matrix = random.standard_normal((15_000, 64), dtype="float32")
    matrix[1::100] = matrix[::100]
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    tracemalloc.start()
    first, second = near_pairs.find_close_pairs(unit, duplicates.ALIKE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert list(zip(first, second, strict=True)) == [(n, n + 1) for n in range(0, 15_000, 100)]
    assert peak < 40e6 < 15_000**2 / 2, "no table of items × items"


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
