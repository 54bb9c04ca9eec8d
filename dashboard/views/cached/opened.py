"""Collections, what is in them, and the text model: opened once for all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.retrieval import language_models, searchable
from dashboard.retrieval.searchable import Searchable
from dashboard.storage import collection as collections
from dashboard.storage import media, sides
from dashboard.storage.collection import Collection
from dashboard.storage.freshness import stamp
from dashboard.storage.media import asked
from dashboard.tables import DataError
from dashboard.views import labels


def collection_names() -> list[str]:
    """The names of the collections that can be opened, in order."""
    return collections.names()


def collection(name: str) -> tuple[Collection | None, str]:
    """The opened collection and "", or `None` and why it cannot be opened."""
    try:
        return _opened(name, stamp(name)), ""
    except DataError as error:
        return None, str(error)


def opened(name: str) -> Collection:
    """The opened collection that `collection` has already found usable."""
    return _opened(name, stamp(name))


def opened_as(name: str, digest: str) -> Collection:
    """The opened collection in the state that a question was asked in; its answers are kept by it.

    Raises DataError where the files have changed since, so that no answer is kept under a state
    that it was not computed from.
    """
    known = opened(name)
    if known.digest != digest:
        raise DataError(name, "files that changed while they were read", "a moment's patience")
    return known


def usual_queries(collection: Collection) -> str:
    """The kind of queries that a collection is opened with."""
    known = collection
    return sides.usual_queries(known.queries, known.protocols, known.query_keywords)


def item_names(name: str) -> dict[str, str]:
    """What each item is called: its caption, or its id where it has none."""
    return _item_names(name, stamp(name))


@st.cache_resource(max_entries=32, show_spinner=False)
def _item_names(name: str, state: str) -> dict[str, str]:
    return labels.item_names(_opened(name, state).items)


def query_names(name: str) -> dict[str, str]:
    """What each stored query is called: its text, or the item that it is about."""
    return _query_names(name, stamp(name))


@st.cache_resource(max_entries=32, show_spinner=False)
def _query_names(name: str, state: str) -> dict[str, str]:
    known = _opened(name, state)
    return labels.query_names(known.queries, known.items)


@st.cache_resource(max_entries=8, show_spinner="Reading the collection …")
def _opened(name: str, state: str) -> Collection:
    return collections.open_collection(name)


@st.cache_resource(max_entries=32, show_spinner=False)
def _words(name: str, digest: str) -> labels.Words:
    known = opened_as(name, digest)
    return labels.words(known.items, known.queries)


def words(collection: Collection) -> labels.Words:
    """What the items and queries of a collection are called."""
    return _words(collection.name, collection.digest)


def searched_with(collection: Collection, versions: tuple[str, ...]) -> Searchable:
    """What versions of a collection can be searched with."""
    return _searched_with(collection.name, collection.digest, versions)


@st.cache_resource(max_entries=32, show_spinner=False)
def _searched_with(name: str, digest: str, versions: tuple[str, ...]) -> Searchable:
    return searchable.searchable(opened_as(name, digest), versions)


def media_of(name: str, item_ids: Sequence[str]) -> pd.DataFrame:
    """How items are shown: addresses of clip and poster, or the word for what is wrong with them.

    Not remembered: whether a file is there is looked up each time.
    """
    return media.media(opened(name), item_ids)


def pictures_of(name: str, query_ids: Sequence[str]) -> pd.DataFrame:
    """What stored queries are asked with: address of a picture, text of an item, or what is wrong.

    Not remembered, as above.
    """
    return asked.pictures(opened(name), query_ids)


@st.cache_resource(show_spinner=False)
def _loading_text_model() -> Any:
    return language_models.warm()


def load_text_model() -> None:
    """Begin to load the text model in the background, once; screens call it when they are drawn."""
    _loading_text_model()


def text_model() -> str:
    """The state of the text model: ready, loading or failed."""
    if language_models.ready():
        return "ready"
    return "loading" if _loading_text_model().is_alive() else "failed"


def text_model_state() -> str:
    """A stamp that changes when other files take the place of the text model's."""
    return language_models.state()
