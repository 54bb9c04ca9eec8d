"""Reads a file of a FAISS index in a process of its own: native code parses it, and trusts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dashboard.storage.sandbox import child
from dashboard.storage.sandbox.child import Refused, Values, limit_memory

if TYPE_CHECKING:
    import numpy as np

DAMAGED, CANNOT, LARGE = "damaged", "cannot reconstruct", "large"


def answer(values: Values, content: bytes, begun: Callable[[], None]) -> tuple[Values, bytes]:
    """The vectors of the index at `path` as float32, and behind them its ids as int64 where it has
    some; `rows` and `dimension` say how many."""
    import faiss

    del content
    limit_memory(values["memory"])
    begun()
    try:
        whole = faiss.read_index(values["path"])  # owns what the next names point into
        index = faiss.downcast_index(whole)
    except Exception as error:  # whatever faiss says of a damaged file
        raise Refused(DAMAGED, error) from error
    ids = b""
    if isinstance(index, faiss.IndexIDMap):
        ids = faiss.vector_to_array(index.id_map).astype("int64").tobytes()
        index = faiss.downcast_index(index.index)
    rows, dimension = int(index.ntotal), int(index.d)
    if rows * dimension * 4 > values["most"]:
        raise Refused(LARGE, f"{rows:,} vectors of {dimension:,} numbers")
    vectors = _reconstructed(faiss, index, rows)
    kind = type(index).__name__
    given = {"rows": rows, "dimension": dimension, "index": kind, "ids": bool(ids)}
    return given, vectors.astype("float32").tobytes() + ids


def _reconstructed(faiss: Any, index: Any, rows: int) -> np.ndarray:
    try:
        if isinstance(index, faiss.IndexIVF):
            index.make_direct_map()
        return index.reconstruct_n(0, rows)  # type: ignore[no-any-return]
    except Exception as error:  # an index that keeps no vectors, or lost some
        raise Refused(CANNOT, f"{type(index).__name__}: {error}") from error


def prepare() -> None:
    """Import what takes long."""
    import faiss

    assert faiss


if __name__ == "__main__":
    child.main(answer, prepare)
