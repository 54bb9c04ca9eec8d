"""Vectors in `.npy`, `.npz` and safetensors files, with ids in a file beside them, an array in the
same file, or in the order of the items. Nothing is ever unpickled."""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.storage.files.contents import LARGEST, read_text
from dashboard.storage.sources.clip_retrieval import shards_in
from dashboard.storage.sources.content import Content, Detected, Reader, Rows, version_name
from dashboard.storage.sources.listing import Listing, ending, parent, stem
from dashboard.storage.vectors.vectors import ids_in, matrix_of, read_matrix
from dashboard.tables import DataError, Findings, counted

ENDINGS = (".npy", ".npz", ".safetensors")
OF_QUERIES = {"query", "queries", "q", "text", "texts", "topic", "topics"}
GENERAL = {"item", "items", "gallery", "corpus", "doc", "docs", "document", "documents", "image",
           "images", "video", "videos", "clips", "passage", "passages", "embedding",
           "embeddings", "emb", "embs", "vector", "vectors", "feature", "features", "feats",
           "index", "data", "models", "arr", "0", "x", "weight"}  # fmt: skip
"""Words in names of files that name no version."""
_IDS = ("{0}.txt", "{0}.ids", "{0}_ids.txt", "{0}.ids.txt", "{0}_ids.npy", "{0}.ids.npy",
        "{0}_ids.json", "{0}.json", "ids_{0}.txt", "ids.txt", "ids.npy", "ids.json",
        "names.txt", "filenames.txt")  # fmt: skip


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """Files of vectors, and the files of ids beside them."""
    in_shards = {name for shards in shards_in(files) for name in shards.files()}
    vectors = [n for n in files if ending(n) in ENDINGS and not _is_ids(n) and n not in in_shards]
    if not vectors:
        return None
    there = set(files)
    beside = {each for name in vectors for each in places_of_ids(name) if each in there}
    return Detected((*vectors, *sorted(beside)), counted(len(vectors), "file"))


def _is_ids(name: str) -> bool:
    return bool(re.search(r"(^|[_.-])(ids|names|filenames)$", stem(name)))


def places_of_ids(name: str) -> list[str]:
    """Where the ids of a file of vectors may stand."""
    folder = parent(name)
    return [f"{folder}/{each}".lstrip("/") for each in (p.format(stem(name)) for p in _IDS)]


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """Each matrix as the vectors of a version."""
    content = Content()
    for name in detected.files:
        if ending(name) not in ENDINGS or _is_ids(name):
            continue
        if re.search(r"(^|[_.-])(labels?|targets?|classes|y)$", stem(name).lower()):
            content.problems.append(
                f"left out: {name}, by its name labels and no vectors; write them as a table with "
                "the columns item_id and label beside the vectors and their ids"
            )
            continue
        try:
            matrices, ids = arrays_in(listing, name)
            for key, array in matrices.items():
                own = ids.get(key) or ids.get("")
                add_rows(content, listing, detected.files, name, key, array, own)
        except DataError as problem:
            content.problems.append(f"left out: {problem}")
    return content


def add_rows(
    content: Content,
    listing: Listing,
    files: Sequence[str],
    name: str,
    key: str,
    array: npt.NDArray[Any],
    ids: tuple[str, ...] | None = None,
) -> None:
    """Add an array to the vectors of the version that its names tell, with ids from beside it."""
    version, side = version_of(name, key)
    taken = f"{name}, {key}" if key else name
    guessed = ""
    if ids is None:
        ids, source = ids_beside(listing, files, name, len(array))
        guessed = f"ids: {source}" if source else ""
    if ids is not None and len(ids) != len(array):
        raise DataError(
            taken, f"{counted(len(array), 'vector')} and {counted(len(ids), 'id')}", "as many ids"
        )
    if side in content.vectors.get(version, {}):
        version = stem(name)
    content.add_vectors(version, side, [Rows(array, ids, taken, guessed)])


def version_of(name: str, key: str = "") -> tuple[str, str]:
    """The version and the side (items or queries) that the names of a file and an array tell.

    >>> version_of("v2/items.npy"), version_of("clip_queries.npy"), version_of("x.npz", "a")
    (('v2', 'items'), ('clip', 'queries'), ('a', 'items'))
    >>> version_of("new.safetensors", "new")
    ('new', 'items')
    """
    words = [word for word in re.split(r"[_\-\s.]+", f"{stem(name)}_{key}") if word]
    side = "queries" if OF_QUERIES & {word.lower() for word in words} else "items"
    own = dict.fromkeys(word for word in words if word.lower() not in OF_QUERIES | GENERAL)
    folder = parent(name).rpartition("/")[2]
    plain = "_".join(own) or (folder if folder.lower() not in GENERAL else "") or "v1"
    return version_name(plain), side


