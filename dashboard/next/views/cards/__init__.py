"""Cards of a query: a row of results for each version, and a row of missed items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.next.storage.collection import Collection
from dashboard.next.study.query import QueryResult
from dashboard.next.views.media import address_media

FOLDER = Path(__file__).parent
RELEVANT = {"hit": True}


@cache
def _component() -> Any:
    return st.components.v2.component(
        "cards",
        css=(FOLDER / "cards.css").read_text(encoding="utf-8"),
        js=(FOLDER / "cards.js").read_text(encoding="utf-8"),
    )


def draw_cards(
    found: QueryResult,
    collection: Collection,
    colours: Mapping[str, str],
    baseline: str,
    metric: str,
    depth: int,
) -> None:
    """Draw the results of a query."""
    data = make_payload(found, collection, colours, baseline, metric, depth)
    _component()(key="cards", data=data)


def make_payload(
    found: QueryResult,
    collection: Collection,
    colours: Mapping[str, str],
    baseline: str,
    metric: str,
    depth: int,
) -> dict[str, Any]:
    """Return what the cards show, as values that JSON can hold."""
    by_run: dict[str, list[Mapping[str, Any]]] = {version: [] for version in found.lengths}
    for row in found.rows:
        by_run[row["run"]].append(row)
    before = {row["item_id"]: row["rank"] for row in by_run.get(baseline, ())}
    others = {row["item_id"] for run, rows in by_run.items() if run != baseline for row in rows}
    drawn = []
    for version, rows in by_run.items():
        value, (passing, length) = found.values[version], found.lengths[version]
        note = found.problems.get(version, "")
        if passing < length:
            note = f"{passing:,} of {length:,} items pass the similarity threshold"
        cards = [_make_card(row, collection, found.asked) for row in rows]
        if baseline in by_run and len(by_run) > 1:
            for card, shown in zip(cards, rows, strict=True):
                is_baseline = version == baseline
                card["move"] = _describe_move(shown, before, others, is_baseline)
        drawn.append(
            {
                "name": version,
                "colour": colours.get(version, "#888"),
                "value": _describe_value(metric, value),
                "note": note,
                "cards": cards,
            }
        )
    ideal = [_make_card(row | RELEVANT, collection, found.asked) for row in found.ideal]
    for card, row in zip(ideal, found.ideal, strict=True):
        card["note"] = _describe_ranks(row["ranks"], list(found.lengths))
    if ideal:
        row = {"name": "Ideal order", "colour": "", "value": "", "note": "", "cards": ideal}
        drawn.append(row)
    missed = [_make_card(row | RELEVANT, collection, found.asked) for row in found.missed[:depth]]
    for card, row in zip(missed, found.missed, strict=False):
        lacking = [version for version in found.lengths if version not in row["runs"]]
        card["note"] = f"missed by {', '.join(lacking)}" if row["runs"] else "missed by all"
    many = f"{len(found.missed):,} relevant items are missing from at least one top {depth}"
    if missed:
        drawn.append({"name": "Missed", "colour": "", "value": "", "note": many, "cards": missed})
    problems = [f"{v}: {why}" for v, why in found.problems.items() if v not in by_run]
    return {"rows": drawn, "problems": problems}


def _describe_value(metric: str, value: float | None) -> str:
    if not metric:
        return ""
    return f"{metric} no value" if value is None else f"{metric} {value:.3f}"


def _make_card(
    row: Mapping[str, Any], collection: Collection, asked: Mapping[str, Any]
) -> dict[str, Any]:
    item = row["item_id"] or ""
    place = collection.items.index.get(item, -1)
    required: Sequence[str] = asked.get("required", ())
    ticks = zip(required, row.get("ticks", ()), strict=False)
    return {
        "item": item or "not in the collection",
        "rank": row["rank"],
        "score": None if row.get("score") is None else f"{row['score']:.3f}",
        "hit": row["hit"],
        "caption": collection.items["caption"][place] if place >= 0 else "",
        "poster": address_media(collection, "poster", item),
        "clip": address_media(collection, "clip", item),
        "ticks": [[name, has] for name, has in ticks],
        "move": "",
        "note": "",
    }


def _describe_ranks(ranks: Mapping[str, int], versions: Sequence[str]) -> str:
    """Return the rank in each version: "#6 in v0.2 · not in v0.3"."""
    told = (f"#{ranks[v]:,} in {v}" if v in ranks else f"not in {v}" for v in versions)
    return " · ".join(told)


def _describe_move(
    row: Mapping[str, Any], before: Mapping[str, int], others: set[str], is_baseline: bool
) -> str:
    """Return how a result moved since the baseline: ↑3, ↓2, =, new, or gone."""
    item, rank = row["item_id"], row["rank"]
    if is_baseline:
        return "" if item in others else "gone"
    if item not in before:
        return "new"
    moved = before[item] - rank
    return "=" if not moved else f"{'↑' if moved > 0 else '↓'}{abs(moved)}"
