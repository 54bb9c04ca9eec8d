"""Search against plain numpy: the same items in the same order, however many are asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.retrieval.gallery import Gallery
from dashboard.storage.vectors.vectors import Vectors
from tests.storage.tiny import unit


def vectors(rows: np.ndarray, letter: str) -> Vectors:
    return Vectors(tuple(f"{letter}{i}" for i in range(len(rows))), unit(rows))


def reference(queries: Vectors, gallery: Vectors, k: int) -> list[list[str]]:
    scores = queries.matrix.astype("f8") @ gallery.matrix.astype("f8").T
    order = np.argsort(-scores.round(6), axis=1, kind="stable")[:, :k]
    return [[gallery.ids[place] for place in row] for row in order]


def found(
    queries: Vectors, gallery: Vectors, k: int, own: dict[str, str] | None = None
) -> list[list[str]]:
    run = Gallery(gallery).search(queries, k, own)
    assert run["rank"].min() == 1
    groups = run.groupby("query_id", observed=False)["item_id"]
    return [group.astype("str").tolist() for _, group in groups]


@pytest.fixture(scope="module")
def crowded() -> tuple[Vectors, Vectors]:
    """2,000 items on a coarse grid: many duplicates, many ties; 200 of them are one vector."""
    rng = np.random.default_rng(3)
    rows = rng.integers(-1, 2, (2_000, 5)) + 0.001
    rows[300:500] = rows[7]
    gallery = vectors(rows, "i")
    return vectors(rows[:40], "q"), gallery


@pytest.mark.parametrize("k", [1, 3, 5, 10, 100, 1_999, 2_000, 2_000_000_000])
def test_the_order_is_that_of_numpy_with_ties_by_gallery_order(crowded, k: int) -> None:
    queries, gallery = crowded
    assert found(queries, gallery, k) == reference(queries, gallery, k)


def test_the_first_result_is_the_head_of_the_first_five(crowded) -> None:
    queries, gallery = crowded
    five = found(queries, gallery, 5)
    assert found(queries, gallery, 1) == [row[:1] for row in five]
    assert found(queries, gallery, 3) == [row[:3] for row in five]


def test_one_query_alone_finds_what_it_finds_among_others(crowded) -> None:
    queries, gallery = crowded
    alone = [found(queries.rows([name]), gallery, 7)[0] for name in queries.ids]
    assert alone == found(queries, gallery, 7)


def test_equal_vectors_stand_in_gallery_order_for_every_k() -> None:
    gallery = vectors(np.ones((50, 4)), "i")
    for k in (1, 3, 5, 50):
        assert found(vectors(np.ones((1, 4)), "q"), gallery, k) == [list(gallery.ids[:k])]


def test_the_item_itself_is_left_out_and_its_copies_stay(crowded) -> None:
    queries, gallery = crowded
    own = {name: f"i{name[1:]}" for name in queries.ids}
    every = reference(queries, gallery, 2_000)
    for k in (1, 5, 2_000):
        expected = [[i for i in row if i != f"i{q}"][:k] for q, row in enumerate(every)]
        assert found(queries, gallery, k, own) == expected
    assert len(found(queries, gallery, 9_999, own)[0]) == 1_999


def test_leaving_out_what_is_far_away_or_nothing_changes_nothing(crowded) -> None:
    queries, gallery = crowded
    last = reference(queries, gallery, 2_000)[0][-1]
    own = {"q0": last, "q1": "unknown", "q2": "i2"}
    expected = reference(queries, gallery, 6)
    expected[2] = [item for item in expected[2] if item != "i2"]
    found_now = found(queries, gallery, 5, own)
    assert [row[:5] for row in expected] == found_now


def test_no_result_ever_comes_from_nowhere() -> None:
    gallery = vectors(np.eye(3), "i")
    run = Gallery(gallery).search(vectors(np.eye(3), "q"), 10)
    assert len(run) == 9
    assert run["item_id"].notna().all()
    assert run["score"].between(-1, 1).all()


def test_no_queries_find_nothing() -> None:
    gallery = vectors(np.eye(3), "i")
    assert Gallery(gallery).search(Vectors((), gallery.matrix[:0]), 5).empty


def test_wrong_calls_are_refused() -> None:
    gallery = vectors(np.eye(3), "i")
    with pytest.raises(ValueError, match="k = 0"):
        Gallery(gallery).search(gallery, 0)
    with pytest.raises(ValueError, match="4 dimensions, the items 3"):
        Gallery(gallery).search(vectors(np.eye(4), "q"), 1)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), items=st.integers(1, 300), k=st.integers(1, 400))
def test_any_gallery_of_any_size(seed: int, items: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    gallery = vectors(rng.integers(-2, 3, (items, 3)) + 0.1, "i")
    queries = vectors(rng.standard_normal((3, 3)), "q")
    assert found(queries, gallery, k) == reference(queries, gallery, k)


def test_the_order_does_not_depend_on_float_width() -> None:
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((500, 16))
    halved = Vectors(tuple(f"i{i}" for i in range(500)), unit(unit(rows).astype("f8")))
    queries = vectors(rows[:5], "q")
    assert found(queries, vectors(rows, "i"), 20) == found(queries, halved, 20)


def test_similarities_and_fetched_vectors_are_those_of_the_named_items(crowded) -> None:
    gallery = Gallery(crowded[1])
    some, others = ["i7", "i3", "i700"], ["i1", "i2"]
    rows = np.array([gallery.vectors.matrix[int(name[1:])] for name in some])
    assert np.array_equal(gallery.fetch(some), rows)
    assert np.allclose(gallery.similarities(some, others), rows @ gallery.fetch(others).T)
    with pytest.raises(KeyError, match="gone"):
        gallery.fetch(["i1", "gone"])


def test_the_nearest_of_an_item_are_those_of_a_search_without_it(crowded) -> None:
    gallery = Gallery(crowded[1])
    near = gallery.nearest(["i40", "gone"], 5)
    best = gallery.search(crowded[1].rows(["i40"]), 5, {"i40": "i40"})
    assert list(near) == ["i40"]
    cosines = [cosine for _, cosine in near["i40"]]
    assert np.allclose(cosines, best["score"], atol=1e-6)
    few = gallery.part_of(pd.Index(["i40", "i9", "none", "i3"]))
    assert few.ids == ("i3", "i9", "i40")
    assert {other for other, _ in gallery.nearest(["i40"], 5, few)["i40"]} == {"i3", "i9"}
    assert [len(near) for near in gallery.nearest(["i40", "i3"], 5, few).values()] == [2, 2]
    nothing = gallery.part_of(pd.Index([], dtype="str"))
    assert gallery.nearest(["i40"], 5, nothing) == {"i40": []}


@pytest.mark.parametrize("bits", [8, 20, 64, 100])
def test_distances_are_counted_bit_by_bit(bits: int) -> None:
    rng = np.random.default_rng(bits)
    signs = rng.choice([-1.0, 1.0], (30, bits)).astype("float32") / np.float32(np.sqrt(bits))
    codes = Vectors(tuple(f"i{n}" for n in range(30)), signs, codes=True)
    asking = codes.rows([f"i{n}" for n in range(5, 12)])
    wanted = ((asking.bits[[2, 0], None] != codes.bits).sum(axis=2)).tolist()
    assert Gallery(codes).distances(asking)(np.array([2, 0])).tolist() == wanted


def test_a_part_of_a_gallery_finds_its_items_alone(crowded) -> None:
    queries, vectors_ = crowded
    part = Gallery(vectors_).part(["i9", "gone", "i4"])
    run = part.search(queries, 5)
    assert part.ids == ("i9", "i4")
    assert set(run["item_id"].astype("str")) == {"i9", "i4"}
