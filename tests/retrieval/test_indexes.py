"""Search through an index: ordered as exact search orders; later ranks are unknown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import faiss
import numpy as np
import pandas as pd
import pytest

from dashboard.progress import heard_by
from dashboard.retrieval.gallery import Gallery, gallery_of
from dashboard.retrieval.indexes import approximate
from dashboard.retrieval.indexes.indexed import IndexedGallery, gallery_to_search
from dashboard.retrieval.one_query import item_run, text_run
from dashboard.retrieval.runs import run_of
from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.storage.vectors.vectors import Vectors
from dashboard.storage.versions.index_settings import IndexSettings
from tests.storage.tiny import make_collection, unit


def vectors(rows: np.ndarray, letter: str) -> Vectors:
    return Vectors(tuple(f"{letter}{i}" for i in range(len(rows))), unit(rows))


@pytest.fixture(scope="module")
def crowded() -> tuple[Vectors, Vectors]:
    """600 items on a coarse grid: many ties; 100 of them are one vector."""
    rng = np.random.default_rng(3)
    rows = rng.integers(-1, 2, (600, 4)) + 0.001
    rows[100:200] = rows[7]
    return vectors(rows[:20], "q"), vectors(rows, "i")


class Backwards:
    """An exact index that answers equal scores in the wrong order, as servers do."""

    def __init__(self, gallery: Vectors) -> None:
        self.matrix, self.reaches = gallery.matrix, list[int]()

    def nearest(self, queries: np.ndarray, reach: int, rows: np.ndarray | None) -> np.ndarray:
        self.reaches.append(reach)
        known = np.arange(len(self.matrix)) if rows is None else rows
        scores = queries.astype("f8") @ self.matrix[known].astype("f8").T
        order = np.lexsort((-np.broadcast_to(known, scores.shape), -scores.round(6)))[:, :reach]
        return known[order]


@pytest.mark.parametrize("k", [1, 5, 40, 250])
def test_an_exact_index_gives_the_lists_of_exact_search_whatever_its_order(crowded, k: int) -> None:
    queries, gallery = crowded
    own = {name: f"i{name[1:]}" for name in queries.ids}
    for leave_out in (None, own):
        found = IndexedGallery(gallery, Backwards(gallery), 250).search(queries, k, leave_out)
        exact = Gallery(gallery).search(queries, k, leave_out)
        pd.testing.assert_frame_equal(found, exact, check_dtype=False)


class Imprecise:
    """An index that takes scores for equal which differ in the sixth digit only, worst first."""

    def nearest(self, queries: np.ndarray, reach: int, rows: np.ndarray | None) -> np.ndarray:
        return np.broadcast_to(np.arange(reach), (len(queries), reach))


def test_an_index_is_asked_for_more_where_nearly_equal_scores_may_go_on() -> None:
    """Forty items, each 0.0000005 more similar than the one before: the last are the best."""
    cosines = 0.5 + np.arange(40) * 5e-7
    rows = np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1)
    gallery, query = vectors(rows, "i"), vectors(np.array([[1.0, 0.0]]), "q")
    found = IndexedGallery(gallery, Imprecise(), 3).search(query, 3)
    exact = Gallery(gallery).search(query, 3)
    assert found["item_id"].iloc[0] in ("i38", "i39")
    pd.testing.assert_frame_equal(found, exact, check_dtype=False)


def test_a_list_ends_at_the_depth_of_the_index_and_the_rest_is_unknown(crowded) -> None:
    queries, gallery = crowded
    run = IndexedGallery(gallery, Backwards(gallery), 30).search(queries, 1_000)
    assert run["rank"].max() == 30
    assert run.attrs["partial"] == dict.fromkeys(queries.ids, True)
    whole = IndexedGallery(gallery, Backwards(gallery), 600).search(queries, 600)
    assert whole.attrs["partial"] == {}


def test_a_part_of_the_gallery_is_a_filter_of_the_same_index(crowded) -> None:
    queries, gallery = crowded
    some = gallery.ids[3::7]
    index = Backwards(gallery)
    part = IndexedGallery(gallery, index, 20).part(gallery.ids[1:]).part(some)
    exact = Gallery(gallery).part(some).search(queries, 20)
    pd.testing.assert_frame_equal(part.search(queries, 20), exact, check_dtype=False)


def test_an_index_is_asked_for_more_only_where_equal_scores_may_go_on(crowded) -> None:
    queries, gallery = crowded
    index = Backwards(gallery)
    IndexedGallery(gallery, index, 5).search(queries, 5)
    assert index.reaches[0] == 21
    assert max(index.reaches) <= 168


def settings(kind: str, depth: int = 20, **parameters: int) -> IndexSettings:
    return IndexSettings(kind, depth, tuple(parameters.items()))


KINDS = {
    "hnsw": settings("hnsw", M=8, ef_construction=40, ef_search=64),
    "ivf": settings("ivf", nprobe=6),
    "sq8": settings("sq8"),
    "pq": settings("pq", pq_m=8, pq_bits=6),
}


@pytest.fixture
def indexed(tmp_path: Path, monkeypatch) -> Collection:
    """The tiny collection with 500 items more, whose cache folder is its own."""
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    folder = make_collection(tmp_path / "tiny")
    rng = np.random.default_rng(5)
    with (folder / "items.csv").open("a") as items:
        items.writelines(f"x{n},x{n}.mp4,video,\n" for n in range(500))
    place = folder / "models" / "v0.2"
    rows = np.concatenate([np.load(place / "items.npy"), rng.standard_normal((500, 8))])
    np.save(place / "items.npy", rows.astype("f4"))
    with (place / "items.txt").open("a") as ids:
        ids.writelines(f"x{n}\n" for n in range(500))
    return open_collection(folder, allow_path=True)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_finds_most_of_what_exact_search_finds(indexed: Collection, kind: str) -> None:
    model = replace(indexed.models["v0.2"], index=KINDS[kind])
    queries = model.items.rows(model.items.ids[:50]).named([f"q{n}" for n in range(50)])
    found = gallery_to_search(model, indexed.items).search(queries, 20)
    exact = gallery_of(model).search(queries, 20)
    both = found.merge(exact, on=["query_id", "item_id"], suffixes=("", "_exact"))
    assert len(both) >= 0.8 * len(exact)
    assert (both["score"] == both["score_exact"]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_looks_at_a_filtered_part_alone(indexed: Collection, kind: str) -> None:
    model = replace(indexed.models["v0.2"], index=KINDS[kind])
    some = model.items.ids[::3]
    run = (
        gallery_to_search(model, indexed.items)
        .part(some)
        .search(model.items.rows(["v01"]).named(["q"]), 20)
    )
    assert set(run["item_id"].astype("str")) <= set(some)
    assert run.attrs["partial"] == {"q": len(run) == 20}


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_build_the_same_index(indexed: Collection, kind: str) -> None:
    model = replace(indexed.models["v0.2"], index=KINDS[kind])
    builds = [approximate._build(gallery_of(model), KINDS[kind])[0] for _ in range(2)]
    first, second = (approximate._written((index, 0.0)) for index in builds)
    assert first == second


def cells_of(index):
    return index.quantizer.reconstruct_n(0, index.nlist)


def codes_of(index):
    return faiss.vector_to_array(index.pq.centroids)


@pytest.mark.parametrize(
    ("kind", "found_by", "work", "total"),
    [("ivf", cells_of, "finding cells", 10), ("pq", codes_of, "finding codes", 25)],
)
def test_training_is_that_of_one_piece_and_a_reader_who_leaves_ends_it_between_rounds(
    kind: str, found_by: Callable, work: str, total: int
) -> None:
    vectors = unit(np.random.default_rng(4).standard_normal((900, 8)).astype("float32"))
    gallery = Gallery(Vectors(tuple(f"i{n}" for n in range(len(vectors))), vectors))
    settings, rounds = KINDS[kind], []

    def leave(part: str, done: int, total: int) -> None:
        rounds.append((part, done, total))
        if len(rounds) == 4:
            raise InterruptedError

    whole = approximate._empty(8, len(vectors), settings)
    whole.train(vectors)
    built = approximate._build(gallery, settings)[0]
    np.testing.assert_array_equal(found_by(built), found_by(whole))
    with heard_by(leave), pytest.raises(InterruptedError):
        approximate._build(gallery, settings)
    assert rounds == [(work, done, total) for done in range(4)]


def test_an_index_is_built_once_and_a_damaged_file_is_built_again(
    indexed: Collection, monkeypatch, tmp_path: Path
) -> None:
    model, built = indexed.models["v0.2"], []
    build = approximate._build
    monkeypatch.setattr(approximate, "_build", lambda *of: (built.append(1), build(*of))[1])
    for _ in range(3):  # three processes: nothing is in memory
        approximate.index_of(replace(model, index=KINDS["hnsw"]), KINDS["hnsw"])
    assert len(built) == 1
    (file,) = (path for path in (tmp_path / "cache").rglob("*.index"))
    file.write_bytes(file.read_bytes()[:-1])
    approximate.index_of(replace(model, index=KINDS["hnsw"]), KINDS["hnsw"])
    assert len(built) == 2
    few = replace(model, items=model.items.rows(model.items.ids[:40]))
    approximate.index_of(few, KINDS["hnsw"])
    (other,) = (path for path in (tmp_path / "cache").rglob("*.index") if path != file)
    file.write_bytes(other.read_bytes())  # whole, and of another gallery
    index = approximate.index_of(replace(model), KINDS["hnsw"])
    assert len(built) == 4 and index.index.ntotal == len(model.items.ids)


def test_where_the_cache_folder_takes_nothing_the_index_works_all_the_same(
    indexed: Collection, monkeypatch, tmp_path: Path
) -> None:
    """A full disk, and one that cannot be written."""
    (tmp_path / "cache").write_text("a file where the folder would be")
    model = replace(indexed.models["v0.2"], index=KINDS["pq"])
    queries = model.items.rows(model.items.ids[:3]).named(["a", "b", "c"])
    run = gallery_to_search(model, indexed.items).search(queries, 5)
    assert len(run) == 15


def test_a_gallery_of_one_item_has_an_index_of_one() -> None:
    one = vectors(np.ones((1, 4)), "i")
    for kind in ("hnsw", "ivf", "sq8"):
        index, _ = approximate._build(Gallery(one), KINDS[kind])
        found = approximate.FaissIndex(index, KINDS[kind], 0.0, 0)
        run = IndexedGallery(one, found, 20).search(one.named(["q"]), 5)
        assert run["item_id"].tolist() == ["i0"]
        assert run.attrs["partial"] == {}


def test_stored_typed_and_item_queries_go_through_the_index(
    indexed: Collection, monkeypatch
) -> None:
    index, calls = Backwards(indexed.models["v0.2"].items), []
    model = replace(indexed.models["v0.2"], index=settings("hnsw", 3))
    monkeypatch.setitem(indexed.models, "v0.2", model)
    monkeypatch.setattr(approximate, "index_of", lambda *of: (calls.append(of), index)[1])
    run = run_of(indexed, "v0.2")
    assert run.attrs["cut"] == run["rank"].max() == 3
    assert set(run.attrs["partial"]) == {"q1", "q2", "q3", "item_v00", "item_v01"}
    assert len(text_run(indexed, "v0.2", "car", 504)) == 3
    assert len(item_run(indexed, "v0.2", "x7", 504)) == 3
    assert len(calls) == 3
    assert "partial" not in run_of(indexed, "v0.2", exact=True).attrs
    assert len(item_run(indexed, "v0.2", "x7", 504, exact=True)) == 503
    assert len(calls) == 3
