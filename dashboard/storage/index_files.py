"""FAISS index files: the vectors that an index holds, read without leaving the file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.errors import DataError, explain_errors
from dashboard.storage.vector_ids import Arrays
from dashboard.tables import Float32Array, IntArray

SAVE = "numpy.save('items.npy', vectors)"


@dataclass(frozen=True, eq=False)
class IndexRows:
    """Vectors of an index; a slice reads rows. [rows, dimension].

    Attributes:
        index: The index that holds them.
        numbers: The number by which each was added.
        whole: The index around it, which owns its memory.
    """

    index: Any
    numbers: IntArray
    whole: Any
    ndim = 2
    dtype = np.dtype(np.float32)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and dimension."""
        return len(self.numbers), int(self.index.d)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: slice) -> Float32Array:
        made: Float32Array = self.index.reconstruct_batch(self.numbers[rows])
        return made


def read_index(path: Path) -> Arrays:
    """Return the vectors of an index, and the ids that it gives them.

    Raises:
        DataError: If it is damaged, or does not hold vectors as they were.
    """
    import faiss

    wanted = "a flat index, or one that can reconstruct"
    with explain_errors(path.name, "an index that gives no vectors back", wanted, SAVE):
        whole = faiss.read_index(str(path), faiss.IO_FLAG_MMAP)
        index, ids = faiss.downcast_index(whole), None
        if isinstance(index, faiss.IndexIDMap):
            ids = faiss.vector_to_array(index.id_map)
            index = faiss.downcast_index(index.index)
        if isinstance(index, faiss.IndexPreTransform):
            found = "an index that turns its vectors first"
            raise DataError(path.name, found, "the vectors as they were", do=SAVE)
        numbers = np.arange(index.ntotal)
        if isinstance(index, faiss.IndexIVF):
            refuse_files(index.invlists, path.name)
            lists: Any = index.invlists
            stored = [
                faiss.rev_swig_ptr(lists.get_ids(at), lists.list_size(at)).copy()
                for at in range(index.nlist)
                if lists.list_size(at)
            ]
            numbers = np.sort(np.concatenate([np.empty(0, int), *stored]))
            if lost := index.ntotal - len(np.unique(numbers)):
                raise DataError(
                    path.name,
                    f"an index of {index.ntotal:,} rows, {lost:,} by a number that comes again",
                    "one for each",
                    do="Add them again with other ids.",
                )
            # rows are found by the numbers by which they were added
            index.set_direct_map_type(faiss.DirectMap.Hashtable)  # type: ignore[attr-defined]
            is_plain = (numbers == np.arange(len(numbers))).all()
            ids = ids if is_plain or ids is not None else numbers
        if len(numbers):
            index.reconstruct_batch(numbers[:1])
    rows = IndexRows(index, numbers, whole)
    return {"": rows} if ids is None else {"": rows, "ids": ids}


def refuse_files(lists: Any, name: str) -> None:
    """Raise a DataError if lists of an index, nested ones too, are in another file."""
    import faiss

    lists = faiss.downcast_InvertedLists(lists)
    if getattr(lists, "filename", ""):
        raise DataError(
            name,
            "an index whose lists are in another file",
            "all in one",
            do="Merge it: faiss.write_index of an index in memory.",
        )
    for nested in ("il", "il0", "il1"):
        if isinstance(getattr(lists, nested, None), faiss.InvertedLists):
            refuse_files(getattr(lists, nested), name)
    several = getattr(lists, "ils", None)
    for at in range(several.size() if several is not None else 0):
        refuse_files(lists.ils.at(at), name)
