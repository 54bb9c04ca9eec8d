"""What reviewers correct of items' keywords and of the mapping of queries' words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from dashboard import ids
from dashboard.evaluation.reviewing.keyword_corrections import (
    ADD,
    REMOVE,
    changing,
    changing_mapping,
    keyword_corrections,
    keyword_disagreements,
)
from dashboard.experiment.collection.collections import collection_in
from dashboard.experiment.memory import remembered
from dashboard.experiment.reviews.corrections import State
from dashboard.experiment.reviews.people import signed
from dashboard.storage.collection.annotation import keyword_key
from dashboard.storage.collection.collection import Collection
from dashboard.storage.reviews import reviews
from dashboard.storage.reviews.patch import KeywordChange
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.reviews import KEYWORD as KEYWORD
from dashboard.storage.reviews.reviews import MAPPING as MAPPING
from dashboard.tables import listed

_SUBJECTS = {KEYWORD: "item_id", MAPPING: "query_id"}
"""The kinds of corrections of keywords, and what each is about."""
DECISIONS = {kind: reviews.DECISIONS[kind] for kind in _SUBJECTS}
"""Of each the kind of a curator's decision."""


def save(
    collection: Collection,
    kind: str,
    subject: str,
    group: str,
    keyword: str,
    value: str,
    author: str,
    once: str | None = None,
) -> str:
    """Save what a reviewer says of a keyword of an item (KEYWORD) or of a query's words (MAPPING),
    or what a curator decides (of DECISIONS); returns the keyword as the collection spells it.

    subject: the id of the item or query. value: `add` (the item has it; of a query with the words
    that mean it: `add at night`), `remove` (it has not, or none mean it), or empty: nothing any
    more. once: as in `reviews.append`. Raises ValueError for an item, query or keyword that the
    collection does not know and for words that are not in the query, DataError where it cannot be
    saved.
    """
    spelled = _spelled(collection, group, keyword)
    of_item = kind in (KEYWORD, DECISIONS[KEYWORD])
    if of_item and not (collection.items["item_id"] == subject).any():
        raise ValueError(f"no item {subject[:80]!r} in {collection.name}")
    if not of_item:
        value = _checked_mapping(collection, subject, spelled, value)
    about = {_SUBJECTS[KEYWORD if of_item else MAPPING]: subject}
    named = json.dumps([group, spelled], ensure_ascii=False)
    key = key_of(collection, saying=True)
    review = reviews.Review(kind, key, value, signed(author), list_id=named)
    reviews.append(replace(review, **about), once)
    return spelled


def _checked_mapping(collection: Collection, query_id: str, keyword: str, value: str) -> str:
    """The value of a mapping, its words as they are compared."""
    known = collection.queries.loc[collection.queries["query_id"] == query_id, "text"]
    if known.empty or not known.iloc[0]:
        raise ValueError(f"no text query {query_id[:80]!r} in {collection.name}")
    text, (way, _, words) = str(known.iloc[0]), value.partition(" ")
    if way != ADD:
        return value
    words = " ".join(words.split()).lower()
    if not words or words not in " ".join(text.split()).lower():
        raise ValueError(f'which words of the query mean {keyword}? Name some of "{text[:200]}"')
    return f"{ADD} {words}"


def _spelled(collection: Collection, group: str, keyword: str) -> str:
    """A keyword as the collection spells it; ValueError where the group has none of that name."""
    known = keywords_by_group(str(collection.folder), collection.digest)
    if group not in known:
        raise ValueError(f"no group of keywords {group[:80]!r}; there is {listed(known)}")
    for each in known[group]:
        if keyword_key(each) == keyword_key(keyword):
            return each
    raise ValueError(f"{group} has no keyword {keyword[:80]!r}; it has {listed(known[group])}")


@remembered(8)
def keywords_by_group(folder: str, digest: str) -> dict[str, list[str]]:
    """Every keyword that a collection's vocabulary or an item has, by group."""
    collection, pair = collection_in(folder, digest), ["group", "keyword"]
    parts = [
        table[pair].drop_duplicates() for table in (collection.vocabulary, collection.keywords)
    ]
    known = pd.concat(parts).astype(str).drop_duplicates()
    return {str(group): of.tolist() for group, of in known.groupby("group", sort=False)["keyword"]}


