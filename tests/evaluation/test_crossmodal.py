"""Ranks of pictures and captions against a plain loop; the eight numbers and their notes."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.evaluation.image_text import vector_ranks as counting
from dashboard.evaluation.image_text.recalls import matching, summarised
from dashboard.evaluation.image_text.vector_ranks import (
    Ranks,
    ranks_of_similarity,
    ranks_of_vectors,
)
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.rankings import from_lists

RNG = np.random.default_rng(3)


def by_sorting(similarity, owners):
    """The usual loop: sort each row and column, look where the right answer stands."""
    images, captions = similarity.shape
    rows = np.argsort(-similarity, axis=1, kind="stable")
    columns = np.argsort(-similarity, axis=0, kind="stable")
    first = [np.flatnonzero(owners[rows[i]] == i)[:1] + 1 for i in range(images)]
    return (
        [int(rank[0]) if len(rank) else 0 for rank in first],
        [int(np.flatnonzero(columns[:, c] == owners[c])[0]) + 1 for c in range(captions)],
    )


@st.composite
def worlds(draw):
    images, captions = draw(st.integers(1, 7)), draw(st.integers(1, 15))
    levels = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return rng.integers(0, levels, (images, captions)) / 4, rng.integers(0, images, captions)


@given(worlds(), st.integers(1, 40), st.sampled_from([np.float32, np.float64]))
@settings(max_examples=150, deadline=None)
def test_ranks_equal_a_stable_sort_ties_and_blocks_included(world, cells, kind):
    similarity, owners = world
    before, counting._CELLS = counting._CELLS, cells
    try:
        found = ranks_of_similarity(similarity.astype(kind), owners)
    finally:
        counting._CELLS = before
    assert (found.images.tolist(), found.captions.tolist()) == by_sorting(similarity, owners)


@given(worlds())
@settings(max_examples=80, deadline=None)
def test_ranks_of_vectors_equal_those_of_their_products(world):
    similarity, owners = world
    captions = np.eye(similarity.shape[1], dtype=np.float32)
    found = ranks_of_vectors(similarity.astype(np.float32), captions, owners)
    assert (found.images.tolist(), found.captions.tolist()) == by_sorting(similarity, owners)


def test_a_score_does_not_beat_itself_by_rounding():
    # copies of one vector: every product is the same number, whatever the block adds up first
    one = RNG.standard_normal(512).astype(np.float32)
    one /= np.linalg.norm(one)
    for length in (1, 40):
        images, captions = np.tile(length * one, (50, 1)), np.tile(one, (250, 1))
        found = ranks_of_vectors(images, captions, np.repeat(np.arange(50), 5))
        assert found.images.tolist() == list(range(1, 251, 5))
        assert found.captions.tolist() == np.repeat(np.arange(1, 51), 5).tolist()


def test_more_captions_than_a_byte_can_count_stand_before_the_answer(monkeypatch):
    monkeypatch.setattr(counting, "_CELLS", 800)  # the answer is not in the first block of 400
    similarity = np.vstack([np.zeros(700), np.append(np.ones(699), 0.5)])
    owners = np.append(np.zeros(699, dtype=int), 1)
    found = ranks_of_similarity(similarity, owners)
    assert found.images.tolist() == [1, 700]
    assert (found.images.tolist(), found.captions.tolist()) == by_sorting(similarity, owners)


def test_vectors_of_nothing_but_zeros_are_all_alike():
    found = ranks_of_vectors(np.zeros((3, 2)), np.zeros((6, 2)), np.array([0, 0, 1, 1, 2, 2]))
    assert found.images.tolist() == [1, 3, 5]
    assert found.captions.tolist() == [1, 1, 2, 2, 3, 3]


def test_order_of_captions_does_not_matter_without_ties():
    images, captions = RNG.standard_normal((9, 16)), RNG.standard_normal((31, 16))
    owners = RNG.integers(0, 9, 31)
    order = RNG.permutation(31)
    plain, shuffled = (
        ranks_of_vectors(images, captions[rows], owners[rows]) for rows in (np.arange(31), order)
    )
    assert plain.images.tolist() == shuffled.images.tolist()
    assert plain.captions[order].tolist() == shuffled.captions.tolist()


def test_memory_beyond_the_inputs_stays_small():
    images = RNG.standard_normal((1_500, 64), dtype=np.float32)
    captions = np.repeat(images, 5, axis=0)
    tracemalloc.start()
    ranks_of_vectors(images, captions, np.repeat(np.arange(1_500), 5))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # the whole table would be 45 MB, its flags 11 MB more


@pytest.mark.parametrize(
    ("owners", "said"),
    [
        ([0, 1], "3 captions, but 2 say which image"),
        ([0, 1, 2], "Caption 2 belongs to image 2, but images count from 0 to 1"),
        ([0, -1, 1], "Caption 1 belongs to image -1"),
        ([0, 0.5, 1], "Caption 1 belongs to image 0.5"),
    ],
)
def test_a_map_that_does_not_fit_is_refused(owners, said):
    with pytest.raises(ValueError, match=said):
        ranks_of_similarity(np.zeros((2, 3)), np.array(owners))


def test_values_that_are_not_numbers_are_refused_by_row():
    with pytest.raises(ValueError, match="Row 1 of the similarities"):
        ranks_of_similarity(np.array([[0.0], [np.nan]]), np.array([0]))
    with pytest.raises(ValueError, match="Row 0 of the captions"):
        ranks_of_vectors(np.ones((1, 2)), np.array([[np.inf, 0]]), np.array([0]))
    with pytest.raises(ValueError, match="2 dimensions and the captions 3"):
        ranks_of_vectors(np.ones((1, 2)), np.ones((1, 3)), np.array([0]))


def test_the_eight_numbers_of_a_perfect_model():
    vectors = np.eye(20)
    found = matching(vectors, np.repeat(vectors, 5, axis=0), np.repeat(np.arange(20), 5))
    table = found.table.set_index(["metric", "cutoff"])
    assert table["mean"].tolist() == [1] * 6 + [6, 1]
    assert table["percent"].tolist() == [100] * 6 + [600, 100]
    assert table["scored"].tolist() == [20] * 3 + [100] * 3 + [120] * 2
    assert found.notes == ()
    assert found.test == ""


def test_another_ratio_and_cutoffs_too_large_are_said():
    found = summarised(Ranks(np.array([7, 0]), np.array([1, 1, 2])), np.array([0, 0, 0]))
    assert found.table["scored"].tolist() == [1, 1, 1, 3, 3, 3, 4, 4]
    assert found.table["mean"].tolist()[:3] == [0, 0, 1]
    ratio, captions, images, without = found.notes
    assert ratio == (
        "2 images and 3 captions: from 0 to 3 captions an image, where the protocol has 5."
    )
    assert captions == "There are only 3 captions: R@5 and R@10 are 1 by definition."
    assert images == "There are only 2 images: R@5 and R@10 are 1 by definition."
    assert without == "1 images have no caption and are not scored."


def test_coco_tests_of_a_thousand_are_options_with_their_names():
    images = RNG.standard_normal((5_000, 8), dtype=np.float32)
    captions = np.repeat(images, 5, axis=0) + RNG.standard_normal((25_000, 8), dtype=np.float32)
    owners = np.repeat(np.arange(5_000), 5)
    first, five = (matching(images, captions, owners, test) for test in ("1K", "five-fold 1K"))
    assert first.test.startswith("COCO 1K test")
    assert five.test.startswith("COCO five-fold 1K test")
    assert first.table["total"].tolist()[:4] == [1_000, 1_000, 1_000, 5_000]
    assert five.table["total"].tolist()[:4] == [5_000, 5_000, 5_000, 25_000]
    parts = [
        matching(images[s : s + 1_000], captions[5 * s : 5 * s + 5_000], owners[:5_000]).table[
            "mean"
        ]
        for s in range(0, 5_000, 1_000)
    ]
    assert first.table["mean"].tolist() == parts[0].tolist()
    assert five.table["mean"].tolist() == pytest.approx(np.mean(parts, axis=0).tolist())
    with pytest.raises(ValueError, match="needs 5,000 images; there are 4,000"):
        matching(images[:4_000], captions[:20_000], owners[:20_000], "five-fold 1K")
    with pytest.raises(ValueError, match="no test '2K'"):
        matching(images, captions, owners, "2K")


@pytest.mark.parametrize("test", ["whole", "1K"])
def test_texts_that_ask_may_have_other_vectors_than_those_that_are_found(test):
    images = RNG.standard_normal((1_000, 8), dtype=np.float32)
    owners, order = np.repeat(np.arange(1_000), 2), RNG.permutation(2_000)
    found, asking = (
        images[owners] + RNG.standard_normal((2_000, 8), dtype=np.float32) for _ in range(2)
    )
    both = matching(images, found, owners, test, (asking[order], owners[order]))
    one, other = (matching(images, each, owners).table["mean"].tolist() for each in (found, asking))
    assert both.table["mean"].tolist()[:6] == pytest.approx([*one[:3], *other[3:6]])
    assert one[3:6] != other[3:6]
    same = matching(images, found, owners, test, (found.copy(), owners))
    assert same.table["mean"].tolist() == one


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:failed to import `ujson`")
def test_the_5k_test_equals_eccv_captions_on_cocos_own_truth():
    import eccv_caption

    theirs = eccv_caption.Metrics()
    truth = theirs.coco_gts["t2i"]
    caption_ids = np.array(sorted(truth))
    image_ids = np.array(sorted(theirs.coco_gts["i2t"]))
    owners = np.searchsorted(image_ids, [truth[caption][0] for caption in caption_ids])
    images = RNG.standard_normal((5_000, 16), dtype=np.float32)
    captions = images[owners] + RNG.standard_normal((25_000, 16), dtype=np.float32)
    found = matching(images, captions, owners)
    assert found.test == "5K test"
    lists = {
        "i2t": nearest(images, captions, image_ids, caption_ids),
        "t2i": nearest(captions, images, caption_ids, image_ids),
    }
    ours = found.table.set_index(["metric", "cutoff"])["mean"]
    for k in (1, 5, 10):
        for way, value in theirs.coco_5k_recalls(lists, "all", K=k).items():
            assert 0.1 < value < 1
            assert ours[f"{way}_R", k] == pytest.approx(value, abs=1e-12)


def nearest(queries, gallery, query_ids, gallery_ids):
    """The ids of the ten best of each query, best first."""
    lists = {}
    for start in range(0, len(queries), 500):
        scores = queries[start : start + 500] @ gallery.T
        few = np.argpartition(-scores, 10, axis=1)[:, :10]
        order = np.argsort(-np.take_along_axis(scores, few, axis=1), axis=1)
        best = gallery_ids[np.take_along_axis(few, order, axis=1)]
        ids = query_ids[start : start + 500].tolist()
        lists |= dict(zip(ids, best.tolist(), strict=True))
    return lists


def test_metrics_of_a_run_are_the_recalls_of_one_direction():
    rankings = from_lists([[0, 1, 1], [1], [0, 0]], relevant=[5, 5, 5])
    values = {str(m): m(rankings).tolist() for m in parse("i2t_R@1 t2i_R@5 Rsum mR")}
    assert values["i2t_R@1"] == [0, 1, 0]
    assert values["t2i_R@5"] == [1, 1, 0]
    assert values["Rsum"] == [2, 3, 0]
    assert values["mR"] == pytest.approx([2 / 3, 1, 0])
