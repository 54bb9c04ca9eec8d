"""Judged pairs that a run ended before: those of the whole ranking, in its order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.retrieval import runs
from dashboard.storage.collection.collection import Collection, open_collection

EVERY = [f"v0{n}" for n in range(4)]


def lists(run: pd.DataFrame) -> dict[str, list[str]]:
    """query → its items in the order of the run."""
    found = run.astype({"query_id": "str", "item_id": "str"}).groupby("query_id")["item_id"]
    return {str(query): items.tolist() for query, items in found}


def wanted(queries: list[str], items: list[str]) -> pd.DataFrame:
    rows = [(query, item) for query in queries for item in items]
    return pd.DataFrame(rows, columns=["query_id", "item_id"])


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Callable[[Collection, str], pd.DataFrame]:
    """The run of a version, cut at the second rank."""

    def run(collection: Collection, version: str) -> pd.DataFrame:
        with monkeypatch.context() as patched:
            patched.setattr(runs, "MOST_RESULTS", 1)
            patched.setattr(runs, "LEAST_DEPTH", 2)
            return runs.run_of(collection, version)

    return run


def test_all_pairs_make_the_whole_ranking(tiny: Collection, cut: Callable[..., object]) -> None:
    whole = runs.run_of(tiny, "v0.2")
    every = wanted([*tiny.queries["query_id"], "unknown"], [*EVERY, "unknown"])
    found = runs.with_judged(tiny, "v0.2", cut(tiny, "v0.2"), every)
    assert lists(found) == lists(whole)
    assert found["score"].tolist() == whole["score"].tolist()
    assert found["rank"].tolist() == whole["rank"].tolist()
    assert not {"cut", "torn"} & set(found.attrs) and found.attrs["not_run"] == {}


def test_few_pairs_follow_what_was_cut(tiny: Collection, cut: Callable[..., object]) -> None:
    whole = lists(runs.run_of(tiny, "v0.1"))
    last, first = whole["q1"][3], whole["q1"][0]
    given = cut(tiny, "v0.1")
    found = runs.with_judged(tiny, "v0.1", given, wanted(["q1"], [last, first]))
    assert lists(found) == {**lists(given), "q1": [*whole["q1"][:2], last]}
    none = runs.with_judged(tiny, "v0.1", given, wanted([], []))
    assert lists(none) == lists(given)


@pytest.mark.parametrize("bits", [4, 128])
def test_equal_distances_of_codes_stand_in_gallery_order(
    folder: Path, cut: Callable[..., object], bits: int
) -> None:
    rng = np.random.default_rng(bits)
    for stem, rows in (("items", 4), ("queries", 3)):
        path = folder / "models" / "v0.1" / f"{stem}.npy"
        np.save(path, rng.choice(np.array([-1, 1], dtype=np.int8), (rows, bits)))
    settings = folder / "models" / "v0.1" / "model.toml"
    settings.write_text(settings.read_text().replace("8", str(bits)))
    collection = open_collection(folder, allow_path=True)
    whole = runs.run_of(collection, "v0.1")
    every = wanted(collection.queries["query_id"].tolist(), EVERY[::-1])
    found = runs.with_judged(collection, "v0.1", cut(collection, "v0.1"), every)
    assert lists(found) == lists(whole) and found["score"].tolist() == whole["score"].tolist()


def test_pairs_on_another_side_than_is_searched_stay_out(
    folder: Path, cut: Callable[..., object]
) -> None:
    for name, column, values in (
        ("items.csv", "side", ["left", "left", "left", "right"]),
        ("queries.csv", "among", ["left", "left", "left", "left", "right"]),
    ):
        table = pd.read_csv(folder / name, dtype="str", keep_default_na=False)
        table.assign(**{column: values}).to_csv(folder / name, index=False)
    collection = open_collection(folder, allow_path=True)
    every = wanted(collection.queries["query_id"].tolist(), EVERY)
    found = runs.with_judged(collection, "v0.2", cut(collection, "v0.2"), every)
    assert lists(found) == lists(runs.run_of(collection, "v0.2"))
