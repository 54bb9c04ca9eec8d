"""Query vectors × gallery vectors → the run table: exact inner products of unit vectors, in an
order that does not depend on how many results were asked for. Hash codes are compared as bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.retrieval import hamming
from dashboard.storage.files import Vectors

PLACES = 6
NEAR = 1e-5
MARGIN = 16
CELLS = 1 << 23
PART = 1 << 16
BLAS_FROM = 1_000

Rows = npt.NDArray[Any]  # float32 vectors, or packed codes
Places = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


def search(
    queries: Vectors, gallery: Vectors, k: int, leave_out: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The `k` most similar items of each query as the table RUN, at most the whole gallery.

    Scores are cosines in double precision rounded to 6 places; equal ones stand in gallery order.
    Of hash codes the cosine is (bits - 2 · Hamming distance) ÷ bits, from -1 to 1 as any other.
    `leave_out` names for a query the item that is never its result (itself); copies of it stay in.
    Raises ValueError where the widths differ or k < 1.
    """
    if queries.matrix.shape[1] != gallery.matrix.shape[1]:
        widths = f"{queries.matrix.shape[1]} dimensions, the items {gallery.matrix.shape[1]}"
        raise ValueError(f"the queries have {widths}")
    if k < 1:
        raise ValueError(f"k = {k}; wanted at least 1")
    own = np.full(len(queries.ids), -1)
    if leave_out:
        own = gallery.index.get_indexer([leave_out.get(query, "") for query in queries.ids])
    depth = min(k + int((own >= 0).any()), len(gallery.ids))
    reach = min(depth + MARGIN, len(gallery.ids))
    bits = gallery.matrix.shape[1] if queries.codes and gallery.codes else 0
    rows = (queries.packed, gallery.packed) if bits else (queries.matrix, gallery.matrix)
    found = list(_nearest(*rows, depth, reach))
    shape = (len(queries.ids), depth)
    places = np.concatenate([block.places for block in found] or [np.empty(shape, dtype="int64")])
    scores = np.concatenate([block.scores for block in found] or [np.empty(shape)])
    if bits:
        scores = (1 + 2 * scores / bits).round(PLACES)
    return _table(queries.index, gallery.index, places, scores, own, k)


@dataclass(frozen=True)
class Block:
    """For some queries the places in the gallery of their results and the scores, both [query,
    rank]."""

    places: Places
    scores: Scores


def _nearest(queries: Rows, gallery: Rows, depth: int, reach: int) -> Iterator[Block]:
    """The `depth` best of the gallery, a block of queries at a time so that memory stays
    bounded."""
    width = 1 if reach == len(gallery) else gallery.shape[1]
    step = max(1, CELLS // (reach * width))
    for start in range(0, len(queries), step):
        yield _block(queries[start : start + step], gallery, depth, reach)


def _block(queries: Rows, gallery: Rows, depth: int, reach: int) -> Block:
    """Search `reach` deep, score exactly, order, cut.

    A query whose equal scores may go on beyond its reach is searched again, eight times deeper.
    """
    places = _candidates(queries, gallery, reach)
    scores = _exact(queries, gallery, places)
    order = np.lexsort((places, -scores))[:, :depth]
    best = Block(np.take_along_axis(places, order, 1), np.take_along_axis(scores, order, 1))
    if reach == len(gallery):
        return best
    cut = np.flatnonzero(scores.min(axis=1) + NEAR >= best.scores[:, -1])
    deeper = _nearest(queries[cut], gallery, depth, min(8 * reach, len(gallery)))
    for block in deeper:
        best.places[cut[: len(block.places)]] = block.places
        best.scores[cut[: len(block.places)]] = block.scores
        cut = cut[len(block.places) :]
    return best


def _candidates(queries: Rows, gallery: Rows, reach: int) -> Places:
    """The `reach` nearest of the gallery for each query, in no particular order."""
    if reach == len(gallery):
        return np.broadcast_to(np.arange(reach), (len(queries), reach))
    if gallery.dtype == np.uint8:
        return hamming.nearest(queries, gallery, reach)
    import faiss

    # faiss multiplies matrices from this many numbers in the queries on. Its own 128,000, which
    # are 1,000 queries of 128 dimensions, make smaller batches up to 9 times slower.
    faiss.cvar.distance_compute_blas_threshold = BLAS_FROM
    _, places = faiss.knn(queries, gallery, reach, metric=faiss.METRIC_INNER_PRODUCT)
    if (places < 0).any():
        raise ValueError("the search found fewer items than there are: vectors that are not finite")
    return np.asarray(places)


def _exact(queries: Rows, gallery: Rows, places: Places) -> Scores:
    """The cosines, or of packed codes the distances below 0."""
    if gallery.dtype == np.uint8:
        return -hamming.distances(queries, gallery, places).astype("float64")
    wide = queries.astype("float64")
    if places.shape[1] == len(gallery):
        parts = (gallery[start : start + PART] for start in range(0, len(gallery), PART))
        products = np.concatenate([wide @ part.astype("float64").T for part in parts], axis=1)
    else:
        products = np.einsum("qd,qrd->qr", wide, gallery[places], dtype="float64")
    return np.asarray(products.round(PLACES) + 0.0)


def _table(
    queries: pd.Index,
    gallery: pd.Index,
    places: Places,
    scores: Scores,
    own: Places,
    k: int,
) -> pd.DataFrame:
    """The table RUN of what was found, without each query's own item, cut to `k`."""
    keep = places != own[:, None]
    ranks = keep.cumsum(axis=1)
    keep &= ranks <= k
    rows = np.nonzero(keep)[0]
    return pd.DataFrame(
        {
            "query_id": pd.Categorical.from_codes(rows, categories=queries),
            "item_id": pd.Categorical.from_codes(places[keep], categories=gallery),
            "score": scores[keep],
            "rank": ranks[keep],
        }
    )
