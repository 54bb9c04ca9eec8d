"""Approximate indexes of faiss: built once for a version's vectors, and saved in the cache folder.

One thread builds an index, because several would build another graph each time, and equal
experiments must have equal numbers.
"""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isqrt
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from dashboard.progress import parts
from dashboard.retrieval.gallery import Gallery, gallery_of
from dashboard.storage.cache import disk_cache
from dashboard.storage.collection import digests
from dashboard.storage.versions.index_settings import IndexSettings
from dashboard.storage.versions.versions import Model

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
RECIPE = "faiss indexes, 2"
"""Change this number when an index is built in another way."""
BLOCK = 1 << 9
"""Vectors that are added at a time; between two, a reader who has left ends the building."""
COMPARED = 1 << 26
"""Pairs of queries and items that are compared at a time at most, as above."""
TRAINING = 1 << 16
"""At most so many vectors, evenly over the gallery, find cells and codes."""
SECONDS = struct.Struct("<d")
OF_SEARCHES = ("ef_search", "nprobe")
"""Parameters that an index is searched with, not built with."""


@dataclass(frozen=True, eq=False)
class FaissIndex:
    """An index of faiss with how it is searched, what building it took and its bytes."""

    index: Any
    settings: IndexSettings
    seconds: float
    size: int

    def nearest(self, queries: Floats, reach: int, rows: Places | None) -> Places:
        """The rows of `reach` items near to each query, -1 where there are fewer."""
        parameters = self._parameters(reach, rows)
        places = np.empty((len(queries), reach), dtype=np.int64)
        step = max(1, COMPARED // max(1, self.index.ntotal))
        for start in parts("searching the index", range(0, len(queries), step)):
            some = np.ascontiguousarray(queries[start : start + step])
            places[start : start + step] = self.index.search(some, reach, params=parameters)[1]
        return places

    def _parameters(self, reach: int, rows: Places | None) -> Any:
        faiss = _faiss()
        numbers = dict(self.settings.parameters)
        filtered = {} if rows is None else {"sel": faiss.IDSelectorBatch(rows)}
        if self.settings.kind == "hnsw":
            deep = max(numbers["ef_search"], reach)
            return faiss.SearchParametersHNSW(efSearch=deep, **filtered)
        if self.settings.kind in ("ivf", "pq"):
            return faiss.SearchParametersIVF(nprobe=numbers.get("nprobe", 1), **filtered)
        return faiss.SearchParameters(**filtered)


def _faiss() -> Any:
    """The library, whose types lack the parameters of searches."""
    import faiss

    return faiss


_built: WeakKeyDictionary[Model, FaissIndex] = WeakKeyDictionary()
_one_at_a_time = threading.Lock()


def index_of(model: Model, settings: IndexSettings) -> FaissIndex:
    """The index of a version: from memory, from the cache folder, else built and saved there."""
    with _one_at_a_time:
        if model not in _built:
            key = _key(model, settings)
            content = disk_cache.recall(f"{key}.index")
            if content is None:
                content = _written(_build(gallery_of(model), settings))
                disk_cache.keep(f"{key}.index", content)
            _built[model] = _read(content, settings)
        return _built[model]


def is_ready(model: Model, settings: IndexSettings) -> bool:
    """Whether the index of a version is built, in memory or in the cache folder."""
    return model in _built or disk_cache.is_kept(f"{_key(model, settings)}.index")


def _key(model: Model, settings: IndexSettings) -> str:
    """A fingerprint of the vectors and of all that an index is built with."""
    built_with = [list(each) for each in settings.parameters if each[0] not in OF_SEARCHES]
    return digests.of_values(RECIPE, settings.kind, built_with, digests.of_vectors(model.items))


def _build(gallery: Gallery, settings: IndexSettings) -> tuple[Any, float]:
    """The index of a gallery, and the seconds that building it took."""
    start = time.perf_counter()
    with _one_thread():
        index = _empty(gallery.dimension, len(gallery.ids), settings)
        if not index.is_trained:
            every = -(-len(gallery.ids) // TRAINING)
            some = np.ascontiguousarray(gallery.fetch(gallery.ids[::every]))
            if settings.kind == "pq":
                _find_codes(index, some)
            else:
                if settings.kind == "ivf":
                    _find_cells(index, some)
                index.train(some)
        for first in parts("building the index", range(0, len(gallery.ids), BLOCK)):
            index.add(np.ascontiguousarray(gallery.fetch(gallery.ids[first : first + BLOCK])))
    return index, time.perf_counter() - start


def _empty(width: int, items: int, settings: IndexSettings) -> Any:
    """An index without vectors. Of unit vectors the nearest are the most similar: graphs are built
    by distance, because the inner product is none."""
    faiss = _faiss()
    numbers, similarity = dict(settings.parameters), faiss.METRIC_INNER_PRODUCT
    if settings.kind == "hnsw":
        graph = faiss.IndexHNSWFlat(width, numbers["M"], faiss.METRIC_L2)
        graph.hnsw.efConstruction = numbers["ef_construction"]
        return graph
    if settings.kind == "sq8":
        eight_bits = faiss.ScalarQuantizer.QT_8bit
        return faiss.IndexScalarQuantizer(width, eight_bits, similarity)
    if settings.kind == "pq":  # one cell: IndexPQ itself takes no filter
        cell, pieces, bits = faiss.IndexFlatIP(width), numbers["pq_m"], numbers["pq_bits"]
        coded = faiss.IndexIVFPQ(cell, width, 1, pieces, bits, similarity)
        coded.referenced_objects = [cell]  # which the library does not keep alive
        coded.pq.cp.min_points_per_centroid = 1
        return coded
    cells = numbers.get("nlist", max(1, isqrt(items)))
    divided = faiss.index_factory(width, f"IVF{cells},Flat", similarity)
    divided.cp.min_points_per_centroid = 1
    return divided


def _find_cells(divided: Any, vectors: Floats) -> None:
    """Finds the cells that training finds, round by round: between two, a reader who has left ends
    it. Training an index that has its cells leaves them as they are."""
    clustering = _faiss().Clustering(divided.d, divided.nlist, divided.cp)
    clustering.niter = 1
    for _ in parts("finding cells", range(divided.cp.niter)):
        clustering.train(vectors, divided.quantizer)


def _find_codes(coded: Any, vectors: Floats) -> None:
    """Finds the codes that training finds, round by round, each from where the last one ended: the
    library's own way to interrupt it is one switch for all threads, which the main thread sees."""
    rounds, coded.pq.cp.niter = coded.pq.cp.niter, 1
    for _ in parts("finding codes", range(rounds)):
        coded.train(vectors)
        coded.pq.train_type = _faiss().ProductQuantizer.Train_hot_start


@contextmanager
def _one_thread() -> Iterator[None]:
    """Lets faiss use one thread; the number is this thread's own."""
    import faiss

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)


def _written(built: tuple[Any, float]) -> bytes:
    import faiss

    return SECONDS.pack(built[1]) + faiss.serialize_index(built[0]).tobytes()


def _read(content: bytes, settings: IndexSettings) -> FaissIndex:
    import faiss

    start = SECONDS.size
    seconds = float(SECONDS.unpack(content[:start])[0])
    index = faiss.deserialize_index(np.frombuffer(content, dtype=np.uint8, offset=start))
    return FaissIndex(index, settings, seconds, len(content) - start)
