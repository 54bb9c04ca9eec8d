"""Vectors in npy, npz and safetensors files; their ids in the file, or in one beside it."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.next.errors import DataError, Finding
from dashboard.next.plugins.importers.deciding import LABELS
from dashboard.next.plugins.importers.pieces import Format, Items, Piece, Vectors, read_each
from dashboard.next.plugins.importers.roles import TEXT_WORDS, name_version
from dashboard.next.plugins.importers.source import Source, find_folder_of, find_stem

ENDINGS = (".npy", ".npz", ".safetensors")
BESIDE = ("{0}.txt", "{0}.ids", "{0}_ids.txt", "{0}.ids.txt", "{0}_ids.npy", "{0}.ids.npy",
          "{0}_ids.json", "{0}_names.txt", "ids_{0}.txt", "ids.txt", "ids.npy", "ids.json",
          "names.txt", "filenames.txt")  # fmt: skip
"""Files of ids, by the name of the file of vectors."""
IDS = re.compile(r"(^|[_.-])(ids?|names?|file_?names?|paths?|keys?|files)$", re.I)
BLOCK = 1 << 14
MAX_SWELL = 1_000
Arrays = Mapping[str, NDArray[Any]]


def recognise(source: Source) -> list[str]:
    """Return files of vectors, and the files of ids beside them."""
    arrays = source.list_left(*ENDINGS)
    left = set(source.left)
    return [
        *arrays,
        *(each for name in arrays if (each := _find_beside(name, left)) not in ("", *arrays)),
    ]


def _find_beside(name: str, there: set[str]) -> str:
    """Return the file of the ids of a file of vectors; "" for none."""
    folder = find_folder_of(name)
    places = (f"{folder}/{each.format(find_stem(name))}".lstrip("/") for each in BESIDE)
    return next((place for place in places if place in there and place != name), "")


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the vectors of each file in blocks, and labels that stand beside them."""
    beside = {_find_beside(name, set(files)) for name in files}
    arrays = [name for name in files if name.lower().endswith(ENDINGS) and name not in beside]
    yield from read_each(arrays, partial(_read_file, source, set(files)))


def _read_file(source: Source, there: set[str], name: str) -> Iterator[Piece]:
    arrays = _open(source.find_path(name), name)
    lists = {key: each for key, each in arrays.items() if each.ndim == 1 and key}
    matrices = {key: each for key, each in arrays.items() if each.ndim != 1}
    stem = find_stem(name).lower()
    if not matrices or stem in LABELS or stem in ("y", "targets"):
        shapes = ", ".join(f"{key} {each.shape}".strip() for key, each in arrays.items())
        do = "Write labels as a table with the columns item_id and label."
        raise DataError(name, f"no vectors ({shapes})", "an array (rows, dimension)", do=do)
    for key, rows in matrices.items():
        version, side = name_version(name, key)
        ids = _find_ids(lists, key, side, len(rows))
        file = _find_beside(name, there)
        if ids is None and file and len(matrices) == 1:
            ids = _read_ids(source, file)
            if len(ids) != len(rows):
                found = f"{len(rows):,} vectors and {len(ids):,} ids in {file}"
                raise DataError(name, found, "one id for each vector, in the same order")
        if ids is not None and side == "items":
            yield from _list_labels(source, name, lists, ids)
        for first in range(0, max(1, len(rows)), BLOCK):
            part = np.asarray(rows[first : first + BLOCK])
            names = None if ids is None else ids[first : first + BLOCK]
            yield Vectors(name, version, "texts" if side == "texts" else "items", part, names)


def _list_labels(
    source: Source, name: str, lists: Arrays, ids: Sequence[str]
) -> Iterator[Items | Finding]:
    """Yield the labels that stand beside vectors in one file."""
    folder = find_folder_of(name)
    columns = {
        key: [str(each) for each in cells.tolist()]
        for key, cells in lists.items()
        if len(cells) == len(ids) and not IDS.search(key) and cells.dtype.kind in "iuUb"
    }
    if columns:
        files = [source.find_media(each, folder) for each in ids]
        yield Items(name, ids, columns | {"file": files})


def _find_ids(lists: Arrays, key: str, side: str, count: int) -> list[str] | None:
    """Return the ids among the lists of a file: of the same length, and named so or texts."""
    fitting = [
        (name, each)
        for name, each in lists.items()
        if len(each) == count and (IDS.search(name) or each.dtype.kind == "U")
    ]
    own = [name for name, _ in fitting if _is_texts(name) == (side == "texts")]
    ranked = sorted(own, key=lambda name: (not IDS.search(name), name.lower() in LABELS))
    chosen = next((name for name in ranked if name.lower() not in LABELS), None)
    return None if chosen is None else [str(each).strip() for each in lists[chosen].tolist()]


def _is_texts(name: str) -> bool:
    return bool(TEXT_WORDS & set(re.split(r"[_\-.]", name.lower())))


def _read_ids(source: Source, name: str) -> list[str]:
    if name.endswith(".npy"):
        return [str(each) for each in _open(source.find_path(name), name)[""].ravel().tolist()]
    if name.endswith(".json"):
        found = source.read_json(name)
        return [str(each) for each in found] if isinstance(found, list) else []
    return [line.strip() for line in source.read_text(name).rstrip("\n").split("\n")]


def _open(path: Path, name: str) -> Arrays:
    """Return the arrays of a file by their names; nothing is unpickled.

    Raises:
        DataError: If the file is damaged, or holds Python objects.
    """
    try:
        if name.lower().endswith(".npy"):
            return {"": np.load(path, mmap_mode="r", allow_pickle=False)}
        if name.lower().endswith(".npz"):
            return _open_archive(path, name)
        return _open_tensors(path, name)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
        do = "Save it again, with numbers or texts only; pickles are never read."
        found = f"a damaged file, or one of Python objects ({str(error)[:60]})"
        raise DataError(name, found, "arrays of numbers", do=do) from error


def _open_archive(path: Path, name: str) -> Arrays:
    with zipfile.ZipFile(path) as archive:
        size = sum(each.file_size for each in archive.infolist())
    if size > MAX_SWELL * path.stat().st_size:
        raise DataError(name, f"{size:,} bytes when unpacked", "a file that does not swell so")
    with np.load(path, allow_pickle=False) as found:
        arrays = {key: found[key] for key in found.files}
    return {
        key: each.astype(str) if each.dtype.kind == "S" else each for key, each in arrays.items()
    }


def _open_tensors(path: Path, name: str) -> Arrays:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as file:
            told = file.metadata() or {}
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, TypeError, AttributeError) as error:
        found = f"tensors that numpy has no type for, or a damaged file ({str(error)[:60]})"
        raise DataError(name, found, "float32, float16 or float64", do="tensor.float()") from error
    for key, text in told.items():
        if IDS.search(key) and text.startswith("["):
            arrays[key] = np.array(json.loads(text), dtype=str)
    return arrays


FORMAT = Format("vectors", "npy, npz, safetensors, with ids inside or beside", recognise, read)
