"""Rankings: ties, an item's own query, the threshold, and wanted items at their true ranks."""

import numpy as np
import pytest

from dashboard.next.retrieval.gallery import Gallery
from dashboard.next.retrieval.run import Run
from dashboard.next.retrieval.sources import VectorSource


def make_run(scores: list[float], own: int = -1, least: float = -np.inf) -> Run:
    cosines = np.array(scores)
    unit = np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1).astype(np.float32)
    gallery = Gallery(unit, np.arange(len(scores)))
    query = np.array([[1.0, 0.0]], dtype=np.float32)
    return Run(VectorSource(gallery, query, np.array([0]), {}), np.array([own]), least)


def find_part(run: Run, depth: int, wanted: list[int] | None = None):
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


def test_order_equals_a_plain_sort_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    unit = rng.normal(size=(300, 8))
    unit = (unit / np.linalg.norm(unit, axis=1)[:, None]).astype(np.float32)
    monkeypatch.setattr("dashboard.next.retrieval.gallery.MAX_CELLS", 700)
    monkeypatch.setattr("dashboard.next.retrieval.gallery.MAX_PRODUCT", 100)
    found = list(Gallery(unit, np.arange(300)).rank(unit[:20]))
    cosines = (unit[:20].astype(float) @ unit.astype(float).T).round(6)
    for ranking, row in zip(found, cosines, strict=True):
        assert ranking.items.tolist() == np.lexsort((np.arange(300), -row)).tolist()
        np.testing.assert_allclose(ranking.scores, np.sort(row)[::-1], atol=1e-12)


def test_other_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="3 dimensions, the items 2"):
        list(make_run([0.5]).source.gallery.rank(np.ones((1, 3), np.float32)))  # type: ignore[attr-defined]
