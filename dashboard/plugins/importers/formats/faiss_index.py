"""FAISS index files: the vectors that an index holds, read without leaving the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.errors import DataError
from dashboard.plugins.importers.column_roles import name_version
from dashboard.plugins.importers.formats.arrays import find_beside, read_ids
from dashboard.plugins.importers.pieces import Format, Piece, Vectors, read_each
from dashboard.plugins.importers.source import Source

ENDINGS = (".faiss", ".index", ".ivf", ".hnsw")
BLOCK = 1 << 14


def recognise(source: Source) -> list[str]:
    """Return files of indexes, and the files of ids beside them."""
    indexes, left = source.list_left(*ENDINGS), set(source.left)
    return [*indexes, *filter(None, (find_beside(name, left) for name in indexes))]


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the vectors of each index."""
    indexes = [name for name in files if name.lower().endswith(ENDINGS)]
    yield from read_each(partial(_read_index, there=set(files)), source, indexes)


def _read_index(source: Source, name: str, there: set[str]) -> Iterator[Piece]:
    import faiss

    try:
        whole = faiss.read_index(str(source.find_path(name)), faiss.IO_FLAG_MMAP)
        index, ids = _unwrap(faiss, whole, name)
        numbers = np.arange(index.ntotal)
        if isinstance(index, faiss.IndexIVF):
            _refuse_files(faiss, index.invlists, name)
            numbers = _number_rows(faiss, index, name)
            is_plain = (numbers == np.arange(len(numbers))).all()
            ids = ids if is_plain or ids is not None else numbers
        version, side = name_version(name)
        beside = find_beside(name, there)
        names = read_ids(source, beside) if beside else None if ids is None else list(map(str, ids))
        for first in range(0, len(numbers), BLOCK):
            part = index.reconstruct_batch(numbers[first : first + BLOCK])
            own = None if names is None else names[first : first + BLOCK]
            yield Vectors(name, version, side, part, own)
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
    for nested in ("il", "il0", "il1"):
        if isinstance(getattr(lists, nested, None), faiss.InvertedLists):
            _refuse_files(faiss, getattr(lists, nested), name)
    several = getattr(lists, "ils", None)
    for at in range(several.size() if several is not None else 0):
        _refuse_files(faiss, lists.ils.at(at), name)


def _number_rows(faiss: Any, index: Any, name: str) -> NDArray[np.int64]:
    """Return the numbers by which rows were added, and make the rows findable by them."""
    lists = index.invlists
    stored = [
        faiss.rev_swig_ptr(lists.get_ids(at), lists.list_size(at)).copy()
        for at in range(index.nlist)
        if lists.list_size(at)
    ]
    numbers = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *stored]))
    lost = index.ntotal - len(np.unique(numbers))
    if lost:
        do = "Add them again with other ids."
        raise DataError(name, f"{lost:,} rows whose number comes again", "one for each", do=do)
    index.set_direct_map_type(faiss.DirectMap.Hashtable)
    return numbers


FORMAT = Format("FAISS", "index files that hold their vectors", recognise, read)
