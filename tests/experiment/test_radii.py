"""Precision and recall within each Hamming radius, counted from codes where rankings are long."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.experiment import judging, memory, ranking
from dashboard.experiment.collection import collections
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.protocols import hash_codes
from dashboard.retrieval import runs

BITS, ITEMS, TEXTS = 7, 40, 9
SOME = ("q1", "q2", "q4", "own")


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    memory.forget()
    yield
    memory.forget()


def world(folder: Path, seed: int, sides: bool) -> Path:
    """Codes of few bits, so that many are equal, and types drawn by chance. One query is an
    item of the gallery and judged by nobody; one text has no code, one nothing relevant."""
    rng = np.random.default_rng(seed)
    place = folder / "models" / "codes"
    place.mkdir(parents=True)
    items, texts = [f"i{n:02}" for n in range(ITEMS)], [f"q{n}" for n in range(TEXTS)]
    (folder / "collection.toml").write_text('protocols = ["hashing"]\n')
    side = rng.choice(["left", "right"], ITEMS)
    table = pd.DataFrame({"item_id": items, "kind": "image", "caption": ""})
    queries = pd.DataFrame({"query_id": [*texts, "own"], "text": [*texts, ""], "item_id": ""})
    queries.loc[TEXTS, "item_id"] = items[3]
    if sides:
        table["side"], queries["among"] = side, [*rng.choice(["left", "right"], TEXTS), ""]
    table.to_csv(folder / "items.csv", index=False)
    queries.to_csv(folder / "queries.csv", index=False)
    grades = rng.choice([0, 0, 1, 2], (TEXTS, ITEMS))
    grades[2] = 0
    rows = [(q, i, grades[n, m]) for n, q in enumerate(texts) for m, i in enumerate(items)]
    qrels = pd.DataFrame(rows, columns=["query_id", "item_id", "grade"])
    qrels.to_csv(folder / "qrels.csv", index=False)
    (place / "model.toml").write_text(f'encoder = "none"\ndimension = {BITS}\n')
    for stem, names in (("items", items), ("queries", texts[1:])):
        codes = rng.choice(np.array([-1, 1], dtype=np.int8), (len(names), BITS))
        np.save(place / f"{stem}.npy", codes)
        (place / f"{stem}.txt").write_text("\n".join(names) + "\n")
    return folder


def every_fourth(folder: str, digest: str) -> dict[str, str]:
    """Of four items in a row the first three are one."""
    return {f"i{n:02}": f"i{n - n % 4:02}" for n in range(ITEMS) if n % 4 in (1, 2)}


@pytest.mark.parametrize(
    ("sides", "copies", "at_least"),
    [
        (False, "counted", -1.0),
        (False, "counted", 0.1428573),  # just above the score of three bits that differ
        (False, "left_out", -0.142857),  # that of four, as it is rounded
        (True, "counted", -0.142857),
        (True, "left_out", -1.0),
    ],
)
def test_radii_of_long_rankings_are_those_of_whole_ones_to_the_last_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sides: bool, copies: str, at_least: float
) -> None:
    monkeypatch.setattr(judging, "copies", every_fourth)
    folder = world(tmp_path / "codes", seed=len(copies), sides=sides)
    of = Experiment.of(
        collections.opened_in(folder),
        protocol="hashing",
        groups=(),
        mapping_threshold=0.6,
        queries="all",
        copies=copies,
        min_similarity=at_least,
    )

    def radii() -> list[pd.DataFrame]:
        return [hash_codes.by_radius(of, "codes", BITS, only) for only in (None, SOME)]

    assert not ranking.is_long(of, "codes")
    whole = radii()
    memory.forget()
    monkeypatch.setattr(runs, "LONG", 0)
    monkeypatch.setattr(ranking, "run", None)  # no whole ranking is made
    assert ranking.is_long(of, "codes")
    for mine, other in zip(radii(), whole, strict=True):
        pd.testing.assert_frame_equal(mine, other, check_exact=True)
    assert [table["scored"].iloc[0] for table in whole] == [7, 2]
