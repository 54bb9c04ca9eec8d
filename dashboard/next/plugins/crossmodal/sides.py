"""The two sides of a collection, pictures and texts; a query searches one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.next.errors import Finding, list_names
from dashboard.next.storage.collection import Collection
from dashboard.next.tables import BoolArray, IntArray

SIDES = {"image": "pictures", "video": "pictures", "text": "texts"}
"""Side of each kind of item, where items.csv has no column `side`."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Sides of items and queries.

    Attributes:
        members: Items of each side by its name, and -1 for results outside the collection.
        searched: Side that each query searches; "" for all.
        is_text: Whether each query is a text. [queries].
    """

    members: dict[str, IntArray]
    searched: tuple[str, ...]
    is_text: BoolArray


def read_sides(collection: Collection, findings: list[Finding]) -> Sides | None:
    """Return the sides that `side`, or else `kind`, of the items tells; None if neither does.

    A query searches the side that its `among` names; without one an item query searches the other
    of two sides, a text query the pictures.
    """
    items, queries = collection.items, collection.queries
    side = items["side"] if any(items["side"]) else _infer_sides(collection, findings)
    members = {
        name: np.array([-1, *(i for i, each in enumerate(side) if each == name)])
        for name in dict.fromkeys(side)
        if name
    }
    if len(members) < 2 or collection.qrels is None:
        return None
    strange = [
        query
        for query, among in zip(queries.ids, queries["among"], strict=True)
        if among and among not in members
    ]
    if strange:
        found = f"{len(strange):,} queries among an unknown side ({list_names(strange)})"
        wanted = f"a side of the items ({', '.join(members)}); these search all items"
        findings.append(Finding("warning", "queries.csv", None, found, wanted))
    is_text_item = np.array([kind.strip().lower() == "text" for kind in items["kind"]] + [False])
    is_text = collection.is_text | is_text_item[collection.own_items]
    searched = _find_searched(collection, side, list(members))
    return Sides(members, searched, is_text)


def _find_searched(
    collection: Collection, side: Sequence[str], names: list[str]
) -> tuple[str, ...]:
    kinds = zip(side, collection.items["kind"], strict=True)
    pictures = next((name for name, kind in kinds if name and kind.lower() != "text"), "")
    searched = []
    own_items = collection.own_items.tolist()
    for among, own in zip(collection.queries["among"], own_items, strict=True):
        others = [name for name in names if name != side[own]] if own >= 0 else [pictures]
        usual = others[0] if len(others) == 1 else ""
        searched.append(among if among in names else "" if among else usual)
    return tuple(searched)


def _infer_sides(collection: Collection, findings: list[Finding]) -> list[str]:
    kinds = collection.items["kind"]
    side = [SIDES.get(kind.strip().lower(), "") for kind in kinds]
    if "crossmodal" in collection.settings.get("protocols", ()) and not all(side):
        strange = [i for i, each in zip(collection.items.ids, side, strict=True) if not each]
        found = f"no side of the items, and {len(strange):,} of no kind ({list_names(strange)})"
        wanted = "a column side, or kind image, video or text for each item"
        findings.append(Finding("error", "items.csv", None, found, wanted))
    return side
