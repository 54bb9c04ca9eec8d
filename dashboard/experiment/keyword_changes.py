"""What reviewers correct of items' keywords and of the mapping of queries' words."""

from __future__ import annotations

import json

import pandas as pd

from dashboard import ids
from dashboard.evaluation.reviewing.keyword_corrections import (
    ADD,
    REMOVE,
    changing,
    changing_mapping,
    keyword_corrections,
)
from dashboard.experiment.corrections import State
from dashboard.experiment.memory import remembered
from dashboard.experiment.people import signed
from dashboard.storage.collection.annotation import keyword_key
from dashboard.storage.collection.collection import Collection
from dashboard.storage.reviews import reviews
from dashboard.storage.reviews.patch import KeywordChange
from dashboard.storage.reviews.review_keys import key_of
from dashboard.tables import listed


def save_of_item(
    collection: Collection, item_id: str, group: str, keyword: str, value: str, author: str
) -> str:
    """Save that an item has a keyword (`add`), does not have it (`remove`), or, with an empty
    value, nothing of it any more; returns the keyword as the collection spells it.

    Raises ValueError for an item or keyword that the collection does not know, DataError where it
    cannot be saved.
    """
    if not (collection.items["item_id"] == item_id).any():
        raise ValueError(f"no item {item_id[:80]!r} in {collection.name}")
    spelled = _spelled(collection, group, keyword)
    _save(collection, reviews.KEYWORD, value, author, group, spelled, item_id=item_id)
    return spelled


def save_of_query(
    collection: Collection,
    query_id: str,
    group: str,
    keyword: str,
    value: str,
    author: str,
    words: str = "",
) -> str:
    """Save that words of a query mean a keyword (`add`), that none do (`remove`), or take it back;
    as `save_of_item`. Raises ValueError for words that are not in the query, too."""
    known = collection.queries.loc[collection.queries["query_id"] == query_id, "text"]
    if known.empty or not known.iloc[0]:
        raise ValueError(f"no text query {query_id[:80]!r} in {collection.name}")
    spelled, text = _spelled(collection, group, keyword), str(known.iloc[0])
    if value == ADD:
        words = " ".join(words.split()).lower()
        if not words or words not in " ".join(text.split()).lower():
            raise ValueError(
                f'which words of the query mean {spelled}? Name some of "{text[:200]}": --words'
            )
        value = f"{ADD} {words}"
    _save(collection, reviews.MAPPING, value, author, group, spelled, query_id=query_id)
    return spelled


def _save(
    collection: Collection,
    kind: str,
    value: str,
    author: str,
    group: str,
    keyword: str,
    **subject: str,
) -> None:
    named = json.dumps([group, keyword], ensure_ascii=False)
    key = key_of(collection, saying=True)
    reviews.append(reviews.Review(kind, key, value, signed(author), list_id=named, **subject))


def _spelled(collection: Collection, group: str, keyword: str) -> str:
    """A keyword as the collection spells it; ValueError where the group has none of that name."""
    parts = [collection.vocabulary[["group", "keyword"]], collection.keywords[["group", "keyword"]]]
    known = pd.concat(parts).drop_duplicates().astype(str)
    if group not in set(known["group"]):
        there = listed(dict.fromkeys(known["group"]))
        raise ValueError(f"no group of keywords {group[:80]!r}; there is {there}")
    of_group = known.loc[known["group"] == group, "keyword"]
    for each in of_group:
        if keyword_key(each) == keyword_key(keyword):
            return str(each)
    raise ValueError(f"{group} has no keyword {keyword[:80]!r}; it has {listed(of_group)}")


@remembered(16)
def keyword_corrections_at(state: State) -> dict[str, pd.DataFrame]:
    """What reviewers correct by the rule of `evaluation.reviewing.keyword_corrections`: for the
    kinds `keyword` (of items) and `mapping` (of queries) a table."""
    tables = {}
    for kind, subject in ((reviews.KEYWORD, "item_id"), (reviews.MAPPING, "query_id")):
        said = reviews.latest(state.key, kind, until=state.until)
        named = [json.loads(text) for text in said["list_id"]]
        said = said.assign(
            id=said[subject],
            group=pd.Series([each[0] for each in named], index=said.index, dtype="str"),
            keyword=pd.Series([each[1] for each in named], index=said.index, dtype="str"),
        )
        tables[kind] = keyword_corrections(said)
    return tables


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
