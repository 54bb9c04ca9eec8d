"""Vectors in npy, npz and safetensors files; their ids in the file, or in one beside it."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.column_roles import TEXT_WORDS, name_version
from dashboard.plugins.importers.deciding import LABELS
from dashboard.plugins.importers.pieces import Format, Items, Piece, Vectors, read_each
from dashboard.plugins.importers.source import Source, find_folder_of, find_stem
from dashboard.storage.array_files import READERS

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
        *(each for name in arrays if (each := find_beside(name, left)) not in ("", *arrays)),
    ]


def find_beside(name: str, there: set[str]) -> str:
    """Return the file of the ids of a file of vectors; "" for none."""
    folder = find_folder_of(name)
    places = (f"{folder}/{each.format(find_stem(name))}".lstrip("/") for each in BESIDE)
    return next((place for place in places if place in there and place != name), "")


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the vectors of each file in blocks, and labels that stand beside them."""
    beside = {find_beside(name, set(files)) for name in files}
    arrays = [name for name in files if name.lower().endswith(ENDINGS) and name not in beside]
    times = Counter(map(name_version, arrays))
    alike = {name for name in arrays if times[name_version(name)] > 1}
    yield from read_each(partial(_read_file, there=set(files), alike=alike), source, arrays)


def _read_file(source: Source, name: str, there: set[str], alike: set[str]) -> Iterator[Piece]:
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
        version = find_stem(name) if name in alike else version
        ids = _find_ids(lists, key, side, len(rows))
        file = find_beside(name, there)
        if ids is None and file and len(matrices) == 1:
            ids = read_ids(source, file)
            if len(ids) != len(rows):
                found = f"{len(rows):,} vectors and {len(ids):,} ids in {file}"
                raise DataError(name, found, "one id for each vector, in the same order")
        if ids is not None and side == "items":
            yield from _list_labels(source, name, lists, ids)
        for first in range(0, max(1, len(rows)), BLOCK):
            part = np.asarray(rows[first : first + BLOCK])
            names = None if ids is None else ids[first : first + BLOCK]
            yield Vectors(name, version, side, part, names)


def _list_labels(
    source: Source, name: str, lists: Arrays, ids: Sequence[str]
) -> Iterator[Items | Finding]:
    """Yield the labels that stand beside vectors in one file."""
    folder = find_folder_of(name)
    columns = {
        key: [str(each) for each in cells.tolist()]
        for key, cells in lists.items()
        if len(cells) == len(ids) and not IDS.search(key) and cells.dtype.kind in "iuUb"
        if cells.astype(str).tolist() != ids
    }
    if columns:
        files = [source.find_media(each, folder) for each in ids]
        yield Items(name, ids, columns | {"file": files})


def _find_ids(lists: Arrays, key: str, side: str, count: int) -> list[str] | None:
    """Return the ids among the lists of a file: of the same length, and named so or texts."""
    fitting = [
        (name, each)
        for name, each in lists.items()
        if len(each) == count
        and (IDS.search(name) or each.dtype.kind in "US" or _is_numbering(each))
    ]
    own = [name for name, _ in fitting if _is_texts(name) == (side == "texts")]
    ranked = sorted(own, key=lambda name: (not IDS.search(name), name.lower() in LABELS))
    chosen = next((name for name in ranked if name.lower() not in LABELS), None)
    return None if chosen is None else lists[chosen].astype(str).tolist()


def _is_numbering(cells: NDArray[Any]) -> bool:
    """Return whether whole numbers are all different, and not merely those of the rows."""
    is_whole = cells.dtype.kind in "iu" and len(np.unique(cells)) == len(cells)
    return is_whole and not np.array_equal(cells, np.arange(len(cells)))


def _is_texts(name: str) -> bool:
    return bool(TEXT_WORDS & set(re.split(r"[_\-.]", name.lower())))


def read_ids(source: Source, name: str) -> list[str]:
    """Return the ids of a file: lines, a list of JSON, or an array."""
    if name.endswith(".npy"):
        return [str(each) for each in _open(source.find_path(name), name)[""].ravel().tolist()]
    if name.endswith(".json"):
        found = source.read_json(name)
        return [str(each) for each in found] if isinstance(found, list) else []
    return [line.strip() for line in source.read_text(name).rstrip("\n").split("\n")]


def _open(path: Path, name: str) -> Arrays:
    """Return the arrays of a file by their names; nothing is unpickled.

    Raises:
        DataError: If the file is damaged, or holds other things than numbers and texts.
    """
    ending = path.suffix.lower()
    try:
        if ending == ".npz":
            _check_size(path, name)
        if ending != ".npy":
            return READERS[ending](path)
        return {"": np.load(path, mmap_mode="r", allow_pickle=False)}
    except DataError:
        raise
    except Exception as error:  # damaged files raise almost any kind
        found = f"a damaged file, or one of other things than numbers ({str(error)[:60]})"
        do = "Save it again as float32; pickles are never read."
        raise DataError(name, found, "arrays of numbers", do=do) from error


def _check_size(path: Path, name: str) -> None:
    with zipfile.ZipFile(path) as archive:
        size = sum(each.file_size for each in archive.infolist())
    if size > MAX_SWELL * path.stat().st_size:
        raise DataError(name, f"{size:,} bytes when unpacked", "a file that does not swell so")


FORMAT = Format("vectors", "npy, npz, safetensors, with ids inside or beside", recognise, read)
