"""Packed hash codes: the nearest in a gallery, and exact distances, both in whole numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Packed = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]


def nearest(queries: Packed, gallery: Packed, reach: int) -> Places:
    """The `reach` codes of the gallery nearest to each query, in no particular order."""
    import faiss

    index = faiss.IndexBinaryFlat(8 * gallery.shape[1])
    index.add(np.ascontiguousarray(gallery))
    _, places = index.search(np.ascontiguousarray(queries), reach)
    return np.asarray(places)


def distances(queries: Packed, gallery: Packed, places: Places) -> Places:
    """In how many places the codes at `places` [query, rank] differ from the query's. [query,
    rank]"""
    found = np.zeros(places.shape, dtype=np.int64)
    whole = places.shape[1] == len(gallery)  # then they stand in the gallery's order
    for byte in range(gallery.shape[1]):
        theirs = gallery[:, byte] if whole else gallery[places, byte]
        found += np.bitwise_count(queries[:, byte, None] ^ theirs)
    return found