@remembered(16)
def keyword_corrections_at(state: State) -> dict[str, pd.DataFrame]:
    """What reviewers correct by the rule of `evaluation.reviewing.keyword_corrections`: for the
    kinds `keyword` (of items) and `mapping` (of queries) a table."""
    return {
        kind: keyword_corrections(*_reviews(state.key, kind, state.until)) for kind in _SUBJECTS
    }


def undecided_keywords(collection: Collection) -> pd.DataFrame:
    """The keywords of items (kind `keyword`) and of queries' words (`mapping`) on which reviewers
    differ and no curator has decided: kind, id, group, keyword, reviews.

    Raises DataError where reviews cannot be read.
    """
    tables = [
        keyword_disagreements(*_reviews(key_of(collection), kind)).assign(kind=kind)
        for kind in _SUBJECTS
    ]
    return pd.concat(tables, ignore_index=True)


def _reviews(key: str, kind: str, until: int | None = None) -> list[pd.DataFrame]:
    """What reviewers say, and what curators have decided."""
    both = (kind, reviews.DECISIONS[kind])
    return [_named(reviews.latest(key, each, until=until)) for each in both]


def _named(said: pd.DataFrame) -> pd.DataFrame:
    """Reviews with the id of the item or query, the group and the keyword that they are about."""
    named = [json.loads(text) for text in said["list_id"]]
    return said.assign(
        id=said["item_id"] + said["query_id"],  # one of them is empty
        group=pd.Series([each[0] for each in named], index=said.index, dtype="str"),
        keyword=pd.Series([each[1] for each in named], index=said.index, dtype="str"),
    )


class Reviewed(NamedTuple):
    """A keyword of an item or query, and what reviewers say: author and value of each. words: of
    the query that mean it; given: the collection has it."""

    group: str
    keyword: str
    words: str
    given: bool
    reviews: list[tuple[str, str]]


def reviewed_keywords(
    collection: Collection, kind: str, subject: str, given: Sequence[tuple[str, str, str]]
) -> list[Reviewed]:
    """The keywords of an item (KEYWORD) or query (MAPPING), and those that reviewers name besides.

    given: group, keyword and words of those that it has. Raises DataError where reviews cannot be
    read.
    """
    about: dict[str, Any] = {_SUBJECTS[kind]: subject}
    said = _named(reviews.latest(key_of(collection), kind, **about))
    by_keyword: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in said.to_dict("records"):
        values = by_keyword.setdefault((row["group"], row["keyword"]), [])
        values.append((str(row["author"]), str(row["value"])))
    words_of = {(group, keyword): words for group, keyword, words in reversed(given)}
    rows = [
        Reviewed(*pair, words_of[pair], True, by_keyword.pop(pair, []))
        for pair in dict.fromkeys(each[:2] for each in given)
    ]
    return rows + [Reviewed(*pair, "", False, of) for pair, of in by_keyword.items()]


def keyword_changes(collection: Collection, state: State) -> dict[str, pd.DataFrame]:
    """The corrections that change something of a collection as its files are: for each kind a table
    of id, group, keyword, value and reviewers. What is no longer in the collection is left out."""
    tables = keyword_corrections_at(state)
    items, queries = tables[reviews.KEYWORD], tables[reviews.MAPPING]
    items = items[ids.among(items["id"], collection.items["item_id"])]
    queries = queries[queries["id"].isin(collection.queries["query_id"])]
    return {
        reviews.KEYWORD: changing(collection.keywords, items),
        reviews.MAPPING: changing_mapping(collection.query_keywords, queries),
    }


def as_changes(table: pd.DataFrame) -> list[KeywordChange]:
    """The rows of a table of `keyword_changes`, as files are changed by them."""
    return [
        KeywordChange(
            row["id"],
            row["group"],
            row["keyword"],
            row["value"] != REMOVE,
            row["value"].removeprefix(ADD).strip(),
        )
        for row in table.to_dict("records")
    ]
