"""What versions can be searched with: any text or picture, the stored queries' texts, items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dashboard.retrieval.encoders.encoders import ENCODERS
from dashboard.retrieval.encoders.query_vectors import to_encode
from dashboard.storage.collection.collection import Collection


@dataclass(frozen=True)
class Searchable:
    """What some versions of a collection can be searched with.

    encode  those that turn any text into a vector; others: further versions that do
    texts   texts of stored queries that some version has a vector or results of
    items   the ids of items that some version has a vector or results of
    see     those that turn any picture into a vector
    """

    encode: tuple[str, ...]
    others: tuple[str, ...]
    texts: tuple[str, ...]
    items: tuple[str, ...]
    see: tuple[str, ...]

    @cached_property
    def item_ids(self) -> frozenset[str]:
        """The ids of those items, to look one up."""
        return frozenset(self.items)


def searchable(collection: Collection, versions: Sequence[str]) -> Searchable:
    """What can be searched with in at least one of the versions.

    A query that needs a picture, too, is no text: its words mean nothing alone.
    """
    able = [name for name, model in collection.searched.items() if model.encoder in ENCODERS]
    known, items = _known(collection, versions)
    queries = collection.queries
    alone = queries[(queries["text"] != "") & (queries["image"] == "") & (queries["item_id"] == "")]
    gallery = collection.items["item_id"].tolist()
    return Searchable(
        tuple(name for name in versions if name in able),
        tuple(name for name in able if name not in versions),
        tuple(dict.fromkeys(alone.loc[alone["query_id"].isin(known), "text"])),
        tuple(item for item in gallery if item in items),
        tuple(name for name in versions if _sees(collection, name)),
    )


def _sees(collection: Collection, version: str) -> bool:
    model = collection.searched.get(version)
    return model is not None and model.picture is not None


def _known(collection: Collection, versions: Sequence[str]) -> tuple[set[str], set[str]]:
    """The stored queries and the items that some version has a vector of; of a file of results the
    queries, which are taken to be all, and the items among them."""
    queries, known, items = collection.queries, set[str](), set[str]()
    for name in versions:
        if name in collection.run_files:
            known |= set(queries["query_id"])
            items |= set(queries.loc[queries["text"] == "", "item_id"])
        elif name in collection.searched:
            model = collection.searched[name]
            known |= set(model.queries.ids if model.queries else ())
            known |= set(to_encode(model, queries))
            items |= set(model.items.ids)
    return known, items
