"""Maps texts to keywords, and writes the mapping and a vocabulary beside a collection."""

from __future__ import annotations

from datetime import date

import pandas as pd

from dashboard.letters import is_visible
from dashboard.retrieval import keywords
from dashboard.retrieval.one_query import TYPED
from dashboard.storage.collection.collection import Collection
from dashboard.storage.collection.query_keywords import is_made_of, write_mapping
from dashboard.storage.collection.vocabulary import write_draft
from dashboard.tables import DataError


def mapped_text(collection: Collection, text: str, threshold: float) -> pd.DataFrame:
    """The keywords that a text is mapped to; for a stored query the stored mapping.

    Raises ValueError for an empty text.
    """
    if not is_visible(text):
        raise ValueError("the text is empty; type what you look for")
    queries = collection.queries
    stored = queries.loc[queries["text"] == text.strip(), "query_id"]
    known = collection.query_keywords
    found = known[known["query_id"].isin(stored[:1])]
    if found.empty:
        found = keywords.candidates({TYPED: text}, collection.vocabulary)
    return keywords.keep(found, threshold)


ENCODER = "all-MiniLM-L6-v2, by KeyBERT's backend"


def are_written(collection: Collection, threshold: float) -> bool:
    """Whether `write_keywords` would write what stands beside the collection already."""
    settings = {"encoder": ENCODER, "threshold": threshold, "floor": keywords.FLOOR}
    return is_made_of(collection.folder, collection.vocabulary, collection.queries, settings)


def write_keywords(collection: Collection, threshold: float) -> pd.DataFrame:
    """Map all stored text queries, write the mapping beside the collection, and return it."""
    for name in {"annotation", "vocabulary", "queries"} & set(collection.refused):
        raise collection.refused[name]
    queries = collection.queries[collection.queries["text"] != ""]
    texts = dict(zip(queries["query_id"], queries["text"], strict=True))
    found = keywords.candidates(texts, collection.vocabulary)
    settings = {
        "encoder": ENCODER,
        "threshold": threshold,
        "floor": keywords.FLOOR,
        "date": date.today().isoformat(),
    }
    write_mapping(collection.folder, found, collection.vocabulary, queries, settings)
    return keywords.keep(found, threshold)


def draft_vocabulary(collection: Collection) -> pd.DataFrame:
    """Write a vocabulary to edit beside a collection that has none, and return it: group, keyword,
    other_words."""
    for name in {"annotation", "vocabulary"} & set(collection.refused):
        raise collection.refused[name]
    if collection.vocabulary.empty:
        wanted = "keywords of the items, to draft a vocabulary of"
        raise DataError("unified_annotation.csv", "no keyword of any item", wanted)
    write_draft(collection.folder, collection.vocabulary)
    words = collection.vocabulary["words"].map(", ".join)
    return collection.vocabulary[["group", "keyword"]].assign(other_words=words)
