"""Cards of a query: rows of results for each version, the ideal order and missed items."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

import streamlit as st

from dashboard.evaluation.differences import SAME, write_signed
from dashboard.evaluation.metrics import parse_one
from dashboard.storage.collection import Collection
from dashboard.study.changes import describe_moves
from dashboard.study.query_result import QueryResult
from dashboard.tables import Names, Row, Texts
from dashboard.texts import write_number
from dashboard.views.address import set_choice
from dashboard.views.charts import colour_versions
from dashboard.views.components import load_component
from dashboard.views.data_tables import format_value, write_apart
from dashboard.views.media_routes import address_media, describe_media

FILES = (
    "views/cards/elements.js", "views/cards/playback.js", "views/copy/clipboard.js",
    "views/cards/cards.js", "views/cards/cards.css",
)  # fmt: skip


def _draw(key: str, payloads: Mapping[str, Row], data: Row, **acts: Callable[[], None]) -> None:
    """Draw the component; its data is text of JSON, as Streamlit reads through objects thrice.

    An item that several payloads show is sent once.
    """
    items = {item: media for each in payloads.values() for item, media in each["items"].items()}
    shown = [
        [query, {name: value for name, value in each.items() if name != "items"}]
        for query, each in payloads.items()
    ]
    data = {**data, "payloads": shown, "items": items}
    load_component("cards", *FILES)(key=key, data=json.dumps(data).encode(), **acts)


def draw_cards(payload: Row, picks: bool = False) -> None:
    """Draw the results of one search, or items of which one can be picked to search with."""
    key = "items" if picks else "cards"

    _draw(
        key,
        {"": payload},
        {"query": "", "queries": [], "pick": picks},
        on_item_change=lambda: set_choice("item", st.session_state[key]["item"], ("text",)),
    )


def draw_query(data: Row, payloads: Mapping[str, Row]) -> None:
    """Draw a query with its results, and keys that step to others.

    Args:
        data: query (id of the open one), queries (id and name of those around it, in their order),
            first (place of their first among all, from 0), total (number of all), and buttons: key,
            text, and the choice with its value that it sets, of each further button.
        payloads: What the cards show, of the open query and of those that a key steps to.
    """
    _draw(
        "cards",
        payloads,
        data,
        on_query_change=lambda: set_choice("query", st.session_state["cards"]["query"]),
        on_button_change=lambda: set_choice(*st.session_state["cards"]["button"]),
    )


MAX_PAYLOADS = 256
"""What pages show of queries, of 36 KB each; a page has seven at once."""


@lru_cache(MAX_PAYLOADS)
def make_payload(
    found: QueryResult, collection: Collection, versions: Names, metric: str, depth: int
) -> Row:
    """Return what the cards show of a query; a step makes that of one query anew.

    Args:
        found: Results of each version.
        collection: Captions and media of the items.
        versions: The version that others are compared with, and others; they have colours.
        metric: Metric whose value stands at the head of each version; empty: none.
        depth: Cards of a row.
    """
    required, ranked = found.asked.get("required", []), list(found.lengths)
    rows = [_make_run_row(found, versions, metric, version) for version in ranked]
    near = [make_card(ranked, row) | {"hit": False, "mark": "near miss"} for row in found.near]
    ideal = [make_card(ranked, row) | {"hit": True} for row in found.ideal]
    ideal = [card | {"rank": rank} for rank, card in enumerate((ideal + near)[:depth], start=1)]
    if found.ideal:
        rows.append({"kind": "ideal", "name": "Ideal order", "cards": ideal})
    missed = []
    for row in found.missed[:depth]:
        lacking = ", ".join(version for version in ranked if version not in row["runs"])
        mark = f"missed by {lacking if row['runs'] else 'all'}"
        missed.append(make_card(ranked, row) | {"hit": True, "mark": mark, "rank": None})
    unseen = [card for card, row in zip(near, found.near, strict=True) if not row["runs"]]
    if cards := (missed + unseen)[:depth]:
        name, note = "Near misses", f"not relevant, and in no top {depth}"
        if missed:
            name = "Missed"
            note = f"{len(found.missed):,} relevant missing from at least one top {depth}"
            note += f"; the first {depth}" * bool(found.missed[depth:])
        rows.append({"kind": "missed", "name": name, "note": note, "cards": cards})
    asks = [found.asked["class"]] if "class" in found.asked else []
    place = collection.queries.index.get(found.query_id, -1)
    if found.item_id and place >= 0 and collection.is_text[place]:
        asks.append(f"with {found.item_id}")
    asked = ("poster", found.item_id) if found.item_id else ("query", found.query_id)
    named = dict.fromkeys(card["item"] for row in rows for card in row["cards"])
    return {
        "title": found.text,
        "poster": address_media(collection, *asked),
        "required": required,
        "relevant": " · ".join([f"{found.relevant:,} relevant", *asks]),
        "rows": rows,
        "items": {item: describe_media(collection, item) for item in named},
        "problems": found.explain_problems(ranked),
    }


def make_items(collection: Collection, items: Names, note: str) -> Row:
    """Return what the cards show of items that are no results."""
    media = {item: describe_media(collection, item) for item in items}
    cards = [
        make_card((), {"item_id": item}) | {"foot": shown["caption"] or item}
        for item, shown in media.items()
    ]
    row = {"kind": "pick", "name": "Start from an item", "note": note, "cards": cards}
    payload = {"title": "", "required": [], "rows": [row], "problems": []}
    return payload | {"items": media}


def _make_run_row(found: QueryResult, versions: Names, metric: str, version: str) -> Row:
    """Return the row of a version's results."""
    baseline = "".join(versions[:1])
    cards = []
    for row in found.list_rows(version):
        card = make_card(found.lengths, row)
        if baseline in found.lengths and len(found.lengths) > 1:
            rise = row["ranks"].get(baseline, 0) - row["rank"]
            card["mark"] = f"{'↑' if rise > 0 else '↓'}{abs(rise)}" if rise else "="
            if version == baseline:
                card["mark"] = "" if row["runs"][1:] else "gone"
            elif baseline not in row["runs"]:
                card["mark"] = "new"
        cards.append(card)
    (passing, length), note = found.lengths[version], found.problems.get(version, "")
    if passing < length:
        note = f"{passing:,} of {length:,} items pass the similarity threshold"
    hits, value = sum(card["hit"] is True for card in cards), found.values[version]
    written = "no value" if value is None else write_number(value)
    is_told = hits or found.asked.get("required")
    return {
        "kind": "run",
        "name": version,
        "baseline": version == baseline,
        "colour": colour_versions(versions).get(version, "#888"),
        "value": f"{metric} {written}" if metric else "",
        "note": note or (f"{hits} of {len(cards)} relevant" if is_told else ""),
        "cards": cards,
    }


