"""Copies a version's vectors to a Milvus server: resumable, counted, and compared with the file.

Each block of rows is looked at before it is sent, so that a copy that was interrupted, or a
collection that has lost rows, is completed by the same call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from dashboard.retrieval.gallery import gallery_of
from dashboard.retrieval.indexes.milvus import (
    COPIED,
    KINDS,
    SENT,
    MilvusIndex,
    check_form,
    check_rows,
    count,
    different,
    index_of,
    indexes_there,
    server,
)
from dashboard.storage.versions.index_settings import DEEPEST, EXACT, IndexSettings
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError

PATIENCE = 600.0
"""Seconds for what a server does on the whole collection: writing, building an index, loading."""
CHECKED = 1_000
"""Rows, evenly over the gallery, that are read back and compared after copying."""

PAUSE = 0.2
"""Seconds between two looks at an index that is being built."""
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
    there: a row on it (version, server, collection, index, rows, copied, checked, seconds).

    replaces: a collection of another form is dropped first. progress: called with the rows that are
    there, and all. Raises DataError where the server cannot be used, or holds something else.
    """
    if model.codes:
        raise DataError(f"models/{model.name}", "hash codes", "vectors of floats for a server")
    settings = replace(model.index or IndexSettings(EXACT, DEEPEST, ()), server=address)
    index = index_of(model, settings, items)
    where = index.collection
    start = time.perf_counter()
    with server(address, index.name, given=True) as client:
        if replaces and client.has_collection(where):
            client.drop_collection(where, timeout=PATIENCE)
        if client.has_collection(where):
            check_form(client, index, indexes_there(client, where))
        else:
            _create(client, index)
        client.load_collection(where, timeout=PATIENCE)
        copied = _send(client, index, progress)
        client.flush(where, timeout=PATIENCE)
        built = _index(client, index)
        _settle(client, index, anew=built or copied > 0)
        checked = _verify(client, index)
    return {
        "version": model.name,
        "server": address,
        "collection": where,
        "index": str(settings),
        "rows": len(model.items.ids),
        "copied": copied,
        "checked": checked,
        "seconds": time.perf_counter() - start,
    }


def _create(client: Any, index: MilvusIndex) -> None:
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("place", DataType.INT64, is_primary=True)
    schema.add_field("side", DataType.INT64)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=index.model.dimension)
    parameters = _parameters(client, index)
    client.create_collection(
        index.collection, schema=schema, index_params=parameters, timeout=PATIENCE
    )


def _parameters(client: Any, index: MilvusIndex) -> Any:
    parameters, kind = client.prepare_index_params(), KINDS[index.settings.kind]
    parameters.add_index("vector", index_type=kind, metric_type="IP", params=index.built_with)
    return parameters


def _send(client: Any, index: MilvusIndex, progress: Progress) -> int:
    """Sends the blocks of rows that are not there, and returns how many rows were sent."""
    ids, where, gallery, sent = (
        index.model.items.ids,
        index.collection,
        gallery_of(index.model),
        0,
    )
    block = min(COPIED, _rows_at_a_time(index))
    for first in range(0, len(ids), block):
        end = min(first + block, len(ids))
        ends = [first, (first + end) // 2, end - 1]
        there = count(client, where, f"place >= {first} and place < {end}", NOW)
        if there < end - first or (different(client, index, ends, NOW) != "").any():
            vectors = gallery.fetch(ids[first:end])
            rows = [
                {"place": place, "side": int(index.sides[place]), "vector": vector.tolist()}
                for place, vector in enumerate(vectors, start=first)
            ]
            client.upsert(where, rows, timeout=PATIENCE)
            sent += len(rows)
        progress(end, len(ids))
    return sent


def _rows_at_a_time(index: MilvusIndex) -> int:
    """How many rows of vectors make one message."""
    return max(1, SENT // (4 * index.model.dimension))


def _index(client: Any, index: MilvusIndex) -> bool:
    """Builds the index of the settings, where not exactly it is there; whether it was built."""
    where = index.collection
    wanted = {"index_type": KINDS[index.settings.kind], **index.built_with}
    built = False
    for state in indexes_there(client, where):
        if all(str(state.get(key)) == str(value) for key, value in wanted.items()):
            continue
        client.release_collection(where, timeout=PATIENCE)
        client.drop_index(where, state["index_name"], timeout=PATIENCE)
        client.create_index(where, _parameters(client, index), timeout=PATIENCE)
        built = True
    return built


def _settle(client: Any, index: MilvusIndex, *, anew: bool) -> None:
    """Waits until a server has built the index; anew: loads it again, for rows that were just sent
    are else searched one by one for a while, exactly, and not through the index."""
    where, until = index.collection, time.monotonic() + PATIENCE
    while any(_is_building(state) for state in indexes_there(client, where)):
        if time.monotonic() > until:
            cure = "Wait for it, then type the same call."
            raise DataError(index.name, "an index that is not built yet", "a whole one", cure=cure)
        time.sleep(PAUSE)
    if anew:
        client.release_collection(where, timeout=PATIENCE)
        client.load_collection(where, timeout=PATIENCE)


def _is_building(state: Mapping[str, Any]) -> bool:
    return state.get("state") != "Finished" or int(state.get("pending_index_rows", 0)) > 0


def _verify(client: Any, index: MilvusIndex) -> int:
    """Counts the rows, reads a sample back, and returns how many that are. Raises DataError where
    they differ from the file."""
    check_rows(client, index, NOW)
    last, step = len(index.model.items.ids) - 1, _rows_at_a_time(index)
    some = np.unique(np.linspace(0, last, CHECKED).astype(np.int64))
    wrong = 0
    for first in range(0, len(some), step):
        wrong += int((different(client, index, some[first : first + step], NOW) != "").sum())
    if wrong:
        found = f"{wrong:,} of {len(some):,} rows that are not as they were sent"
        raise DataError(index.name, found, "equal rows", cure=f"{index.cure} --replace")
    return len(some)
