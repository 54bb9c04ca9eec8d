"""Rankings: ties, an item's own query, the threshold, and wanted items at their true ranks."""

from pathlib import Path

import numpy as np
import pytest

from dashboard.retrieval.gallery import Gallery, SortedRanking
from dashboard.retrieval.sources import Run, RunFileSource, Source, VectorSource
from dashboard.storage.runs import list_pairs, read_run
from dashboard.storage.vectors import Vectors


def make_gallery(vectors: np.ndarray, items: np.ndarray, places: np.ndarray) -> Gallery:
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    names = tuple(map(str, items.tolist()))
    return Gallery(Vectors(names, vectors, np.arange(len(items)), lengths), items, places)


def sort_plainly(
    scores: dict[int, float], places: np.ndarray, own: int, depth: int, wanted: list[int]
) -> list[tuple[int, float, int, int, int]]:
    """Return item, score, rank and both ends of its tie of what is asked for, by sorting all."""
    listed = sorted((-score, places[item], item) for item, score in scores.items() if item != own)
    falling = [each[0] for each in listed]
    return [
        (item, -each, rank, falling.index(each) + 1, falling.index(each) + falling.count(each))
        for rank, (each, _, item) in enumerate(listed, start=1)
        if rank <= depth or item in wanted
    ]


def draw_world(seed: int) -> tuple[list[Source], list[dict[int, float]], np.ndarray, np.ndarray]:
    """Return a search and its lists as sources, scores of each query, places and own items.

    Most items have the vector of some other one, and not all items have one.
    """
    rng = np.random.default_rng(seed)
    known, total, queries = int(rng.integers(1, 60)), 70, 9
    items = rng.permutation(total)[:known]
    places = rng.permutation(total) if seed % 2 else np.arange(total)
    distinct = rng.normal(size=(int(rng.integers(1, 12)), 3)).round(1) + 0.01
    vectors = distinct[rng.integers(len(distinct), size=known)]
    gallery = make_gallery(vectors, items, places)
    unit = gallery.vectors.scale(0, known).astype(np.float64)
    asked = gallery.vectors.scale(0, known)[rng.integers(known, size=queries)]
    cosines = np.einsum("qd,id->qi", asked.astype(np.float64), unit).round(6)
    scores = [dict(zip(items.tolist(), row.tolist(), strict=True)) for row in cosines]
    lists = {}
    for query, of in enumerate(scores):
        order = np.array(sorted(of, key=lambda item: (-of[item], places[item])))
        lists[query] = SortedRanking(order, np.array([of[item] for item in order.tolist()]))
    search = VectorSource(gallery, asked, np.arange(queries), {})
    return [search, RunFileSource(lists, {})], scores, places, rng.integers(-1, total, queries)


@pytest.mark.parametrize("seed", range(40))
def test_parts_equal_plain_sorting(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {"MAX_CELLS": 100, "MAX_PRODUCT": 40, "MIN_ROWS": 1, "BIN_BITS": 4}
    for name in limits if seed % 3 else ():
        monkeypatch.setattr(f"dashboard.retrieval.gallery.{name}", limits[name])
    sources, scores, places, own = draw_world(seed)
    rng = np.random.default_rng(seed)
    least = float(rng.choice([-np.inf, -1, 1, *list(scores[0].values())[:3]]))
    wanted = [rng.permutation(70)[: rng.integers(0, 30)].tolist() for _ in scores]
    for source in sources:
        for depth in (0, 1, 5, 200):
            run = Run(source, own, least)
            every = run.find_all(
                np.arange(len(scores)), depth, lambda query: np.array(wanted[query], int)
            )
            for query, (of, found) in enumerate(zip(scores, every, strict=True)):
                plain = sort_plainly(of, places, own[query], depth, wanted[query])
                assert list(zip(*(each.tolist() for each in found[:5]), strict=True)) == plain
                others = [score for item, score in of.items() if item != own[query]]
                assert found.length == len(others)
                assert found.passing == sum(score >= least for score in others)


def test_names_of_several_blocks(tmp_path: Path) -> None:
    """Arrow reads a file by blocks of a million characters, and numbers the names of all."""
    path = tmp_path / "x.trec"
    path.write_text("".join(f"q{n % 997} Q0 d{n // 3} 1 {n}.5 t\n" for n in range(60_000)))
    found = list(list_pairs(read_run(path, path.name, [])))
    assert found == [((f"q{n % 997}", f"d{n // 3}"), n + 0.5) for n in range(60_000)]
