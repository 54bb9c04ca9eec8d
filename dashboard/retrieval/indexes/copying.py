"""Copies a version's vectors to a Milvus server: resumable, counted, and compared with the file.

Each block of rows is looked at before it is sent, so that a copy that was interrupted, or a
collection that has lost rows, is completed by the same call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from dashboard.retrieval.gallery import gallery_of
from dashboard.retrieval.indexes.milvus import (
    BUILT_WITH,
    COPIED,
    KINDS,
    check_form,
    check_rows,
    collection_of,
    copy_again,
    count,
    different,
    named,
    numbers_of_sides,
    server,
)
from dashboard.storage.versions.index_settings import DEEPEST, EXACT, IndexSettings
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError

PATIENCE = 600.0
"""Seconds for what a server does on the whole collection: writing, building an index, loading."""
CHECKED = 1_000
"""Rows, evenly over the gallery, that are read back and compared after copying."""

NOW = "Strong"
"""What was just sent is read; a server else answers from a state of some seconds ago."""

Progress = Callable[[int, int], None]


def copy_vectors(
    model: Model,
    items: pd.DataFrame,
    address: str,
    *,
    replaces: bool = False,
    progress: Progress = lambda done, of: None,
) -> dict[str, object]:
    """Copies a version's vectors to the server at an address, and builds the index of its settings
    there: a row on it (version, server, collection, index, items, copied, seconds).

    replaces: a collection of another form is dropped first. progress: called with the rows that are
    there, and all. Raises DataError where the server cannot be used, or holds something else.
    """
    if model.codes:
        raise DataError(f"models/{model.name}", "hash codes", "vectors of floats for a server")
    settings = replace(model.index or IndexSettings(EXACT, DEEPEST, ()), server=address)
    where, name = collection_of(model, settings), named(model, settings)
    start = time.perf_counter()
    with server(address, name, given=True) as client:
        if replaces and client.has_collection(where):
            client.drop_collection(where, timeout=PATIENCE)
        if client.has_collection(where):
            check_form(client, model, settings, name)
        else:
            _create(client, model, settings, where)
        client.load_collection(where, timeout=PATIENCE)
        copied = _send(client, model, settings, numbers_of_sides(model, items), progress)
        client.flush(where, timeout=PATIENCE)
        _index(client, model, settings, where)
        _verify(client, model, settings, name)
    return {
        "version": model.name,
        "server": address,
        "collection": where,
        "index": str(settings),
        "items": len(model.items.ids),
        "copied": copied,
        "seconds": time.perf_counter() - start,
    }


def _create(client: Any, model: Model, settings: IndexSettings, where: str) -> None:
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("place", DataType.INT64, is_primary=True)
    schema.add_field("side", DataType.INT64)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=model.dimension)
    parameters = _parameters(client, model, settings)
    client.create_collection(where, schema=schema, index_params=parameters, timeout=PATIENCE)


def _parameters(client: Any, model: Model, settings: IndexSettings) -> Any:
    numbers = dict(settings.parameters)
    if settings.kind == "ivf":
        numbers.setdefault("nlist", max(1, int(len(model.items.ids) ** 0.5)))
    built = {BUILT_WITH[key]: number for key, number in numbers.items() if key in BUILT_WITH}
    parameters = client.prepare_index_params()
    kind = KINDS[settings.kind]
    parameters.add_index("vector", index_type=kind, metric_type="IP", params=built)
    return parameters


def _send(
    client: Any, model: Model, settings: IndexSettings, sides: np.ndarray, progress: Progress
) -> int:
    """Sends the blocks of rows that are not there, and returns how many rows were sent."""
    ids, where, gallery, sent = (
        model.items.ids,
        collection_of(model, settings),
        gallery_of(model),
        0,
    )
    for first in range(0, len(ids), COPIED):
        end = min(first + COPIED, len(ids))
        ends = [first, (first + end) // 2, end - 1]
        there = count(client, where, f"place >= {first} and place < {end}", NOW)
        if there < end - first or (different(client, model, settings, ends, NOW) != "").any():
            vectors = gallery.fetch(ids[first:end])
            rows = [
                {"place": place, "side": int(sides[place]), "vector": vector.tolist()}
                for place, vector in enumerate(vectors, start=first)
            ]
            client.upsert(where, rows, timeout=PATIENCE)
            sent += len(rows)
        progress(end, len(ids))
    return sent


def _index(client: Any, model: Model, settings: IndexSettings, where: str) -> None:
    """Builds the index of the settings, where another one is there."""
    for index in client.list_indexes(where):
        state = client.describe_index(where, index)
        if state.get("index_type") == KINDS[settings.kind]:
            continue
        client.release_collection(where, timeout=PATIENCE)
        client.drop_index(where, index, timeout=PATIENCE)
        parameters = _parameters(client, model, settings)
        client.create_index(where, parameters, timeout=PATIENCE)
    client.load_collection(where, timeout=PATIENCE)


def _verify(client: Any, model: Model, settings: IndexSettings, name: str) -> None:
    """Counts the rows and reads a sample back. Raises DataError where they differ from the file."""
    check_rows(client, model, settings, name, NOW)
    last = len(model.items.ids) - 1
    some = np.unique(np.linspace(0, last, CHECKED).astype(np.int64))
    wrong = int((different(client, model, settings, some, NOW) != "").sum())
    if wrong:
        found = f"{wrong:,} of {len(some):,} rows that are not as they were sent"
        raise DataError(
            name, found, "equal rows", cure=f"{copy_again(model, settings.server)} --replace"
        )
