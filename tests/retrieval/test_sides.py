"""A query searches one side of a collection, by vectors and in stored runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.retrieval import one_query, runs
from dashboard.storage.collection.collection import Collection, open_collection

SIDES = {"v00": "clips", "v01": "clips", "v02": "captions", "v03": "captions"}


@pytest.fixture
def sided(tiny: Collection) -> Path:
    """The tiny collection with two clips on one side and two on the other."""
    folder = tiny.folder
    items = (folder / "items.csv").read_text().splitlines()
    told = [items[0] + ",side", *(f"{row},{SIDES[row[:3]]}" for row in items[1:])]
    (folder / "items.csv").write_text("\n".join(told))
    queries = (folder / "queries.csv").read_text().splitlines()
    among = {"q1": "clips", "q2": "clips", "q3": "captions"}
    told = [queries[0] + ",among", *(f"{q},{among.get(q[:2], '')}" for q in queries[1:])]
    (folder / "queries.csv").write_text("\n".join(told))
    return folder


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


def found(run, query: str) -> set[str]:
    return set(run.loc[run["query_id"] == query, "item_id"].astype("str"))


def test_a_model_is_searched_on_the_side_that_is_asked_for(sided: Path) -> None:
    run = runs.run_of(opened(sided), "v0.2")
    assert found(run, "q1") == {"v00", "v01"}
    assert found(run, "q3") == {"v02", "v03"}
    assert found(run, "item_v00") == {"v02", "v03"}  # not said: the other side of two
    ranks = run.groupby("query_id", observed=True)["rank"].apply(list)
    assert ranks.map(lambda each: each == list(range(1, len(each) + 1))).all()


def test_a_stored_run_is_searched_on_that_side_too(sided: Path) -> None:
    (sided / "runs").mkdir(exist_ok=True)
    rows = [f"item_v00 Q0 {item} 1 {9 - n} x" for n, item in enumerate(SIDES)]
    (sided / "runs" / "other.trec").write_text("\n".join(rows))
    run = runs.run_of(opened(sided), "other")
    assert run["item_id"].tolist() == ["v02", "v03"]
    assert run["rank"].tolist() == [1, 2]


def test_one_search_keeps_to_its_side(sided: Path) -> None:
    collection = opened(sided)
    assert set(one_query.item_run(collection, "v0.2", "v02", 9)["item_id"]) == {"v00", "v01"}
    assert set(one_query.text_run(collection, "v0.2", "car", 9)["item_id"]) == {"v00", "v01"}


def test_an_unknown_side_leaves_the_query_out_and_says_so(sided: Path) -> None:
    text = (sided / "queries.csv").read_text().replace(",captions", ",sounds")
    (sided / "queries.csv").write_text(text)
    collection = opened(sided)
    assert "q3" not in set(collection.queries["query_id"])
    said = collection.findings[collection.findings["found"].str.contains("sounds")]
    assert said["wanted"].iloc[0].startswith("a side of the items (captions, clips)")
    assert said["line"].iloc[0] == 4


def test_sides_that_nobody_asks_have_no_results(sided: Path) -> None:
    run = runs.run_of(opened(sided), "v0.2", only=frozenset())
    assert run.empty and list(run.columns) == ["query_id", "item_id", "score", "rank"]
