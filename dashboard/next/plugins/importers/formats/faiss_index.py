"""FAISS index files: the vectors that an index holds, read without leaving the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from dashboard.next.errors import DataError
from dashboard.next.plugins.importers.formats.arrays import find_beside, read_ids
from dashboard.next.plugins.importers.pieces import Format, Piece, Vectors, read_each
from dashboard.next.plugins.importers.roles import name_version
from dashboard.next.plugins.importers.source import Source

ENDINGS = (".faiss", ".index", ".ivf", ".hnsw")
BLOCK = 1 << 14


def recognise(source: Source) -> list[str]:
    """Return files of indexes, and the files of ids beside them."""
    indexes, left = source.list_left(*ENDINGS), set(source.left)
    return [*indexes, *filter(None, (find_beside(name, left) for name in indexes))]


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the vectors of each index."""
    indexes = [name for name in files if name.lower().endswith(ENDINGS)]
    yield from read_each(indexes, partial(_read_index, source, set(files)))


def _read_index(source: Source, there: set[str], name: str) -> Iterator[Piece]:
    import faiss  # type: ignore[import-untyped]

    try:
        whole = faiss.read_index(str(source.find_path(name)), faiss.IO_FLAG_MMAP)
        index, ids = _unwrap(faiss, whole, name)
        rows = index.ntotal
        if isinstance(index, faiss.IndexIVF):
            _refuse_files(faiss, index.invlists, name)
            rows, ids = _number_rows(faiss, index, name, ids)
        first = 0
        version, side = name_version(name)
        beside = find_beside(name, there)
        names = list(map(str, ids)) if ids is not None else None
        if beside:
            names = read_ids(source, beside)
        for first in range(0, rows, BLOCK):
            count = min(BLOCK, rows - first)
            part = np.asarray(index.reconstruct_n(first, count), dtype=np.float32)
            own = None if names is None else names[first : first + count]
            yield Vectors(name, version, "texts" if side == "texts" else "items", part, own)
    except DataError:
        raise
    except Exception as error:  # faiss raises its own kinds
        found = f"an index that gives no vectors back ({str(error)[-80:]})"
        do = "numpy.save('items.npy', vectors)"
        raise DataError(name, found, "a flat index, or one that can reconstruct", do=do) from error


def _unwrap(faiss: Any, whole: Any, name: str) -> tuple[Any, Any]:
    """Return the index inside of a map of ids, and the ids."""
    index, ids = faiss.downcast_index(whole), None
    if isinstance(index, faiss.IndexIDMap):
        ids = faiss.vector_to_array(index.id_map)
        index = faiss.downcast_index(index.index)
    if isinstance(index, faiss.IndexPreTransform):
        found = "an index that turns its vectors first"
        do = "numpy.save('items.npy', vectors)"
        raise DataError(name, found, "the vectors as they were", do=do)
    return index, ids


def _refuse_files(faiss: Any, lists: Any, name: str) -> None:
    """Raise a DataError if lists of an index, nested ones too, are in another file."""
    lists = faiss.downcast_InvertedLists(lists)
    if getattr(lists, "filename", ""):
        do = "Merge it: faiss.write_index of an index in memory."
        raise DataError(name, "an index whose lists are in another file", "all in one", do=do)
    for nested in ("ils", "il", "il0", "il1"):
        inside = getattr(lists, nested, None)
        size = inside.size() if hasattr(inside, "size") else 0
        for each in [inside.at(at) for at in range(size)] if size else [inside]:
            if isinstance(each, faiss.InvertedLists):
                _refuse_files(faiss, each, name)


def _number_rows(faiss: Any, index: Any, name: str, outer: Any) -> tuple[int, Any]:
    """Make the rows of lists findable; return their number, and the ids that they were added by."""
    stored = [
        faiss.rev_swig_ptr(index.invlists.get_ids(at), size).copy()
        for at in range(index.nlist)
        if (size := index.invlists.list_size(at))
    ]
    ids = np.sort(np.concatenate(stored)) if stored else np.empty(0, dtype=np.int64)
    if len(np.unique(ids)) < index.ntotal:
        found = f"{index.ntotal - len(np.unique(ids)):,} rows whose number comes again"
        raise DataError(name, found, "a number for each row", do="Add them again with other ids.")
    if (ids == np.arange(len(ids))).all():
        index.make_direct_map()
        return index.ntotal, outer
    raise DataError(
        name, "an index of lists with ids of its own", "rows numbered from 0, or IndexIDMap",
        do="numpy.save('items.npy', vectors), and their ids in items.txt",
    )  # fmt: skip


FORMAT = Format("FAISS", "index files that hold their vectors", recognise, read)
