"""Vectors in files of other programs, with or without ids: .npy, .npz, .safetensors, .parquet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.errors import DataError, Finding, list_names
from dashboard.storage.new_versions import NamedVectors
from dashboard.storage.vectors import read_ids
from dashboard.texts import require_file

IDS = (
    "ids", "names", "filenames", "keys", "paths", "file_name", "file_names", "image_paths",
    "image_ids", "item_id", "item_ids", "query_id", "query_ids", "id", "_id",
)  # fmt: skip
"""Names of arrays and columns that hold the ids of vectors beside them."""
Arrays = dict[str, NDArray[Any]]
TENSORS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip
"""Types of numbers in safetensors files, and numpy's names of them."""


def read_named_vectors(path: Path, ids: Path | None, findings: list[Finding]) -> NamedVectors:
    """Return the vectors of a file, and their ids.

    Args:
        path: The file.
        ids: File of the ids, one a line; None: those in the file itself, or beside it in .txt.
        findings: Gains repairs of the file of ids.

    Raises:
        DataError: If the file cannot be read, or holds several arrays of vectors.
    """
    require_file(path, path.name, f"vectors: {list_names(READERS)}")
    read = READERS.get(path.suffix.lower())
    if read is None:
        found = f"the ending {path.suffix!r}"
        raise DataError(path.name, found, f"one of {list_names(READERS)}")
    try:
        arrays = read(path)
    except DataError:
        raise
    except Exception as error:  # damaged files raise almost any kind
        found = f"a file that cannot be read ({str(error)[:80]})"
        raise DataError(path.name, found, f"a whole {path.suffix} file of numbers") from error
    tables = {key: each for key, each in arrays.items() if each.ndim == 2}
    if len(tables) != 1:
        found = f"arrays {list_names(f'{k} {v.shape}' for k, v in arrays.items())}"
        raise DataError(path.name, found, "one array of vectors, and one of their ids")
    ((_, rows),) = tables.items()
    beside = ids or path.with_suffix(".txt")
    if ids is None and not beside.is_file():
        return NamedVectors(rows, _find_ids(arrays), path.name)
    return NamedVectors(rows, read_ids(beside, beside.name, findings), path.name)


def name_vectors(
    given: Any, ids: Sequence[str] | None, name: str, findings: list[Finding]
) -> NamedVectors:
    """Return vectors that a caller has: an array or tensor, rows by id, a frame, or a file.

    Raises:
        DataError: If they are no rows of numbers of one length.
    """
    if isinstance(given, str | Path):
        found = read_named_vectors(Path(given), None, findings)
        return NamedVectors(found.rows, found.ids if ids is None else list(ids), found.name)
    if hasattr(given, "to_numpy") and hasattr(given, "index"):  # a frame of pandas
        ids, given = given.index.tolist() if ids is None else ids, given.to_numpy()
    elif isinstance(given, Mapping):
        ids, given = list(given) if ids is None else ids, list(given.values())
    try:
        if isinstance(given, list | tuple):
            rows = np.stack([_read_tensor(row) for row in given])
        else:
            rows = _read_tensor(given)
    except (TypeError, ValueError) as error:
        why = f"no rows of numbers ({str(error)[:80]})"
        raise DataError(name, why, "rows of numbers, all of one length") from error
    return NamedVectors(rows, None if ids is None else [str(each) for each in ids], name)


def _read_tensor(given: Any) -> NDArray[Any]:
    """Return an array; a tensor may have gradients, be on a device, or have bfloat16."""
    if hasattr(given, "detach"):
        given = given.detach().cpu()
        given = given.float() if given.is_floating_point() else given
    return np.asarray(given)


def _find_ids(arrays: Mapping[str, NDArray[Any]]) -> Sequence[str] | None:
    for name in IDS:
        if name in arrays and arrays[name].ndim == 1:
            return [
                each.decode() if isinstance(each, bytes) else str(each)
                for each in arrays[name].tolist()
            ]
    return None


def _read_npy(path: Path) -> Arrays:
    return {path.stem: np.load(path, allow_pickle=False)}


def _read_npz(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _read_safetensors(path: Path) -> Arrays:
    from safetensors import deserialize

    found: Arrays = {}
    for name, told in deserialize(path.read_bytes()):  # type: ignore[no-untyped-call]
        if told["dtype"] == "BF16":  # the upper half of float32, which numpy does not have
            upper = np.frombuffer(told["data"], "<u2").astype("<u4")
            found[name] = (upper << 16).view("<f4").reshape(told["shape"])
        elif told["dtype"] in TENSORS:
            found[name] = np.frombuffer(told["data"], TENSORS[told["dtype"]]).reshape(told["shape"])
        else:
            wanted = f"one of BF16, {', '.join(TENSORS)}"
            raise DataError(path.name, f"numbers of type {told['dtype']} in {name!r}", wanted)
    return found


def _read_parquet(path: Path) -> Arrays:
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import parquet

    table = parquet.read_table(path)
    found: Arrays = {}
    for name in table.column_names:
        values = table[name].combine_chunks()
        if isinstance(values.type, pa.BaseExtensionType):
            values = values.storage
        if name in IDS:
            found[name] = np.array([str(each) for each in values.to_pylist()])
        elif pa.types.is_nested(values.type) and _is_number(values.flatten().type):
            found[name] = _read_lists(values, path.name, name)
    return found


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _read_lists(values: Any, file: str, column: str) -> NDArray[Any]:
    """Return lists of numbers as rows, in their type.

    Raises:
        DataError: If one is missing, or of another length than the first.
    """
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    lengths = pc.list_value_length(values).fill_null(0).to_numpy(zero_copy_only=False)
    odd = np.flatnonzero((lengths != lengths[:1]) | (lengths == 0))
    if odd.size:
        found = f"a list of {lengths[odd[0]]:,} numbers in {column}"
        raise DataError(file, found, "vectors of one length", line=int(odd[0]) + 1)
    rows: NDArray[Any] = values.flatten().to_numpy(zero_copy_only=False)
    return rows.reshape(len(values), -1)


READERS: Mapping[str, Callable[[Path], Arrays]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    ".parquet": _read_parquet,
}
