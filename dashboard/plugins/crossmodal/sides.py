"""The two sides of a collection, pictures and texts; a query searches one of them."""

from typing import NamedTuple

import numpy as np

from dashboard.errors import Findings, count_odd
from dashboard.storage.collection import Collection
from dashboard.storage.runs import list_pairs
from dashboard.tables import BoolArray, IntArray, Names

SIDES = {"image": "pictures", "video": "pictures", "text": "texts"}
"""Side of each kind of item, where items.csv has no column `side`."""
TEXTS = frozenset({"text", "texts", "caption", "captions", "sentence", "sentences"})
"""Kinds, or sides of items without a kind, that are texts."""


class Sides(NamedTuple):
    """Sides of a collection.

    Attributes:
        names: Side of each item; "" for none.
        members: Items of each side by its name, and -1 for results outside the collection.
        is_text: True for each item that is a text, and a last False for a query without an item.
    """

    names: Names
    members: dict[str, IntArray]
    is_text: BoolArray

    def list_searched(self, collection: Collection) -> Names:
        """Return the side that each query searches; "" for all.

        That is the side that its `among` names; without one an item query searches the other of two
        sides, a text the pictures.
        """
        pairs = zip(self.names, self.is_text, strict=False)
        pictures = {name for name, is_text in pairs if name and not is_text}
        return [
            (among if among in self.members else "")
            if among
            else _pick_one(self.members.keys() - {self.names[own]} if own >= 0 else pictures)
            for among, own in zip(
                collection.queries["among"], collection.own_items.tolist(), strict=True
            )
        ]

    def list_texts(self, collection: Collection) -> BoolArray:
        """Return True for each query that is a text, or is about one. [queries]."""
        return collection.is_text | self.is_text[collection.own_items]


def _pick_one(names: set[str]) -> str:
    return "".join(names) if len(names) == 1 else ""


def name_pictures(collection: Collection) -> str:
    """Return what a text asks for: "clip" where all items but texts are clips, else "picture"."""
    kinds = {kind.lower() for kind in collection.items["kind"]}
    return "clip" if kinds - TEXTS == {"video"} else "picture"


def read_sides(collection: Collection, findings: Findings) -> Sides | None:
    """Return the sides that `side`, or else `kind`, of the items tells; None if neither does."""
    items = collection.items
    queries = collection.queries
    is_asked = "crossmodal" in collection.protocols
    if not is_asked and not {"side", "kind"} & items.columns.keys():
        return None
    side: Names = items["side"]
    if not any(side):
        side = [SIDES.get(kind.lower(), "") for kind in items["kind"]]
        strange = [item for item, each in zip(items.ids, side, strict=True) if not each]
        wanted = "a column side, or kind image, video or text for each item"
        before = "no side of the items, and "
        findings += count_odd(
            "items.csv", strange if is_asked else 0, "of no kind", wanted, "error", before
        )
    members = {
        name: np.array([-1, *(i for i, each in enumerate(side) if each == name)])
        for name in dict.fromkeys(side)
        if name
    }
    if len(members) < 2 or not collection.qrels:
        return None
    strange = [
        query for query, among in queries.list_rows("among") if among and among not in members
    ]
    findings += count_odd(
        "queries.csv",
        strange,
        "queries among an unknown side",
        f"a side of the items ({', '.join(members)}); these search all items",
    )
    kinds = zip(items["kind"], side, strict=True)
    is_text = [(kind or name).lower() in TEXTS for kind, name in kinds]
    sides = Sides(tuple(side), members, np.array([*is_text, False]))
    if is_asked:
        pairs = [pair for pair, grade in list_pairs(collection.qrels) if grade >= 1]
        asking, found = ({pair[side] for pair in pairs} for side in (0, 1))
        bare = [query for query in queries.ids if query not in asking]
        noun = name_pictures(collection)
        wanted = f"a text of each {noun}, a {noun} of each text; these have no value"
        findings += count_odd("qrels", bare, "queries that nothing belongs to", wanted)
        for name in sorted({*sides.list_searched(collection)} - {""}):
            places = members[name][1:].tolist()
            alone = [items.ids[item] for item in places if items.ids[item] not in found]
            told = name.replace("picture", noun)
            wanted = "a query that each belongs to; these are wrong for every query"
            findings += count_odd("qrels", alone, f"{told} that belong to no query", wanted)
    return sides
