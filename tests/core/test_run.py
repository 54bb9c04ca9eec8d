"""Rankings: ties, an item's own query, the threshold, and wanted items at their true ranks."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dashboard.__main__ import main
from dashboard.retrieval.gallery import Gallery, SortedRanking
from dashboard.retrieval.run import Part, Run
from dashboard.retrieval.sources import RunFileSource, Source, VectorSource
from dashboard.storage.vectors import Vectors


def make_gallery(vectors: np.ndarray, items: np.ndarray, places: np.ndarray) -> Gallery:
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    names = tuple(map(str, items.tolist()))
    return Gallery(Vectors(names, vectors, np.arange(len(items)), lengths), items, places)


def make_run(scores: list[float], own: int = -1, least: float = -np.inf) -> Run:
    cosines = np.array(scores)
    unit = np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1)
    gallery = make_gallery(unit, np.arange(len(scores)), np.arange(len(scores)))
    query = np.array([[1.0, 0.0]], dtype=np.float32)
    return Run(VectorSource(gallery, query, np.array([0]), {}), np.array([own]), least)


def find_part(run: Run, depth: int, wanted: list[int] | None = None) -> Part:
    want = None if wanted is None else lambda query: np.array(wanted)
    (part,) = run.parts(np.array([0]), depth, want)
    return part


def test_equal_scores_keep_gallery_order() -> None:
    part = find_part(make_run([0.5, 0.9, 0.5, 0.9]), 4)
    assert part.item.tolist() == [1, 3, 0, 2]
    assert part.tie_first.tolist() == [1, 1, 3, 3]
    assert part.tie_last.tolist() == [2, 2, 4, 4]


def test_scores_are_rounded_to_6_decimals() -> None:
    part = find_part(make_run([0.1234561, 0.1234564]), 2)
    assert part.score.tolist() == [0.123456, 0.123456]
    assert part.item.tolist() == [0, 1]


def test_own_item_is_left_out() -> None:
    part = find_part(make_run([0.5, 0.9, 0.1], own=1), 3)
    assert part.item.tolist() == [0, 2]
    assert part.length.tolist() == [2]


def test_threshold_ends_the_list_but_not_the_ranks() -> None:
    part = find_part(make_run([0.5, 0.9, 0.1], least=0.5), 1, [2])
    assert (part.passing.tolist(), part.length.tolist()) == ([2], [3])
    assert list(zip(part.item.tolist(), part.rank.tolist(), strict=True)) == [(1, 1), (2, 3)]


def test_wanted_items_once() -> None:
    part = find_part(make_run([0.5, 0.9, 0.1, 0.2]), 2, [1, 2])
    assert part.item.tolist() == [1, 0, 2]
    assert part.rank.tolist() == [1, 2, 4]


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


def draw_world(
    seed: int,
) -> tuple[list[Source], list[dict[int, float]], np.ndarray, np.ndarray]:
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
    limits = {"MAX_CELLS": 100, "MAX_PRODUCT": 40, "BIN_BITS": 4}
    for name in limits if seed % 3 else ():
        monkeypatch.setattr(f"dashboard.retrieval.gallery.{name}", limits[name])
    sources, scores, places, own = draw_world(seed)
    rng = np.random.default_rng(seed)
    least = float(rng.choice([-np.inf, -1, 1, *list(scores[0].values())[:3]]))
    wanted = [rng.permutation(70)[: rng.integers(0, 30)].tolist() for _ in scores]
    for source in sources:
        for depth in (0, 1, 5, 200):
            run = Run(source, own, least)
            (part,) = run.parts(
                np.arange(len(scores)), depth, lambda query: np.array(wanted[query], int)
            )
            rows = [part.row, part.item, part.score, part.rank, part.tie_first, part.tie_last]
            found = list(zip(*(column.tolist() for column in rows), strict=True))
            for query, of in enumerate(scores):
                plain = sort_plainly(of, places, own[query], depth, wanted[query])
                assert [row[1:] for row in found if row[0] == query] == plain
                others = [score for item, score in of.items() if item != own[query]]
                assert part.length[query] == len(others)
                assert part.passing[query] == sum(score >= least for score in others)


def test_other_dimensions_are_refused() -> None:
    source = make_run([0.5]).source
    assert isinstance(source, VectorSource)
    with pytest.raises(ValueError, match="3 dimensions, the items 2"):
        list(source.gallery.rank(np.ones((1, 3), np.float32)))


@pytest.fixture
def tied(tmp_path: Path) -> Path:
    """A collection with one list as vectors and as results, with many equal scores."""
    rng = np.random.default_rng(3)
    items, queries = [f"d{n}" for n in rng.permutation(40)], [f"q{n}" for n in range(25)]
    (tmp_path / "items.csv").write_text("\n".join(["item_id", *items, ""]))
    texts = [f"{query},words" for query in queries]
    (tmp_path / "queries.csv").write_text("\n".join(["query_id,text", *texts, ""]))
    kinds = rng.normal(size=(6, 4))
    vectors, asked = kinds[rng.integers(6, size=40)], rng.normal(size=(25, 4))
    grades = rng.integers(0, 3, size=(25, 40))
    place = tmp_path / "models" / "vectors"
    place.mkdir(parents=True)
    for stem, ids, array in (("items", items, vectors), ("queries", queries, asked)):
        unit = array / np.linalg.norm(array, axis=1, keepdims=True)
        np.save(place / f"{stem}.npy", unit.astype(np.float32))
        (place / f"{stem}.txt").write_text("\n".join([*ids, ""]))
    write_pairs(tmp_path / "qrels.txt", queries, items, lambda q, i: f"0 d{i} {grades[q, i]}")
    unit = [np.load(place / f"{stem}.npy").astype(float) for stem in ("queries", "items")]
    scores = unit[0] @ unit[1].T
    (tmp_path / "runs").mkdir()
    run = tmp_path / "runs" / "results.trec"
    write_pairs(run, queries, items, lambda q, i: f"Q0 d{i} 1 {scores[q, i]:.6f} t")
    return tmp_path


def write_pairs(
    path: Path, queries: list[str], items: list[str], write: Callable[[int, int], str]
) -> None:
    lines = [
        f"{query} {write(q, i).replace(f'd{i} ', f'{item} ')}\n"
        for q, query in enumerate(queries)
        for i, item in enumerate(items)
    ]
    path.write_text("".join(lines))


def test_ties_are_those_of_trec_eval(tied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A list has one order under a protocol, whether vectors or a file brought it."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    with (tied / "qrels.txt").open() as qrels, (tied / "runs" / "results.trec").open() as run:
        judged, found = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"}).evaluate(found)
    metrics = ("--metrics", "nDCG@10", "--by-query", "--format", "json")
    assert main(["measure", str(tied), "--protocol", "trec", *metrics]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["run"] for row in rows} == {"results", "vectors"}
    for row in rows:
        expected = theirs[row["query_id"]]["ndcg_cut_10"]
        assert row["value"] == pytest.approx(expected, abs=1e-12), row
