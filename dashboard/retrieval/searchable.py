"""What versions can be searched with: any text or picture, the stored queries' texts, items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.ids import places, shared
from dashboard.retrieval.encoders.encoders import ENCODERS
from dashboard.retrieval.encoders.query_vectors import to_encode
from dashboard.storage.collection.collection import Collection


@dataclass(frozen=True, eq=False)
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
    items: pd.Index
    see: tuple[str, ...]


def searchable(collection: Collection, versions: Sequence[str]) -> Searchable:
    """What can be searched with in at least one of the versions.

    A query that needs a picture, too, is no text: its words mean nothing alone.
    """
    able = [name for name, model in collection.searched.items() if model.encoder in ENCODERS]
    known, items = _known(collection, versions)
    queries = collection.queries
    alone = queries[(queries["text"] != "") & (queries["image"] == "") & (queries["item_id"] == "")]
    return Searchable(
        tuple(name for name in versions if name in able),
        tuple(name for name in able if name not in versions),
        tuple(dict.fromkeys(alone.loc[alone["query_id"].isin(known), "text"])),
        items,
        tuple(name for name in versions if _sees(collection, name)),
    )


def _sees(collection: Collection, version: str) -> bool:
    model = collection.searched.get(version)
    return model is not None and model.picture is not None


def _known(collection: Collection, versions: Sequence[str]) -> tuple[set[str], pd.Index]:
    """The stored queries and the items that some version has a vector of; of a file of results the
    queries, which are taken to be all, and the items among them."""
    queries, known = collection.queries, set[str]()
    items = shared(pd.Index(collection.items["item_id"]))
    searched = np.zeros(len(items), dtype=bool)
    for name in versions:
        if name in collection.run_files:
            known |= set(queries["query_id"])
            searched |= items.isin(queries.loc[queries["text"] == "", "item_id"])
        elif name in collection.searched:
            model = collection.searched[name]
            known |= set(model.queries.ids if model.queries else ())
            known |= set(to_encode(model, queries))
            searched |= places(items, model.items.index) >= 0
    return known, items if searched.all() else items[searched]
