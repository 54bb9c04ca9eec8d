"""Which collection a review belongs to: the same after its folder is renamed or written again,
another one where merely the name or the place is the same.

The content decides. For each collection the store of reviews records its place, the fingerprint of
its gallery and queries, and 128 each of its items and queries. A release at the same place, or
under the same name when the old place no longer has it, is the same collection if it has at least
half of those items, and at least half of the recorded queries that it still has are unchanged. A
folder of another name is the same only with the same fingerprint, and only when the old place no
longer has it: a copy beside the original is a collection of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from sqlalchemy import Connection, func, insert, select

from dashboard.storage.collection import digests
from dashboard.storage.collection.collection import SETTINGS, Collection, open_collection
from dashboard.storage.reviews import rights, store
from dashboard.storage.reviews.review_tables import KNOWN, REVIEW
from dashboard.tables import DataError

ENOUGH = 0.5
"""The share of the recorded items and queries that a collection needs to be the same."""
DRAWN = 128  # recorded ids of each table: enough to estimate a half within 9 points
_LAST = (
    select(*(KNOWN.c[name] for name in ("collection", "folder", "content", "items", "queries")))
    .where(KNOWN.c.number.in_(select(func.max(KNOWN.c.number)).group_by(KNOWN.c.collection)))
    .order_by(KNOWN.c.number.desc())
)


class Known(NamedTuple):
    """The last record of a collection: its folder (empty where unknown); the fingerprint of gallery
    and queries; ids of items, a JSON list; the hashed texts of queries by id, a JSON object.

    An older file has the reviewed items for items, and an empty text for queries.
    """

    folder: str
    content: str
    items: str
    queries: str


def key_of(collection: Collection, *, saying: bool = False) -> str:
    """The key of a collection's reviews: its name, or `name (2)` where another collection has that.

    saying: a review is about to be saved, so the collection is recorded under its key. Raises
    DataError where the folder is gone or the store of reviews cannot be read or written.
    """
    rights.require(rights.REVIEW if saying else rights.READ)
    if not saying and not store.exists():
        return collection.name
    if not collection.folder.is_dir():
        raise DataError(collection.name, "a folder that is gone", "the collection's")
    while True:
        with store.opened(writing=False) as connection:
            known = _known(connection)
        key = _unchanged(known, collection)
        if key is not None:
            return key
        key = _recognised(known, collection) or _free(collection.name, known)
        if _note(key, collection, known, saying):
            return key


def folders_of_several() -> frozenset[str]:
    """The names of folders whose results two people or more judged, as far as they are recorded:
    `key_of` decides whether a collection of such a name is the one. Empty without a store; raises
    DataError where it cannot be read.
    """
    rights.require(rights.READ)
    if not store.exists():
        return frozenset()
    verdicts = select(REVIEW.c.collection).where(REVIEW.c.kind == "verdict")
    several = verdicts.group_by(REVIEW.c.collection).having(
        func.count(REVIEW.c.author.distinct()) > 1
    )
    recorded = select(KNOWN.c.collection, KNOWN.c.folder).where(KNOWN.c.collection.in_(several))
    with store.opened(writing=False) as connection:
        rows = connection.execute(recorded).all()
    return frozenset({key for key, _ in rows} | {Path(folder).name for _, folder in rows})


def _known(connection: Connection) -> dict[str, Known]:
    """The last record of each key, the latest first."""
    return {key: Known(*noted) for key, *noted in connection.execute(_LAST)}


def _note(key: str, collection: Collection, known: dict[str, Known], saying: bool) -> bool:
    """Record a collection under a key, unless another process has just recorded something.

    Where no review is about to be saved, a store that cannot be written is no error.
    """
    place = str(collection.folder.absolute())
    drawn = Known(place, _content(collection), _items(collection), _queries(collection))
    try:
        with store.opened(writing=True) as connection:
            first = _known(connection) == known
            if first:
                row = {"collection": key} | drawn._asdict()
                connection.execute(insert(KNOWN).values(row))
    except DataError:
        if saying:
            raise
        return True
    return first


def _recognised(known: dict[str, Known], collection: Collection) -> str | None:
    """The key of the collection that this one is, most alike first: at its place, or moved."""
    alike = {key: _likeness(noted, collection) for key, noted in known.items()}
    likely = sorted((key for key in alike if alike[key] >= ENOUGH), key=lambda key: -alike[key])
    for key in likely:
        if _same_place(known[key], collection):
            return key
    for key in likely:
        same_name = (Path(known[key].folder).name or key) == collection.name
        same_content = known[key].content == _content(collection)
        if (same_name or same_content) and not _still_there(known[key]):
            return key
    return None


def _unchanged(known: dict[str, Known], collection: Collection) -> str | None:
    """The key of a collection that is just as it was recorded; only fingerprints are compared."""
    place, content = str(collection.folder.absolute()), _content(collection)
    same = [key for key, noted in known.items() if noted.content == content and noted.queries]
    here = [key for key in same if _same_place(known[key], collection)]
    return min(here, key=lambda key: known[key].folder != place, default=None)


def _same_place(noted: Known, collection: Collection) -> bool:
    """Whether two paths are one folder: the same path, even a link, or two paths that lead to
    it."""
    if noted.folder == str(collection.folder.absolute()):
        return True
    try:
        return noted.folder != "" and collection.folder.samefile(noted.folder)
    except OSError:
        return False


def _still_there(noted: Known) -> bool:
    """Whether the recorded place still has that collection; one that cannot be opened counts."""
    if not (noted.folder and (Path(noted.folder) / SETTINGS).is_file()):
        return False
    try:
        return _likeness(noted, open_collection(noted.folder, allow_path=True)) >= ENOUGH
    except DataError:
        return True


def _likeness(noted: Known, collection: Collection) -> float:
    """The share of the recorded items that a collection has; 2 where everything is the same, 0
    where its queries have other texts under the same ids."""
    if noted.content == _content(collection):
        return 2.0
    items = json.loads(noted.items)
    words = json.loads(noted.queries or "{}")
    queries = collection.queries[collection.queries["query_id"].isin(list(words))]
    asked = _words(queries)
    if sum(words[query] == said for query, said in asked.items()) < ENOUGH * len(asked):
        return 0.0
    return float(collection.items["item_id"].isin(items).sum()) / len(items) if items else ENOUGH


def _content(collection: Collection) -> str:
    return digests.of_values(collection.digests["gallery"], collection.digests["queries"])


def _items(collection: Collection) -> str:
    return json.dumps(_drawn(collection.items, "item_id")["item_id"].tolist())


def _queries(collection: Collection) -> str:
    return json.dumps(_words(_drawn(collection.queries, "query_id")))


def _words(queries: pd.DataFrame) -> dict[str, str]:
    said = zip(queries["query_id"], queries["text"], strict=True)
    return {str(query): digests.of_values(text)[:16] for query, text in said}


def _drawn(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows whose ids have the smallest hashes: a random sample that is the same each time."""
    hashes = pd.util.hash_array(table[column].to_numpy(dtype=object), categorize=False)
    return table.iloc[hashes.argsort(kind="stable")[:DRAWN]]


def _free(name: str, known: Iterable[str]) -> str:
    """The name, or the first of `name (2)`, `name (3)` … that no collection has."""
    taken = set(known)
    numbered = (f"{name} ({number})" for number in count(2))
    return name if name not in taken else next(each for each in numbered if each not in taken)
