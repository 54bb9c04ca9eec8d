"""The query vectors of a version: its stored ones, and those that its encoder makes of texts.

A stored text without a vector is encoded once. The vectors are saved in the cache folder under a
fingerprint of the text, the encoder and its files.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.retrieval.encoders import encoders
from dashboard.storage.cache import disk_cache
from dashboard.storage.collection import digests
from dashboard.storage.vectors.vectors import Vectors, matrix_of
from dashboard.storage.versions.versions import Model, texts_alone
from dashboard.tables import DataError

RECIPE = "text vectors, 1"
"""Change this number when texts are encoded in another way."""


@dataclass(frozen=True, eq=False)
class QueryVectors:
    """Vectors of stored queries, under their ids, and why others have none: query_id → reason."""

    vectors: Vectors
    missing: Mapping[str, str]


def query_vectors(model: Model, queries: pd.DataFrame) -> QueryVectors:
    """A version's vectors of stored queries: the stored vector, else the encoded text, else the
    vector of the item that is the query. queries: the table QUERIES, or some of its rows."""
    ids = queries["query_id"].tolist()
    stored = model.queries.rows(ids) if model.queries else _none(model)
    made, why = _encoded(model, queries)
    of_text = dict.fromkeys((*stored.ids, *made.ids))
    own = {q: i for q, i in zip(ids, queries["item_id"], strict=True) if i and q not in of_text}
    there = set(model.items.index[model.items.index.isin(list(own.values()))]) if own else set()
    by_item = {query: item for query, item in own.items() if item in there}
    of_items = model.items.rows(list(by_item.values())).named(list(by_item))
    found = Vectors.joined([stored, made, of_items])
    lacking = [query for query in ids if query not in of_text and query not in by_item]
    reasons = {
        query: f"no vector of the item {own[query]!r} in models/{model.name}"
        if query in own
        else why.get(query, f"no vector for it in models/{model.name}")
        for query in lacking
    }
    return QueryVectors(found, reasons)


def to_encode(model: Model, queries: pd.DataFrame) -> dict[str, str]:
    """The texts that a version has to encode, because it has no stored vector: query_id → text."""
    if model.encoder not in encoders.ENCODERS:
        return {}
    return _not_stored(model, queries)


def _not_stored(model: Model, queries: pd.DataFrame) -> dict[str, str]:
    """The texts that a version has no stored vector of: query_id → text."""
    texts = texts_alone(queries)
    if model.queries is None:
        return dict(texts)
    places = model.queries.index.get_indexer(pd.Index(list(texts), dtype="str"))
    there = zip(texts.items(), places.tolist(), strict=True)
    return {query: text for (query, text), place in there if place < 0}


def _encoded(model: Model, queries: pd.DataFrame) -> tuple[Vectors, dict[str, str]]:
    """The vectors of texts without a stored one, and the reasons where there are none."""
    texts = to_encode(model, queries)
    if not texts:
        lacking = _not_stored(model, queries)
        none = f"no vector for it in models/{model.name}, and no encoder that embeds its text"
        return _none(model), dict.fromkeys(lacking, f"{none} (encoder = {model.encoder!r})")
    try:
        matrix = _matrix(model, list(texts.values()))
    except DataError as problem:
        reason = f"no vector for it in models/{model.name}, and its text cannot be embedded: "
        return _none(model), dict.fromkeys(texts, reason + str(problem).rstrip("."))
    made = Vectors(tuple(texts), matrix)
    return (made.signs() if model.codes else made), {}


def _none(model: Model) -> Vectors:
    return model.items.rows([])


_made: WeakKeyDictionary[Model, tuple[str, npt.NDArray[np.float32]]] = WeakKeyDictionary()
"""The texts that each version encoded last: key → vectors."""
_one_at_a_time = threading.Lock()


def _matrix(model: Model, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Unit vectors of texts by a version's encoder, from memory or the cache folder, else computed
    and saved. Raises DataError where they cannot be computed."""
    key = _key(model, texts)
    with _one_at_a_time:
        known = _made.get(model)
        if known is not None and known[0] == key:
            return known[1]
        shape = (len(texts), model.dimension)
        content = disk_cache.recall(f"{key}.vectors")
        matrix = _read(content, shape) if content is not None else None
        if matrix is None:
            matrix = encoders.encode_text(model, texts)
            disk_cache.keep(f"{key}.vectors", _written(matrix))
        _made[model] = key, matrix
        return matrix


def _key(model: Model, texts: Sequence[str]) -> str:
    """A fingerprint of all that the vectors of texts depend on."""
    depends = model.settings["endpoint"] or model.settings["prompt_queries"]
    service = [model.digest] if depends or model.encoder == "onnx" else []
    return digests.of_values(
        RECIPE,
        model.encoder,
        digests.of_array(model.text_projection),
        digests.of_array(model.text_bias),
        service or digests.of_folder(encoders.text_model_of(model)),
        list(texts),
    )


def _written(matrix: npt.NDArray[np.float32]) -> bytes:
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(matrix, dtype="<f4"), allow_pickle=False)
    return file.getvalue()


def _read(content: bytes, shape: tuple[int, int]) -> npt.NDArray[np.float32] | None:
    """The array in a saved file; None where it is another one."""
    try:
        matrix = matrix_of(content, "kept vectors")
    except DataError:
        return None
    return np.asarray(matrix, dtype="float32") if matrix.shape == shape else None
