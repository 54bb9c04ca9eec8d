"""Search with a typed text, an item or a picture: a query that is not stored."""

from dataclasses import replace

import numpy as np
from PIL.Image import Image

from dashboard.errors import ChoiceError, DataError
from dashboard.retrieval.encoders import encode_picture, encode_text, fit_to_items, scale_vector
from dashboard.storage.collection import Collection
from dashboard.storage.vectors import Vectors
from dashboard.study.query_result import QueryResult, show_query
from dashboard.study.study import Study
from dashboard.tables import Names, Table

TYPED = "(typed)"
"""Id of a query that is searched with and not stored."""
MAX_CHARACTERS = 1_000
"""Characters of a typed text; a longer one takes minutes to embed and to map to keywords."""


def search(
    study: Study,
    versions: Names,
    *,
    text: str = "",
    item: str = "",
    picture: Image | None = None,
    depth: int = 5,
    metric: str = "",
) -> QueryResult:
    """Return what each version finds for a text, an item or a picture.

    A stored query's text is searched with its stored vectors, and judged as that query is; any
    other text is embedded by each version's own text side, and its words are mapped to keywords. A
    picture is embedded by each version's picture side; a text beside it decides relevance only.

    Raises:
        ChoiceError: If the item is unknown, or the text too long.
    """
    collection = study.collection
    if item and item not in collection.items.index:
        raise ChoiceError(f"There is no item {item!r}.")
    stored = list(zip(collection.queries["text"], collection.queries["item_id"], strict=True))
    wanted = ("", item) if item else (text, "")
    every = study.choices.replace(queries="all", slice=())
    if picture is None and wanted in stored:
        return show_query(Study(collection, every), stored.index(wanted), versions, depth, metric)
    if len(text) > MAX_CHARACTERS:
        raise ChoiceError(
            f"The text has {len(text):,} characters. Search with at most {MAX_CHARACTERS:,}."
        )
    asked = replace(
        collection,
        queries=Table("", "query_id", {"query_id": (TYPED,), "text": (text,), "item_id": (item,)}),
    )
    asked = _encode(asked, versions, text, picture)
    rules = study.rules
    if text and rules.map_text and rules.name in asked.tables:
        told = {rules.name: rules.map_text(asked, TYPED, text)}
        asked = replace(asked, tables=asked.tables | told)
    return show_query(Study(asked, every), 0, versions, depth, metric)


def _encode(asked: Collection, versions: Names, text: str, picture: Image | None) -> Collection:
    """Return a collection of one query with its vectors; an item has its own already."""
    broken, encoded = dict(asked.broken), dict(asked.versions)
    is_new = bool(text) or picture is not None
    for version in (encoded[name] for name in versions if name in encoded):
        try:
            if version.items is None:
                if is_new or version.make_source is None:
                    raise DataError(
                        version.file,
                        "results of stored queries only",
                        "vectors, to search with something new",
                    )
            elif is_new:
                name, items = f"{version.file}/model.toml", version.items
                if picture is None:
                    vector = encode_text(asked.folder, version, text)
                    vector = scale_vector(vector, items.dimension, name, "a text")
                else:
                    vector = encode_picture(asked.folder, version, picture)
                    vector = fit_to_items(vector, items.scale(0, 100), name)
                made = Vectors((TYPED,), vector, np.zeros(1, dtype=np.int64), np.ones(1))
                encoded[version.name] = replace(version, queries=made)
        except DataError as error:
            broken[version.name] = error
    return replace(asked, versions=encoded, broken=broken)
