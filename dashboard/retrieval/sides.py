"""A search on one side of a collection: captions for a picture, pictures for a caption."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dashboard.retrieval.search import search
from dashboard.storage.files import Vectors
from dashboard.storage.sides import sides


def search_sides(
    queries: Vectors,
    gallery: Vectors,
    items: pd.DataFrame,
    among: Mapping[str, str],
    depth: int | None,
    leave_out: Mapping[str, str],
) -> pd.DataFrame:
    """The run of `search`, each query on the side that `among` names for it (none: everywhere).

    depth: results of each query; None: the whole side.
    """
    side_of = sides(items)
    if not side_of:
        return search(queries, gallery, depth or len(gallery.ids), leave_out)
    found = []
    for side in dict.fromkeys(among.get(query, "") for query in queries.ids):
        asked = queries.rows([query for query in queries.ids if among.get(query, "") == side])
        there = gallery.rows([i for i in gallery.ids if not side or side_of.get(i) == side])
        if there.ids:
            found.append(search(asked, there, depth or len(there.ids), leave_out))
    if len(found) == 1:
        return found[0]
    run = pd.concat([part.astype({"query_id": "str", "item_id": "str"}) for part in found])
    return run.reset_index(drop=True).assign(
        query_id=pd.Categorical(run["query_id"], categories=queries.index),
        item_id=pd.Categorical(run["item_id"], categories=gallery.index),
    )


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
