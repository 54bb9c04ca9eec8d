"""Bounds over the order of ties, against every order that there is."""

from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

from dashboard.plugins.hashing.ties import RISING, bound_values, list_bounds
from tests.plugins.hashing.test_hashing import QRELS, QUERIES, SETTINGS, write
from tests.plugins.worlds import measure_values, open_world, write_world

CUT = [f"{name}@{k}" for name in RISING if name != "Rprec" for k in (1, 2, 3, 4, 6)]
NAMES = [*CUT, *(f"AP(retrieved)@{k}" for k in range(1, 7)), "AP(retrieved)", "AP", "Rprec", "RR"]


def test_bounds_by_hand(tmp_path: Path) -> None:
    """Order a (b c) d e, hits a, c and e: only b and c have equal distances.

    AP(retrieved)@2 is (1 + 2/2) / 2 = 1 with c second; with b second it is a's 1 as well.
    AP(retrieved)@3 is (1 + 2/3) / 2 with b before c, and 1 with c before b.
    """
    study = open_world(write(tmp_path / "w", QRELS))
    for metric, low, mean, high in [
        ("P@2", 0.5, 0.5, 1), ("AP(retrieved)@2", 1, 1, 1), ("AP(retrieved)@3", 5 / 6, 5 / 6, 1),
        ("P(H<=2)", None, 0.5, None), ("P@5", 0.6, 0.6, 0.6),
    ]:  # fmt: skip
        (row,) = list_bounds(study, ["v1"], metric)
        assert row == pytest.approx({"run": "v1", "low": low, "mean": mean, "high": high})


def order_all(folder: Path, names: list[str], codes: np.ndarray, qrels: str) -> Iterator[Path]:
    """Yield a world for every order of items with equal distances to a code of 1."""
    groups: dict[int, list[int]] = {}
    for place, code in enumerate(codes):
        groups.setdefault(int((code < 0).sum()), []).append(place)
    orders = product(*(permutations(groups[each]) for each in sorted(groups)))
    for number, order in enumerate(orders):
        places = [place for group in order for place in group]
        items = "item_id,file\n" + "".join(f"{names[p]},{names[p]}\n" for p in places)
        vectors = {names[p]: codes[p].tolist() for p in places}
        asked = {"q1": [1.0] * codes.shape[1]}
        yield write_world(folder / str(number), SETTINGS, items, QUERIES, vectors, asked, qrels)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_those_of_all_orders(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = list("abcdef")
    codes = np.where(rng.random((6, 2)) < 0.5, 1.0, -1.0)
    grades = rng.integers(0, 3, 6)
    grades[0] = 2
    qrels = "".join(f"q1 0 {name} {grade}\n" for name, grade in zip(names, grades, strict=True))
    worlds = list(order_all(tmp_path, names, codes, qrels))
    found = [measure_values(world, " ".join(NAMES)) for world in worlds]
    study = open_world(worlds[0])
    assert any(each != found[0] for each in found)
    for name in found[0]:
        values = [each[name][0] for each in found]
        bounds = bound_values(study, "v1", name)
        assert bounds is not None
        assert [float(each[0]) for each in bounds] == pytest.approx(
            [min(values), max(values)], abs=1e-8
        ), name


def test_bounds_end_at_the_threshold_and_keep_null(tmp_path: Path) -> None:
    """Above a cosine of 0.4 are a, and b and c of one distance; q2 has nothing relevant."""
    folder = write(tmp_path / "w", QRELS + "q2 0 b 0\n", queries=QUERIES + "q2,y.png,dog\n")
    np.save(folder / "models" / "v1" / "queries.npy", np.ones((2, 4)))
    (folder / "models" / "v1" / "queries.txt").write_text("q1\nq2\n")
    study = open_world(folder, min_similarity="0.4")
    for name, low, high in [("AP", (1 + 2 / 3) / 3, 2 / 3), ("AP(retrieved)@9", 5 / 6, 1)]:
        bounds = bound_values(study, "v1", name)
        assert bounds is not None
        assert [each.tolist() for each in bounds] == [
            pytest.approx([low, np.nan], nan_ok=True), pytest.approx([high, np.nan], nan_ok=True),
        ]  # fmt: skip
