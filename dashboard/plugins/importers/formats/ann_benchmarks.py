"""HDF5 of ann-benchmarks: `train`, `test` and their true `neighbors`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Judgements,
    Piece,
    Queries,
    Vectors,
    read_each,
)
from dashboard.plugins.importers.source import Source

BLOCK = 1 << 14
MAX_NEIGHBOURS = 10


def recognise(source: Source) -> list[str]:
    """Return HDF5 files."""
    return source.list_left(".hdf5", ".h5")


def _read_file(source: Source, name: str) -> Iterator[Piece]:
    import h5py  # type: ignore[import-untyped]

    try:
        with h5py.File(source.find_path(name), "r") as opened:
            yield from _read_sets(name, opened)
    except (OSError, RuntimeError, KeyError) as error:
        found = f"a damaged HDF5 file ({str(error)[:60]})"
        raise DataError(name, found, "a whole file", do="Copy it again.") from error


def _read_sets(name: str, opened: Any) -> Iterator[Piece]:
    missing = [each for each in ("train", "test", "neighbors") if each not in opened]
    if missing:
        found = f"the data sets {', '.join(opened)}"
        do = "numpy.save('items.npy', h5py.File('FILE')['NAME'][:])"
        raise DataError(name, found, "train, test and neighbors", do=do)
    for key, side in (("train", "items"), ("test", "texts")):
        rows = opened[key]
        for first in range(0, len(rows), BLOCK):
            ids = [f"{key} {at}" for at in range(first, min(first + BLOCK, len(rows)))]
            if side == "items":
                yield Items(name, ids)
            else:
                yield Queries(name, ids, {"text": ids})
            part = np.asarray(rows[first : first + BLOCK])
            yield Vectors(name, "v1", "items" if side == "items" else "texts", part, ids)
    measure = str(opened.attrs.get("distance", "angular"))
    if measure not in ("angular", "cosine", "ip"):
        said = f"true neighbours by the distance {measure}"
        yield Finding("warning", name, None, said, "by the cosine, which orders results here")
    neighbours = np.asarray(opened["neighbors"][:, :MAX_NEIGHBOURS])
    queries = [f"test {at}" for at, own in enumerate(neighbours) for each in own if each >= 0]
    items = [f"train {each}" for each in neighbours.ravel().tolist() if each >= 0]
    yield Judgements(name, queries, items, [1.0] * len(items))


FORMAT = Format(
    "ann-benchmarks",
    "HDF5 with train, test and neighbors",
    recognise,
    partial(read_each, _read_file),
)
