"""Vectors out of files of FAISS indexes: flat ones, and those that can reconstruct theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dashboard.retrieval.indexes import index_file_child
from dashboard.storage.sandbox.pool import Pool, ProcessEnded, Refusal
from dashboard.storage.sources.content import Content, Detected, Reader
from dashboard.storage.sources.listing import Listing, ending
from dashboard.storage.sources.vectors import add_rows, places_of_ids
from dashboard.tables import DataError, counted

ENDINGS = (".faiss", ".index", ".ivf", ".hnsw")
PATIENCE = 120.0  # seconds
MOST = 2 << 30  # bytes of vectors
ROOM = 3
"""Times its file and its vectors that reading an index may take."""
_WANTED = {
    index_file_child.DAMAGED: ("no index that faiss reads", "a file of faiss.write_index"),
    index_file_child.CANNOT: ("an index without its vectors", "one that can reconstruct them"),
    index_file_child.LARGE: ("an index that is too large", f"at most {MOST:,} bytes of vectors"),
}
_PROCESSES = Pool(index_file_child.__name__, 1, {"OMP_NUM_THREADS": "1"})


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """Files of indexes, and files of ids beside them."""
    indexes = [name for name in files if ending(name) in ENDINGS]
    there = set(files)
    beside = {each for name in indexes for each in places_of_ids(name) if each in there}
    if not indexes:
        return None
    return Detected((*indexes, *sorted(beside)), counted(len(indexes), "index", "indexes"))


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """The vectors of each index as a version."""
    content = Content()
    for name in detected.files:
        if ending(name) in ENDINGS:
            try:
                array, ids, kind = vectors_of(listing, name)
                add_rows(content, listing, detected.files, name, "", array, ids)
                if not kind.endswith("Flat") and not kind.startswith("IndexFlat"):
                    content.problems.append(
                        f"{name}: {kind} keeps codes; its vectors are what they stand for, not "
                        "what was put in"
                    )
            except DataError as problem:
                content.problems.append(f"left out: {problem}")
    return content


def vectors_of(listing: Listing, name: str) -> tuple[np.ndarray, tuple[str, ...] | None, str]:
    """The vectors of an index, its ids where it has some, and its kind.

    Raises DataError where faiss cannot read it, or it cannot give its vectors back.
    """
    path = listing.path(name).resolve()
    size = path.stat().st_size
    memory = min(3 * MOST, ROOM * size + 500_000_000)
    request = {"path": str(path), "most": MOST, "memory": memory}
    try:
        values, content = _PROCESSES.ask(request, seconds=PATIENCE, most=MOST + (MOST >> 1))
    except Refusal as reason:
        found, wanted = _WANTED.get(reason.kind, _WANTED[index_file_child.DAMAGED])
        raise DataError(name, f"{found} ({reason.why})"[:300], wanted) from reason
    except ProcessEnded as error:
        found = "an index that takes too long" if error.late else _WANTED["damaged"][0]
        raise DataError(name, found, _WANTED["damaged"][1]) from error
    rows, dimension = int(values["rows"]), int(values["dimension"])
    end = rows * dimension * 4
    if rows < 1 or len(content) != end + (rows * 8 if values["ids"] else 0):
        raise DataError(name, "an index without vectors", "at least one vector")
    array = np.frombuffer(content[:end], dtype="float32").reshape(rows, dimension)
    numbers = np.frombuffer(content[end:], dtype="int64").tolist() if values["ids"] else None
    ids = None if numbers is None else tuple(map(str, numbers))
    return array, ids, str(values["index"])


READER = Reader("FAISS", detect, read)
