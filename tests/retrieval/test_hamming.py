"""Hash codes are searched as bits, in the order that their cosines give, and by plain counting."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dashboard.retrieval.gallery import Gallery
from dashboard.storage.vectors.vectors import Vectors


def made(count: int, bits: int, name: str, seed: int) -> Vectors:
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (count, bits))
    ids = tuple(f"{name}{number}" for number in range(count))
    return Vectors(ids, (signs / np.sqrt(bits)).astype("float32"), codes=True)


@pytest.mark.parametrize("bits", [3, 16, 20, 64])
@pytest.mark.parametrize("k", [1, 7, 300])
def test_bits_and_cosines_give_the_same_run(bits: int, k: int) -> None:
    queries, gallery = made(20, bits, "q", 1), made(300, bits, "i", 2)
    plain = [Vectors(v.ids, v.matrix.copy()) for v in (queries, gallery)]
    pd.testing.assert_frame_equal(
        Gallery(gallery).search(queries, k), Gallery(plain[1]).search(plain[0], k)
    )


def test_the_order_is_by_distance_and_then_by_place() -> None:
    queries, gallery = made(2, 16, "q", 3), made(200, 16, "i", 4)
    run = Gallery(gallery).search(queries, 30)
    for number, query in enumerate(queries.ids):
        differ = (gallery.matrix > 0) != (queries.matrix[number] > 0)
        far = differ.sum(axis=1).tolist()
        expected = sorted(range(200), key=lambda place: (far[place], place))[:30]
        mine = run[run["query_id"] == query]
        assert mine["item_id"].tolist() == [f"i{place}" for place in expected]
        scores = [round((16 - 2 * far[place]) / 16, 6) for place in expected]
        assert mine["score"].tolist() == scores
