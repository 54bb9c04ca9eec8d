"""The results of one query that a reader asks: a text, an item of the gallery or a picture."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from PIL import Image

from dashboard.letters import is_visible
from dashboard.retrieval.by_side import search_sides
from dashboard.retrieval.encoders import encoders, pictures
from dashboard.retrieval.encoders.query_vectors import query_vectors
from dashboard.retrieval.gallery import Gallery
from dashboard.retrieval.indexes.indexed import gallery_to_search
from dashboard.retrieval.runs import model_of, run_of
from dashboard.storage.collection.collection import Collection
from dashboard.storage.collection.sides import other_side, side_of_pictures, side_of_texts
from dashboard.storage.vectors.vectors import Vectors
from dashboard.tables import LONGEST_TEXT, DataError

TYPED = "typed"


def text_run(
    collection: Collection, version: str, text: str, k: int, *, exact: bool = False
) -> pd.DataFrame:
    """The `k` results of a version for a text: the stored query's id where the text is one, else
    `typed`.

    The stored vector of a stored query is used, any other text is encoded now.
    Raises ValueError for an empty or too long text, DataError where the version cannot encode text.
    """
    text = text.strip()
    if not is_visible(text):
        raise ValueError("the search text is empty; type what you look for")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"the search text has {len(text):,} characters; at most {LONGEST_TEXT:,}")
    stored = collection.queries.loc[collection.queries["text"] == text, "query_id"].tolist()
    if version in collection.run_files:
        if not stored:
            raise DataError(f"runs/{version}", "stored results only", "a text among the queries")
        return _results_of(run_of(collection, version, "text", k), stored[0])
    model = model_of(collection, version)
    texts = collection.queries[collection.queries["text"] != ""]
    vectors = query_vectors(model, texts).vectors.rows(stored[:1]) if stored else None
    if vectors is None or not vectors.ids:
        vectors = encoders.text_vectors(model, [stored[0] if stored else TYPED], [text])
    side = _among(collection, stored[0]) if stored else side_of_texts(collection.queries)
    return _search_one(
        collection, vectors, gallery_to_search(model, collection.items, exact=exact), side, k
    )


def item_run(
    collection: Collection, version: str, item_id: str, k: int, *, exact: bool = False
) -> pd.DataFrame:
    """The `k` items most similar to an item, itself left out; the query's id is that of the stored
    item query where there is one, else the item's."""
    queries = collection.queries
    same = queries.loc[(queries["item_id"] == item_id) & (queries["text"] == ""), "query_id"]
    query = str(same.iloc[0]) if len(same) else item_id
    if version in collection.run_files:
        if same.empty:
            raise DataError(f"runs/{version}", "stored results only", "an item among the queries")
        return _results_of(run_of(collection, version, "item", k), query)
    model = model_of(collection, version)
    own = model.items.rows([item_id])
    if not own.ids:
        raise DataError(f"models/{version}", f"no vector of {item_id!r}", "an item with a vector")
    side = _among(collection, query) if len(same) else other_side(collection.items, item_id)
    gallery = gallery_to_search(model, collection.items, exact=exact)
    return _search_one(collection, own.named([query]), gallery, side, k, {query: item_id})


def picture_run(
    collection: Collection, version: str, picture: Image.Image, k: int, *, exact: bool = False
) -> pd.DataFrame:
    """The `k` results of a version for a picture that is no item; the query's id is `typed`.

    Raises DataError where the version cannot encode a picture.
    """
    if version in collection.run_files:
        raise DataError(f"runs/{version}", "stored results only", "a model with a picture side")
    model = model_of(collection, version)
    asked = pictures.encode_picture(model, picture, TYPED)
    gallery, side = (
        gallery_to_search(model, collection.items, exact=exact),
        side_of_pictures(collection.items),
    )
    return _search_one(collection, asked, gallery, side, k)


def _among(collection: Collection, query: str) -> str:
    """The side that a stored query searches; empty: everywhere."""
    queries = collection.queries
    if "among" not in queries.columns:
        return ""
    return str(queries.loc[queries["query_id"] == query, "among"].iloc[0])


def _search_one(
    collection: Collection,
    vectors: Vectors,
    gallery: Gallery,
    side: str,
    k: int,
    own: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    among = dict.fromkeys(vectors.ids, side)
    return search_sides(vectors, gallery, collection.items, among, k, own or {})


def _results_of(run: pd.DataFrame, query: str) -> pd.DataFrame:
    return run[run["query_id"] == query].reset_index(drop=True)
