"""Collections and what is in them, opened once for all who look at them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from dashboard.evaluation.keywords_of_items import KeywordsOfItems
from dashboard.experiment.collection import names
from dashboard.experiment.memory import constant_in_a_run, remembered
from dashboard.retrieval import searchable
from dashboard.retrieval.encoders import language_models
from dashboard.retrieval.encoders.query_vectors import to_encode
from dashboard.retrieval.runs import Which
from dashboard.retrieval.searchable import Searchable as Searchable
from dashboard.storage.collection import collection as stored
from dashboard.storage.collection import sides
from dashboard.storage.collection.collection import Collection as Collection
from dashboard.storage.collection.digests import stamp
from dashboard.storage.collection.settings import group_name
from dashboard.storage.versions.versions import ENCODERS
from dashboard.tables import DataError

LOOKS = 10
"""So many times a second the run of a page looks whether the files have changed."""


@constant_in_a_run
def collection_names() -> list[str]:
    """The names of the collections that can be opened, in order."""
    return stored.names()


def check_readable() -> int:
    """The number of collections. Raises DataError where the data folder, or the settings of one of
    them, cannot be read."""
    return stored.check_readable()


def collection(name: str) -> tuple[Collection | None, str]:
    """The opened collection of that name and "", or `None` and why it cannot be opened."""
    try:
        return opened(name), ""
    except DataError as error:
        return None, str(error)


@constant_in_a_run
def opened(name: str) -> Collection:
    """The collection of that name below the data folder, in the state of its files.

    Raises DataError where there is none, or it cannot be opened.
    """
    folder, state = state_of(name)
    return _opened(str(folder), state)


@constant_in_a_run
def state_of(name: str) -> tuple[Path, str]:
    """The folder of the collection of that name, and the stamp of its files: what a page is drawn
    from. Raises DataError where there is none."""
    folder = stored.find(name)
    return folder, stamp(folder)


def opened_at(name_or_path: str) -> Collection:
    """The collection of that name, or in the folder at that path, in the state of its files."""
    return opened_in(stored.find(name_or_path, allow_path=True))


def opened_in(folder: Path) -> Collection:
    """The collection in a folder, which may stand anywhere, in the state of its files."""
    return _opened(str(folder), _stamp_at(folder, int(time.monotonic() * LOOKS)))


@constant_in_a_run
def _stamp_at(folder: Path, look: int) -> str:
    return stamp(folder)


def collection_in(folder: str, digest: str) -> Collection:
    """The collection in a folder in the state that an experiment is about.

    Raises DataError where the files have changed since, so that no result is remembered for a state
    that it was not computed from.
    """
    collection = opened_in(Path(folder))
    if collection.digest != digest:
        wanted = "a moment's patience"
        cure = "Ask again: what was computed until then is of files that are no longer there."
        found = "files that changed while they were read"
        raise DataError(collection.name, found, wanted, cure=cure)
    return collection


@remembered(8, work="Reading the collection …")
def _opened(folder: str, state: str) -> Collection:
    return stored.open_collection(Path(folder), allow_path=True)


def groups_named(collection: Collection, names: Sequence[str] | None) -> list[str]:
    """The keyword groups of some names, by default the collection's default groups.

    Raises ValueError for one that the collection does not have.
    """
    groups = [group_name(name) for name in names or collection.default_groups]
    unknown = [group for group in groups if group not in collection.groups]
    if unknown:
        raise ValueError(f"no group {unknown[0]!r}; there are {', '.join(collection.groups)}")
    return groups


def usual_queries(collection: Collection) -> Which:
    """The kind of queries that a collection is opened with."""
    return _usual_queries(str(collection.folder), collection.digest, collection.protocols)


@remembered(64)
def _usual_queries(folder: str, digest: str, protocols: tuple[str, ...]) -> Which:
    collection = collection_in(folder, digest)
    usual = sides.usual_queries(collection.queries, protocols, collection.query_keywords)
    return "item" if usual == "text" and _answers_items_alone(collection) else usual


def _answers_items_alone(collection: Collection) -> bool:
    """Whether there are queries that are items, and no version can be asked a text: encoders of
    pictures made them all."""
    texts = collection.queries["text"] != ""
    models = collection.searched.values()
    return (
        bool(models)
        and not (texts.all() or collection.run_files)
        and not any(
            model.encoder in ENCODERS
            or (
                model.queries
                and collection.queries.loc[texts, "query_id"].isin(model.queries.ids).any()
            )
            for model in models
        )
    )


def item_names(collection: Collection) -> dict[str, str]:
    """What each item is called: its caption, or its id where it has none."""
    return _item_names(str(collection.folder), collection.digest)


@remembered(32)
def _item_names(folder: str, digest: str) -> dict[str, str]:
    return names.item_names(collection_in(folder, digest).items)


def query_names(collection: Collection) -> dict[str, str]:
    """What each stored query is called: its text, or the item that it is about."""
    return _query_names(str(collection.folder), collection.digest)


@remembered(32)
def _query_names(folder: str, digest: str) -> dict[str, str]:
    collection = collection_in(folder, digest)
    return names.query_names(collection.queries, collection.items)


def keywords_of(
    collection: Collection, item_ids: Sequence[str]
) -> dict[str, list[tuple[str, str]]]:
    """The keywords of each item that has some, each with its group."""
    return keywords_of_items(collection).of(item_ids)


def keywords_of_items(collection: Collection) -> KeywordsOfItems:
    """The keywords of each annotated item of a collection."""
    return _keywords(str(collection.folder), collection.digest)


@remembered(8)
def _keywords(folder: str, digest: str) -> KeywordsOfItems:
    return KeywordsOfItems(collection_in(folder, digest).keywords)


def words(collection: Collection) -> names.Words:
    """The names of a collection's items and queries."""
    return _words(str(collection.folder), collection.digest)


@remembered(32)
def _words(folder: str, digest: str) -> names.Words:
    collection = collection_in(folder, digest)
    return names.words(collection.items, collection.queries)


def searched_with(collection: Collection, versions: tuple[str, ...]) -> Searchable:
    """What versions of a collection can be searched with: texts, items, pictures."""
    return _searched_with(str(collection.folder), collection.digest, versions)


@remembered(32)
def _searched_with(folder: str, digest: str, versions: tuple[str, ...]) -> Searchable:
    return searchable.searchable(collection_in(folder, digest), versions)


def encodes_stored_texts(collection: Collection) -> bool:
    """Whether some version encodes texts of stored queries that it has no vectors of."""
    return _encodes_stored_texts(str(collection.folder), collection.digest)


@remembered(32)
def _encodes_stored_texts(folder: str, digest: str) -> bool:
    collection = collection_in(folder, digest)
    return any(to_encode(model, collection.queries) for model in collection.searched.values())


def load_text_model() -> None:
    """Begins to load the text model in the background, once; screens call it when drawn."""
    language_models.warm()


def text_model(patience: float = 0.0) -> str:
    """The state of the text model: ready, loading or failed. Waits for a loading one at most
    `patience` seconds."""
    loading = language_models.warm()
    if patience:
        loading.join(patience)
    at_work = loading.is_alive()  # read first, because loading may end between the two calls
    if language_models.ready():
        return "ready"
    return "loading" if at_work else "failed"


def text_model_state() -> str:
    """A stamp that changes when other files take the place of the text model's."""
    return language_models.state()
