"""Queries for items that nobody wrote queries for: each item, each keyword, combinations of two
keywords that occur together, captions. The column `made_of` says what each was made of, `occurs`
how many items have its keywords."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from dashboard.storage.sources.content import Content, Rows
from dashboard.tables import LONGEST_TEXT, counted, listed

MOST_ITEMS = 5_000
MOST_KEYWORDS = 500
MOST_COMBINATIONS = 100
MOST_CAPTIONS = 200
_MOST_TOGETHER = 20
"""Keywords of an item that are combined: an item with hundreds of them would have 10,000s."""
COLUMNS = ["query_id", "text", "item_id", "image", "made_of", "occurs"]


def add_queries(content: Content, *, with_texts: bool) -> None:
    """Add queries to a content that has none. with_texts: whether texts can be searched for."""
    pictured = (content.items["file"] != "").any() or bool(content.caption_vectors)
    if content.captions.empty or len(content.keywords) or not pictured:
        parts = [_of_items(content)]
        if with_texts:
            parts += [_of_keywords(content), _of_combinations(content)]
        if with_texts or content.caption_vectors:
            parts.append(_of_captions(content))
        content.queries = pd.concat([part for part in parts if len(part)], ignore_index=True)
    else:
        _match_captions(content)
    _give_vectors(content)


def _give_vectors(content: Content) -> None:
    """Give the queries, and the items that are captions, the vectors of their texts."""
    for version, rows in content.caption_vectors.items():
        places = {text: place for place, text in enumerate(rows.ids or ())}
        sides = content.vectors.get(version, {})
        if "items" not in sides:  # those of its pictures were left out, with a sentence
            continue
        for side, key, column in (("queries", "query_id", "text"), ("items", "item_id", "caption")):
            table = getattr(content, side)
            if side == "items":
                table = table[table["kind"] == "text"]
            table = table[table[column].isin(places)]
            if len(table):
                array = rows.array[[places[text] for text in table[column]]]
                added = Rows(array, tuple(table[key]), rows.taken_from)
                content.add_vectors(version, side, [added])
                where = f"models/{version}/{side}.npy"
                content.notes = [note for note in content.notes if note.file != where]
                content.note(where, len(sides[side].array), sides[side].taken_from)


def _frame(rows: Sequence[tuple[str, str, str, str, str]]) -> pd.DataFrame:
    """Queries of query_id, text, item_id, made_of, occurs."""
    found = pd.DataFrame(rows, columns=[c for c in COLUMNS if c != "image"], dtype="str")
    return found.assign(image="")[COLUMNS]


def _of_items(content: Content) -> pd.DataFrame:
    ids = content.items["item_id"].tolist()
    some = _spread(ids, MOST_ITEMS)
    guessed = (
        "nobody wrote any: each item" if some == ids else f"{len(some):,} of {len(ids):,} items"
    )
    content.note("queries.csv", len(some), "the items", guessed)
    return _frame([(f"item_{item}", "", item, "item", "") for item in some])


def _spread(ids: list[str], most: int) -> list[str]:
    """At most so many of some ids, from all over them."""
    if len(ids) <= most:
        return ids
    return [ids[place] for place in np.linspace(0, len(ids) - 1, most).astype(int)]


def _of_keywords(content: Content) -> pd.DataFrame:
    counts = content.keywords.groupby(["group", "keyword"], sort=False)["item_id"].nunique()
    first = counts.sort_values(ascending=False, kind="stable").head(MOST_KEYWORDS)
    chosen = first.rename("occurs").reset_index().astype("str")
    rows = [
        (f"keyword_{group}_{keyword}", _words(keyword), "", "keyword", number)
        for group, keyword, number in chosen.itertuples(index=False)
    ]
    once = int((counts == 1).sum())
    rest = len(counts) - len(first)
    guessed = "each keyword"
    if rest:
        guessed = f"the {len(first):,} keywords of most items; {counted(rest, 'other')} "
        guessed += f"have none ({once:,} keywords are of one item)"
    if rows:
        content.note("queries.csv", len(rows), "the keywords", guessed)
    return _frame(rows)


def _of_combinations(content: Content) -> pd.DataFrame:
    pairs: Counter[tuple[tuple[str, str], tuple[str, str]]] = Counter()
    named = zip(*(content.keywords[c] for c in ("item_id", "group", "keyword")), strict=True)
    of_item: dict[str, list[tuple[str, str]]] = {}
    for item, group, keyword in named:
        of_item.setdefault(item, []).append((group, keyword))
    for own in of_item.values():
        pairs.update(combinations(sorted(own)[:_MOST_TOGETHER], 2))
    often = [(pair, n) for pair, n in pairs.items() if n > 1]
    often = sorted(often, key=lambda each: (-each[1], each[0]))[:MOST_COMBINATIONS]
    rows = [
        (
            f"both_{'_'.join((*one, *other))}",
            f"{_words(one[1])}, {_words(other[1])}",
            "",
            "combination",
            str(n),
        )
        for (one, other), n in often
    ]
    if rows:
        most, least = often[0][1], often[-1][1]
        times = f"{least:,} to {most:,} times" if most > least else counted(most, "time")
        guessed = f"two keywords that occur together, {times}"
        content.note("queries.csv", len(rows), "pairs of keywords", guessed)
    return _frame(rows)


def _of_captions(content: Content) -> pd.DataFrame:
    short = _short_captions(content)
    first = short.drop_duplicates("item_id").drop_duplicates("caption")
    places = _spread(list(map(str, range(len(first)))), MOST_CAPTIONS)
    chosen = first.iloc[list(map(int, places))]
    rows = [
        (f"caption_{item}", caption, "", "caption", "")
        for item, caption in zip(chosen["item_id"], chosen["caption"], strict=True)
    ]
    if rows:
        guessed = "judged by the keywords in them"
        if content.keywords.empty:
            guessed = "no item has a label, so nothing judges them: they have no value"
        content.note("queries.csv", len(rows), "the captions", guessed)
    return _frame(rows)


def _short_captions(content: Content) -> pd.DataFrame:
    """The captions that can be queries; the content says how many are too long."""
    long = content.captions["caption"].str.len() > LONGEST_TEXT
    if long.any():
        own = counted(int(long.sum()), "caption")
        content.problems.append(
            f"{own} of more than {LONGEST_TEXT:,} letters not made a query "
            f"({listed(content.captions.loc[long, 'item_id'].unique())}); shorten them to have them"
        )
    return content.captions[~long].copy()


def _words(keyword: str) -> str:
    return keyword.replace("_", " ")


def _match_captions(content: Content) -> None:
    """Make the matching of pictures and captions: each caption is an item, each side searches the
    other."""
    captions = _short_captions(content)
    captions["number"] = captions.groupby("item_id").cumcount() + 1
    texts = pd.DataFrame(
        {
            "item_id": captions["item_id"] + "#" + captions["number"].astype("str"),
            "kind": "text",
            "side": "texts",
            "caption": captions["caption"],
            "of": captions["item_id"],
        }
    )
    pictures = content.items[content.items["item_id"].isin(captions["item_id"])]
    pictures = pictures.assign(side="pictures")
    items = pd.concat([pictures, texts.drop(columns="of")], ignore_index=True).fillna("")
    asked = [(f"i_{item}", "", item, "texts") for item in pictures["item_id"]]
    pairs = zip(texts["item_id"], texts["caption"], strict=True)
    asked += [(f"t_{item}", text, "", "pictures") for item, text in pairs]
    columns = ["query_id", "text", "item_id", "among"]
    content.queries = pd.DataFrame(asked, columns=columns, dtype="str").assign(image="")
    of_pictures = pd.DataFrame(
        {"query_id": "i_" + texts["of"], "item_id": texts["item_id"], "grade": "1"}
    )
    of_texts = pd.DataFrame(
        {"query_id": "t_" + texts["item_id"], "item_id": texts["of"], "grade": "1"}
    )
    content.qrels = pd.concat([of_pictures, of_texts], ignore_index=True)
    content.items = items
    content.settings["protocols"] = ["crossmodal"]
    guessed = "a picture finds its captions, a caption its picture"
    content.note("queries.csv", len(asked), "pictures and captions", guessed)
    content.note("qrels.csv", len(content.qrels), "pictures and captions", guessed)
