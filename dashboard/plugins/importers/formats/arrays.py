"""Vectors in npy, npz, safetensors, HDF5 and FAISS files, and the neighbours of ann-benchmarks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.column_roles import name_version
from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Judgements,
    Piece,
    Queries,
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
    Arrays,
    find_beside,
    find_ids,
    list_texts,
    read_beside,
)

ENDINGS = tuple(each for each in READERS if each != ".parquet")
SETS = ("train", "test", "neighbors")
"""Data sets of ann-benchmarks: items, queries, and the true neighbours of these."""
MAX_NEIGHBOURS = 10


def recognise(source: Source) -> list[str]:
    """Return files of vectors, and the files of ids beside them; tables may say more than ids."""
    arrays, left = source.list_left(*ENDINGS), set(source.left)
    beside = [other for name in arrays for other in find_beside(name, left)]
    return list(
        dict.fromkeys(
            name
            for name in (*arrays, *beside)
            if not name.endswith(TABLES) or _is_list(source.read_head(name).split("\n")[0].strip())
        )
    )


def _is_list(first: str) -> bool:
    """Return whether the first line of a table is that of ids alone, and says so."""
    is_one = not re.search(r"[,;\t|]", first)
    return is_one and bool(IDS.search(first) or EXTENSION.search(first))


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the vectors of each file in blocks, and labels that stand beside them."""
    there = {*files, *(name for name in source.files if name.endswith(TABLES))}
    arrays = [name for name in files if name.lower().endswith(ENDINGS)]
    beside = {other for name in arrays for other in find_beside(name, there)}
    arrays = [name for name in arrays if name not in beside]
    times = Counter(map(name_version, arrays))
    alike = {name for name in arrays if times[name_version(name)] > 1}
    yield from read_each(partial(_read_file, there=there, alike=alike), source, arrays)


def _read_file(source: Source, name: str, there: set[str], alike: set[str]) -> Iterator[Piece]:
    arrays = read_arrays(source.find_path(name), name)
    if arrays.keys() >= set(SETS):
        yield from _read_sets(name, arrays)
        return
    lists = {key: each for key, each in arrays.items() if each.ndim == 1 and key}
    matrices = {key: each for key, each in arrays.items() if each.ndim > 1}
    stem = find_stem(name).lower()
    if not matrices or stem in LABELS or stem in ("y", "targets"):
        shapes = ", ".join(f"{key} {each.shape}".strip() for key, each in arrays.items())
        do = "Write labels as a table with the columns item_id and label."
        raise DataError(name, f"no vectors ({shapes})", "an array (rows, dimension)", do=do)
    for key, rows in matrices.items():
        version, side = name_version(name, key)
        version = find_stem(name) if name in alike else version
        ids = find_ids(lists, len(rows), side == "texts")
        if ids is None and len(matrices) == 1:
            ids = read_beside(source.root, name, len(rows), there, source.findings)
        if ids is not None and side == "items":
            yield from _list_labels(name, lists, ids)
        yield Vectors(name, version, side, rows, ids)


def _list_labels(name: str, lists: Arrays, ids: Sequence[str]) -> Iterator[Items]:
    """Yield the labels that stand beside vectors in one file."""
    columns = {
        key: list_texts(cells)
        for key, cells in lists.items()
        if len(cells) == len(ids) and not IDS.search(key) and cells.dtype.kind in "iuUbO"
        if list_texts(cells) != ids
    }
    if columns:
        yield Items(name, ids, columns)


def _read_sets(name: str, arrays: Mapping[str, Any]) -> Iterator[Piece]:
    """Yield the items, queries and true neighbours of ann-benchmarks."""
    items, queries = ([f"{key} {at}" for at in range(len(arrays[key]))] for key in SETS[:2])
    yield Items(name, items)
    yield Queries(name, queries, {"text": queries})
    yield Vectors(name, "v1", "items", arrays["train"], items)
    yield Vectors(name, "v1", "texts", arrays["test"], queries)
    neighbours = arrays["neighbors"]
    measure = str(getattr(neighbours, "parent", neighbours).attrs.get("distance", "angular"))
    if measure not in ("angular", "cosine", "ip"):
        said = f"true neighbours by the distance {measure}"
        yield Finding("warning", name, None, said, "by the cosine, which orders results here")
    nearest = np.asarray(neighbours[:, :MAX_NEIGHBOURS])
    pairs = [(at, each) for at, own in enumerate(nearest.tolist()) for each in own if each >= 0]
    asked, named = [queries[at] for at, _ in pairs], [items[each] for _, each in pairs]
    yield Judgements(name, asked, named, [1.0] * len(pairs))


FORMAT = Format(
    "vectors",
    "npy, npz, safetensors, HDF5, FAISS index files, with ids inside or beside; ann-benchmarks",
    recognise,
    read,
)