def make_card(versions: Iterable[str], row: Row) -> Row:
    """Return what a card shows of a result, and its ranks in other versions."""
    ranks, others = row.get("ranks", {}), (v for v in versions if v != row.get("run"))
    foot = (f"#{ranks[v]:,} in {v}" if v in ranks else f"not in {v}" for v in others)
    return {
        "item": row["item_id"] or "not in the collection",
        "rank": row.get("rank"),
        "score": None if row.get("score") is None else format_value(row["score"]),
        "hit": row.get("hit"),
        "grade": f"{grade:g}" if (grade := row.get("grade") or 0) > 1 else "",
        "notes": row.get("notes", []),
        "has": row.get("ticks", []),
        "mark": "",
        "foot": " · ".join(foot),
    }


def describe_change(found: QueryResult, baseline: str, candidate: str, metric: str) -> Texts:
    """Return how a query changed: sign, difference, both values and why; empty without both.

    Why: which hits fell and came in, in the ranks that the metric looks at or else in those that
    are shown, and what plugins say of the candidate's results.
    """
    before, after = found.values.get(baseline), found.values.get(candidate)
    if before is None or after is None or baseline == candidate:
        return {}
    limit = parse_one(metric).cutoff or math.inf
    old, new = (
        {r["item_id"]: r for r in found.list_rows(v) if r["hit"] and r["rank"] <= limit}
        for v in (baseline, candidate)
    )
    fell = [row["ranks"].get(candidate) for item, row in old.items() if item not in new]
    moves = describe_moves(fell, len(new.keys() - old.keys()), found.lengths[candidate][0])
    told = f"hits: {moves}"
    if not moves:
        told = _describe_order([(row["rank"], new[i]["rank"]) for i, row in old.items()])
    delta, sign = after - before, parse_one(metric).sign
    return {
        "sign": "=" if abs(delta) <= SAME else "▲" if sign * delta > 0 else "▼",
        "delta": write_signed(delta),
        "values": f"{metric} {' → '.join(write_apart(before, after))}",
        "why": "; ".join(filter(None, (told, found.asked.get("why", {}).get(candidate)))),
    }


def _describe_order(ranks: Sequence[tuple[int, int]]) -> str:
    """Return how the ranks of hits changed that both versions have: "same hits, 1 lower"."""
    if not ranks:
        return "no hit in either version"
    ways = {"lower": sum(a < b for a, b in ranks), "higher": sum(a > b for a, b in ranks)}
    told = [f"{number} {way}" for way, number in ways.items() if number]
    return f"same hits, {', '.join(told)}" if told else "same hits at the same ranks"