def ids_beside(
    listing: Listing, files: Sequence[str], name: str, count: int
) -> tuple[tuple[str, ...] | None, str]:
    """The ids in the first file beside a file of vectors that has as many; None without one."""
    for place in (place for place in places_of_ids(name) if place in files):
        try:
            ids = _read_ids(listing, place)
        except (DataError, ValueError):
            continue
        if len(ids) == count:
            return ids, place
    return None, ""


def _read_ids(listing: Listing, name: str) -> tuple[str, ...]:
    if ending(name) == ".npy":
        return _ids_of(listing.path(name).read_bytes(), name)
    text = read_text(listing.path(name), name, Findings())
    if ending(name) == ".json":
        found = json.loads(text)
        return tuple(map(str, found)) if isinstance(found, list) else ()
    return ids_in(text, name, Findings())


def arrays_in(
    listing: Listing, name: str
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, tuple[str, ...]]]:
    """The matrices in a file by their names, and the ids: of each, or under "" of all."""
    path = listing.path(name)
    if ending(name) == ".npy":
        return {"": read_matrix(path, name)}, {}
    members = (
        _of_safetensors(listing, name) if ending(name) == ".safetensors" else _of_npz(listing, name)
    )
    matrices: dict[str, npt.NDArray[Any]] = {}
    ids: dict[str, tuple[str, ...]] = {}
    for key, content in members.items():
        if isinstance(content, bytes):
            shape, _ = _npy_layout(content, f"{name}, {key}")
            if len(shape) == 1:
                plain = re.sub(r"_?(ids?|names|filenames|keys)$", "", key)
                ids[plain] = _ids_of(content, f"{name}, {key}")
            else:
                matrices[key] = matrix_of(content, f"{name}, {key}")
        elif content.ndim == 1:
            ids[re.sub(r"_?(ids?|names)$", "", key)] = tuple(map(str, content.tolist()))
        elif content.ndim == 2:
            matrices[key] = content
    if not matrices:
        raise DataError(name, f"the arrays {', '.join(members)}", "an array [vectors, dimension]")
    return matrices, ids


def _of_npz(listing: Listing, name: str) -> dict[str, Any]:
    """The bytes of each `.npy` in an archive. Raises DataError for one that swells much."""
    found: dict[str, Any] = {}
    try:
        with zipfile.ZipFile(listing.path(name)) as archive:
            members = archive.infolist()
            packed = sum(each.compress_size for each in members)
            size = sum(each.file_size for each in members)
            if len(members) > 1_000 or size > max(100 * packed, 1 << 20) or size > LARGEST:
                raise DataError(
                    name,
                    f"{len(members):,} arrays, {packed:,} bytes that unpack to {size:,}",
                    "an archive that does not swell a hundredfold",
                )
            for each in members:
                with archive.open(each) as file:
                    found[each.filename.removesuffix(".npy")] = file.read(each.file_size)
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(name, "a damaged .npz file", "a complete .npz file") from error
    return found


def _npy_layout(content: bytes, name: str) -> tuple[tuple[int, ...], np.dtype]:
    """The shape and type in the header of a `.npy`; its size is checked against them."""
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        reader = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = reader(file)
    except (ValueError, EOFError, RecursionError, MemoryError) as error:
        raise DataError(name, "a damaged header", "an array in .npy format") from error
    if dtype.hasobject:
        raise DataError(name, "Python objects", "numbers or texts; pickles are never read")
    if math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise DataError(name, "fewer or more bytes than the header says", "a complete array")
    return shape, dtype


def _ids_of(content: bytes, name: str) -> tuple[str, ...]:
    shape, dtype = _npy_layout(content, name)
    if len(shape) != 1 or dtype.kind not in "iuUS":
        raise DataError(name, f"the shape {shape} of {dtype}", "ids in one row")
    array = np.load(io.BytesIO(content), allow_pickle=False)
    if dtype.kind == "S":
        return tuple(each.decode("utf-8", "backslashreplace") for each in array.tolist())
    return tuple(map(str, array.tolist()))


def _of_safetensors(listing: Listing, name: str) -> dict[str, Any]:
    from safetensors import SafetensorError, safe_open

    path = listing.path(name)
    if path.stat().st_size > LARGEST:
        raise DataError(name, f"{path.stat().st_size:,} bytes", f"at most {LARGEST:,}")
    try:
        with safe_open(path, framework="np") as file:
            return {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, TypeError, ValueError) as error:
        raise DataError(
            name, f"no tensors that numpy reads ({error})"[:200], "float32, float16 or float64"
        ) from error


READER = Reader("vectors", detect, read)
