"""What the items and queries of a collection are called."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard import ids
from dashboard.tables import counted

KINDS = {"video": "clip", "image": "picture", "text": "text"}
ITEM = "item"


@dataclass(frozen=True)
class Words:
    """The words for the items and queries of one collection.

    item          one of its items: a clip, a picture, a text; an item for mixed or unknown kinds
    gallery       all of them, with their number: `400 pictures and 2,000 texts`
    queries       kind of queries → its name: `Picture queries`
    query_counts  the number of queries of each kind: `92 text queries · 211 clip queries`
    example       one of its text queries; empty where no query is a text alone
    """

    item: str
    gallery: str
    queries: dict[str, str]
    query_counts: str
    example: str


def words(items: pd.DataFrame, queries: pd.DataFrame) -> Words:
    """The words for items and queries, by their kinds.

    items: item_id, kind. queries: query_id, text, item_id, image.
    """
    codes, kinds_of_items = pd.factorize(items["kind"])
    own = [KINDS.get(text.strip().lower(), ITEM) for text in kinds_of_items]
    kind = pd.Series(np.array([*own, ITEM], dtype=object)[codes], items.index)
    in_words = queries["text"] != ""
    composed = in_words & (queries["image"] != "")
    with_items = kind[items["item_id"].isin(queries.loc[~in_words, "item_id"])].tolist()
    pictured = ["picture"] * bool((~in_words & (queries["image"] != "")).any())
    both = bool(in_words.any()) and bool(composed[in_words].all())
    one = _one_word(kind.tolist())
    named = _one_word([*with_items, *pictured] or [one])
    # "text queries" are those that are typed
    named = "text item" if named == "text" else named
    kinds = {"text": "composed" if both else "text", "item": named}
    names = {of: f"{kind.capitalize()} queries" for of, kind in kinds.items()}
    numbers = {"text": int(in_words.sum()), "item": int((~in_words).sum())}
    asked = [
        counted(number, f"{kinds[of]} query", f"{kinds[of]} queries")
        for of, number in numbers.items()
        if number
    ]
    alone = queries.loc[in_words & ~composed, "text"]
    return Words(
        f"{'an' if one == ITEM else 'a'} {one}",
        " and ".join(counted(n, str(word)) for word, n in kind.value_counts(sort=False).items()),
        {**names, "all": "All queries"},
        " · ".join(asked) or "no queries",
        str(alone.iloc[0]) if len(alone) else "",
    )


def item_name(item_id: str, caption: str) -> str:
    """The name of an item: its caption, or its id where it has none.

    The cards have the same rule in `unpacked.js`.
    """
    return caption.strip() or item_id


def item_names(items: pd.DataFrame) -> dict[str, str]:
    """What each item is called. items: item_id, caption."""
    pairs = zip(items["item_id"].tolist(), items["caption"].tolist(), strict=True)
    return {item_id: item_name(item_id, caption) for item_id, caption in pairs}


def with_id(name: str, item_id: str) -> str:
    """An ambiguous name with the id behind it.

    >>> with_id("a 7", "d0042"), with_id("d0042", "d0042")
    ('a 7 (d0042)', 'd0042')
    """
    return name if name == item_id else f"{name} ({item_id})"


def query_names(queries: pd.DataFrame, items: pd.DataFrame) -> dict[str, str]:
    """The name of each query: its text, its picture's caption, or “like” and its item's name.

    Where the names of those items are not all different, ids stand behind them. queries: query_id,
    text, item_id, image (and caption); items: item_id, caption.
    """
    known = item_names(items[ids.among(items["item_id"], queries["item_id"])])
    of_items = queries["item_id"].map(lambda item: known.get(item, item)).astype("str")
    if of_items[queries["item_id"] != ""].duplicated().any():
        pairs = zip(of_items, queries["item_id"], strict=True)
        of_items = pd.Series([with_id(*pair) for pair in pairs], queries.index, dtype="str")
    names = "like " + of_items
    pictures = queries.get("caption", queries["image"]).where(queries["image"] != "", "")
    bare = queries["item_id"] == ""
    names = names.mask(bare, pictures.where(pictures != "", queries["query_id"]))
    names = names.mask(queries["text"] != "", queries["text"])
    return dict(zip(queries["query_id"], names, strict=True))


def _one_word(kinds: list[str]) -> str:
    return kinds[0] if len(set(kinds)) == 1 else ITEM
