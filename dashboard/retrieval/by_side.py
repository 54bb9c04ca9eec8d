"""Searches by the side of each query: captions for a picture, pictures for a caption."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.ids import codes
from dashboard.retrieval.gallery import Gallery
from dashboard.retrieval.indexes.indexed import IndexedGallery
from dashboard.storage.collection.sides import sides
from dashboard.storage.vectors.vectors import Vectors


def search_sides(
    queries: Vectors,
    gallery: Gallery,
    items: pd.DataFrame,
    among: Mapping[str, str],
    depth: int | None,
    leave_out: Mapping[str, str],
) -> pd.DataFrame:
    """The results of queries, each on the side that `among` names for it (none: everywhere).

    depth: results of each query; None: the whole side.
    """
    parts = [
        there.search(asked, depth or len(there.ids), leave_out)
        for asked, there in parts_by_side(queries, gallery, items, among)
    ]
    run = joined(parts, queries, gallery)
    if isinstance(gallery, IndexedGallery):
        partial = {q: more for part in parts for q, more in part.attrs["partial"].items()}
        run.attrs |= {"partial": partial, "cut": gallery.depth}
    return run


def parts_by_side(
    queries: Vectors, gallery: Gallery, items: pd.DataFrame, among: Mapping[str, str]
) -> Iterator[tuple[Vectors, Gallery]]:
    """The queries of each side with the items that they search, where there are any."""
    side_of = sides(items)
    if not side_of:
        yield queries, gallery
        return
    for side in dict.fromkeys(among.get(query, "") for query in queries.ids):
        asked = queries.rows([query for query in queries.ids if among.get(query, "") == side])
        there = gallery.part([i for i in gallery.ids if not side or side_of.get(i) == side])
        if there.ids:
            yield asked, there


def joined(parts: list[pd.DataFrame], queries: Vectors, gallery: Gallery) -> pd.DataFrame:
    """The runs of several sides as one."""
    if len(parts) == 1:
        return parts[0]
    none = [np.empty(0, dtype=np.int64)]
    known = {"query_id": queries.index, "item_id": gallery.vectors.index}
    columns: dict[str, pd.Categorical[str] | npt.NDArray[Any]] = {
        name: pd.Categorical.from_codes(
            np.concatenate(none + [codes(part[name], index) for part in parts]), categories=index
        )
        for name, index in known.items()
    }
    for name in ("score", "rank"):
        columns[name] = np.concatenate(none + [part[name].to_numpy() for part in parts])
    return pd.DataFrame(columns)


def on_its_side(run: pd.DataFrame, queries: pd.DataFrame, items: pd.DataFrame) -> pd.DataFrame:
    """A stored run without the items on another side than its query searches, ranks closed up.

    What is no item of the collection is on no side, and keeps its place.
    """
    side_of = sides(items)
    if not side_of or "among" not in queries.columns:
        return run
    among = dict(zip(queries["query_id"], queries["among"], strict=True))
    wanted = run["query_id"].astype("str").map(among).astype("str").fillna("").to_numpy()
    stands = run["item_id"].astype("str").map(side_of).astype("str").fillna("").to_numpy()
    is_item = run["item_id"].isin(items["item_id"]).to_numpy()
    right = np.asarray((wanted == "") | (wanted == stands) | ~is_item)
    if right.all():
        return run
    kept = run[right].reset_index(drop=True)
    return kept.assign(rank=kept.groupby("query_id", observed=True).cumcount() + 1)
