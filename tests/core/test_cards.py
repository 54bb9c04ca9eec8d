"""What the cards show: keywords, moves, near misses and why a query changed."""

from pathlib import Path

import pytest

from dashboard.views.cards import _describe_order, describe_change, make_payload
from tests.plugins.worlds import open_world


@pytest.fixture
def shown(world: Path):
    study = open_world(world)
    found = study.query("q2", ["v1", "v2"], 2, "P@2")
    return found, make_payload(found, study.collection, ("v1",), "P@2", 2)


def test_cards_of_a_query(shown) -> None:
    """q2 requires car and bus, which only a has; v1 finds b and d first, v2 a and b."""
    _, payload = shown
    assert payload["required"] == ["car", "bus"]
    before, after, ideal, missed = payload["rows"]
    assert [(card["item"], card["has"], card["mark"]) for card in before["cards"]] == [
        ("b", [True, False], ""), ("d", [False, False], "gone"),
    ]  # fmt: skip
    assert [(card["item"], card["hit"], card["mark"]) for card in after["cards"]] == [
        ("a", True, "new"), ("b", False, "↓1"),
    ]  # fmt: skip
    assert after["cards"][0]["foot"] == "#3 in v1"
    assert [(card["item"], card["hit"], card["rank"]) for card in ideal["cards"]] == [
        ("a", True, 1), ("b", False, 2),
    ]  # fmt: skip
    assert [(card["item"], card["mark"]) for card in missed["cards"]] == [
        ("a", "missed by v1"), ("c", "near miss"),
    ]  # fmt: skip


def test_change_is_explained(shown) -> None:
    found, _ = shown
    assert describe_change(found, "v2", "v1", "P@2") == {
        "sign": "▼",
        "delta": "−0.500",
        "values": "P@2 0.500 → 0.000",
        "why": "hits: 1 fell to 3; 1 wrong in v1: 1 near miss (1 lacks bus)",  # nobody judged d
    }


def test_results_without_scores_and_items(world: Path) -> None:
    (world / "runs").mkdir()
    for name, rows in (("r", "q2,a,-1\nq2,zz,-2\n"), ("s", "q2,zz,0\nq2,a,-1\n")):
        (world / "runs" / f"{name}.csv").write_text(f"query_id,item_id,score\n{rows}")
    study = open_world(world)
    found = study.query("q2", ["r", "s"], 2)
    assert [row["score"] for row in found.rows] == [None] * 4
    _, after, *_ = make_payload(found, study.collection, ("r", "s"), "", 2)["rows"]
    assert [card["mark"] for card in after["cards"]] == ["new", "↓1"]


def test_hits_that_change_places_are_told() -> None:
    """Without a hit that falls or comes in, the sentence says how the same hits moved."""
    assert _describe_order([(1, 2), (2, 1), (3, 4)]) == "same hits, 2 lower, 1 higher"
    assert _describe_order([(1, 1)]) == "same hits at the same ranks"
    assert _describe_order([]) == "no hit in either version"
