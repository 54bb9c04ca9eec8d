"""Vectors in npy, npz, safetensors, HDF5 and FAISS files."""

import re
from collections.abc import Sequence, Set
from functools import partial
from typing import Any

from numpy.typing import NDArray

from dashboard.errors import DataError
from dashboard.plugins.importers.column_roles import name_version
from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Pieces,
    Vectors,
    read_each,
)
from dashboard.plugins.importers.source import Source, find_stem
from dashboard.storage.array_files import READERS, read_arrays
from dashboard.storage.media import EXTENSION
from dashboard.storage.vector_ids import (
    IDS,
    LABELS,
    TABLES,
    find_beside,
    find_ids,
    list_texts,
    read_beside,
)

ENDINGS = tuple(each for each in READERS if each != ".parquet")


def recognise(source: Source) -> list[str]:
    """Return files of vectors, and the files of ids beside them; tables may say more than ids."""
    arrays, left = source.list_left(*ENDINGS), set(source.left)
    beside = {other for name in arrays for other in find_beside(name, left)}
    tables = {name for name in beside if name.endswith(TABLES) and not _is_list(source, name)}
    return [*arrays, *(beside - tables)]


def _is_list(source: Source, name: str) -> bool:
    """Return whether the first line of a table is that of ids alone, and says so."""
    first = source.read_head(name).split("\n")[0].strip()
    is_one = not re.search(r"[,;\t|]", first)
    return is_one and bool(IDS.search(first) or EXTENSION.search(first))


def read(source: Source, files: Sequence[str]) -> Pieces:
    """Yield the vectors of each file in blocks, and labels that stand beside them."""
    every = [name for name in files if name.lower().endswith(ENDINGS)]
    there = frozenset([*files, *source.left])
    beside = {other for name in every for other in find_beside(name, there)}
    arrays = [name for name in every if name not in beside]
    yield from read_each(partial(_read_file, there=there), source, arrays)


def _read_file(source: Source, name: str, there: Set[str]) -> Pieces:
    arrays = read_arrays(source.find_path(name), name)
    lists = {key: each for key, each in arrays.items() if each.ndim == 1 and key}
    matrices = {key: each for key, each in arrays.items() if each.ndim > 1}
    if not matrices or find_stem(name).lower() in LABELS | {"y", "targets"}:
        shapes = ", ".join(f"{key} {each.shape}".strip() for key, each in arrays.items())
        do = "Write labels as a table with the columns item_id and label."
        raise DataError(name, f"no vectors ({shapes})", "an array (rows, dimension)", do=do)
    for key, rows in matrices.items():
        version, side = name_version(name, key)
        ids = find_ids(lists, len(rows), side == "texts")
        if ids is None and len(matrices) == 1:
            ids = read_beside(source.root, name, len(rows), there, source.findings)
        if ids is not None and side == "items":
            cells = {key: list_texts(own) for key, own in lists.items() if _is_label(key, own, ids)}
            yield from [Items(name, ids, cells)] if cells else []
        yield Vectors(name, version, side, rows, ids)


def _is_label(key: str, cells: NDArray[Any], ids: Sequence[str]) -> bool:
    """Return whether a list beside vectors describes them, and is not that of their ids."""
    is_column = len(cells) == len(ids) and cells.dtype.kind in "iuUbO" and not IDS.search(key)
    return is_column and list_texts(cells) != ids


FORMAT = Format("vectors", recognise, read)
