"""The nearest of a gallery's rows to some queries, of vectors or of packed codes: searched for
roughly by faiss, then scored exactly and ordered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.progress import parts
from dashboard.retrieval.counting import PLACES
from dashboard.storage.vectors.rows import UnitRows, blocks

NEAR = 1e-5
MARGIN = 16
CELLS = 1 << 23
PART = 1 << 16
PAIRS = 1 << 15
BLAS_FROM = 1_000

Asking = npt.NDArray[Any]  # float32 vectors, or packed codes
Rows = Asking | UnitRows
Places = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Block:
    """For some queries the places in the gallery of their results and the scores, both [query,
    rank]."""

    places: Places
    scores: Scores


def find_nearest(queries: Asking, gallery: Rows, depth: int, reach: int) -> Iterator[Block]:
    """The `depth` best of the gallery, a block of queries at a time so that memory stays
    bounded."""
    step = max(1, CELLS // reach)
    for start in parts("searching", range(0, len(queries), step)):
        yield _block(queries[start : start + step], gallery, depth, reach)


def _block(queries: Asking, gallery: Rows, depth: int, reach: int) -> Block:
    """Search `reach` deep, score exactly, order, cut.

    A query whose equal scores may go on beyond its reach is searched again, eight times deeper.
    """
    places = _candidates(queries, gallery, reach)
    scores = _exact(queries, gallery, places)
    if reach == len(gallery):  # all places, as they come
        order = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
    else:
        order = np.lexsort((places, -scores))[:, :depth]
    best = Block(np.take_along_axis(places, order, 1), np.take_along_axis(scores, order, 1))
    if reach == len(gallery):
        return best
    cut = np.flatnonzero(scores.min(axis=1) + NEAR >= best.scores[:, -1])
    deeper = find_nearest(queries[cut], gallery, depth, min(8 * reach, len(gallery)))
    for block in deeper:
        best.places[cut[: len(block.places)]] = block.places
        best.scores[cut[: len(block.places)]] = block.scores
        cut = cut[len(block.places) :]
    return best


def _candidates(queries: Asking, gallery: Rows, reach: int) -> Places:
    """The `reach` nearest of the gallery for each query, in no particular order."""
    if reach == len(gallery):
        return np.broadcast_to(np.arange(reach), (len(queries), reach))
    import faiss

    if isinstance(gallery, np.ndarray) and gallery.dtype == np.uint8:
        index = faiss.IndexBinaryFlat(8 * gallery.shape[1])
        index.add(np.ascontiguousarray(gallery))
        return np.asarray(index.search(np.ascontiguousarray(queries), reach)[1])
    # faiss multiplies matrices from this many numbers in the queries on. Its own 128,000, which
    # are 1,000 queries of 128 dimensions, make smaller batches up to 9 times slower.
    faiss.cvar.distance_compute_blas_threshold = BLAS_FROM
    near, places = np.empty((len(queries), 0), np.float32), np.empty((len(queries), 0), np.int64)
    for start in parts("searching", range(0, len(gallery), PART)):
        some = slice(start, start + PART)
        part = gallery[some] if isinstance(gallery, np.ndarray) else gallery.roughly(some)
        few = min(reach, len(part))
        cosine, found = faiss.knn(queries, part, few, metric=faiss.METRIC_INNER_PRODUCT)
        if (found < 0).any():
            raise ValueError("the search found too few items: vectors that are not finite")
        near, places = np.hstack([near, cosine]), np.hstack([places, found + start])
        if near.shape[1] > reach:
            best = np.argpartition(-near, reach - 1, axis=1)[:, :reach]
            near = np.take_along_axis(near, best, 1)
            places = np.take_along_axis(places, best, 1)
    return places


def _exact(queries: Asking, gallery: Rows, places: Places) -> Scores:
    """The cosines, or of packed codes the distances below 0."""
    if isinstance(gallery, np.ndarray) and gallery.dtype == np.uint8:
        return -_bits_that_differ(queries, gallery, places).astype("float64")
    if places.shape[1] < len(gallery):
        query = np.repeat(np.arange(len(queries)), places.shape[1])
        return cosines_of(queries, gallery, query, places.ravel()).reshape(places.shape)
    wide = queries.astype("float64")
    products = [wide @ block.astype("float64").T for _, block in blocks(gallery)]
    return np.asarray(np.concatenate(products, axis=1).round(PLACES) + 0.0)


def cosines_of(queries: Rows, gallery: Rows, query: Places, item: Places) -> Scores:
    """The cosine of each pair, by the places of query and item. [pairs]"""
    found = np.empty(len(query))
    order = np.argsort(item, kind="stable")  # so that a file is read from one end to the other
    for start in parts("scoring pairs", range(0, len(query), PAIRS)):
        some = order[start : start + PAIRS]
        asking, there = queries[query[some]], gallery[item[some]]
        found[some] = np.einsum("pd,pd->p", asking.astype("float64"), there.astype("float64"))
    return np.asarray(found.round(PLACES) + 0.0)


def _bits_that_differ(queries: Asking, gallery: Asking, places: Places) -> Places:
    """In how many bits the packed codes at `places` differ from the query's. [query, rank]"""
    found = np.zeros(places.shape, dtype=np.int64)
    whole = places.shape[1] == len(gallery)  # then they stand in the gallery's order
    for byte in range(gallery.shape[1]):
        theirs = gallery[:, byte] if whole else gallery[places, byte]
        found += np.bitwise_count(queries[:, byte, None] ^ theirs)
    return found


def words_of(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Packed codes in words of 64 bits. [words, codes]"""
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(padded.view(np.uint64).T)
