"""Vectors in files of other programs, with or without ids; `add` and `init` read them here."""

import csv
import json
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from dashboard.errors import DataError, Findings, add_finding, explain_errors, list_names
from dashboard.storage.index_files import read_index
from dashboard.storage.new_versions import OTHER_FORMS, NamedVectors
from dashboard.storage.vector_ids import (
    IDS,
    LABELS,
    TABLES,
    Arrays,
    Beside,
    drop_axes,
    find_beside,
    find_ids,
    join_keyed,
    list_beside,
    list_ids,
    list_texts,
    list_words,
    names_texts,
)
from dashboard.storage.vectors import check_ids
from dashboard.tables import AnyArray, Float32Array, Names
from dashboard.texts import read_text, require_file

MAX_SWELL = 1_000
"""Times that the values of a file may be more than its bytes."""
ROWS = 4_096
"""Rows of Parquet that are read at once."""
Ids = Path | Names | None
"""Ids of vectors, or their file; None: those in the file of the vectors, or beside it."""


def read_named_vectors(
    path: Path, ids: Ids, findings: Findings, is_text: bool = False
) -> NamedVectors:
    """Return the vectors of a file, and their ids.

    Args:
        path: The file.
        ids: The ids, or their file; None: those in the file itself, or beside it.
        findings: Gains repairs of the file of ids.
        is_text: Whether they are those of texts, where a file has ids of both.

    Raises:
        DataError: If the file cannot be read, or holds several arrays of vectors.
    """
    require_file(path, path.name, f"vectors: {list_names(READERS)}")
    arrays = read_arrays(path, path.name)
    tables = {key: each for key, each in arrays.items() if each.ndim == 2}
    if len(tables) > 1:
        tables = {key: each for key, each in tables.items() if names_texts(key) == is_text}
    if len(tables) != 1:
        raise DataError(
            path.name,
            f"arrays {list_names(f'{k} {v.shape}' for k, v in arrays.items())}",
            "one array of vectors, and one of their ids",
        )
    (rows,) = tables.values()
    lists = {key: each for key, each in arrays.items() if each.ndim == 1}
    names: Names | None
    if isinstance(ids, Path):
        require_file(ids, ids.name, "the id of each vector, one a line")
        names = read_id_file(ids, ids.name, len(rows), findings)
        check_ids(names, ids.name)
    elif ids is not None:
        names = list(ids)
    else:
        there = list_beside(each.name for each in path.parent.iterdir())
        lengths = [len(each) for each in arrays.values() if each.ndim > 1]
        names = find_ids(lists, len(rows), is_text, lengths.count(len(rows)) == 1) or read_beside(
            path.parent, path.name, len(rows), is_text, there, findings
        )
        check_ids(names or (), path.name)
    return NamedVectors(np.asarray(rows[:]), names, path.name)


def read_beside(
    folder: Path,
    name: str,
    count: int,
    is_text: bool,
    there: Beside,
    findings: Findings,
    is_only: bool = True,
) -> Names | None:
    """Return the ids of vectors from a file beside them; None if there is none of as many.

    Args:
        folder: Where the files are.
        name: The file of vectors.
        count: Number of its vectors.
        is_text: Whether they are those of texts.
        there: Files of the folder.
        findings: Gains the table that ids were taken from, and repairs of texts.
        is_only: Whether they are all vectors of the file; else its lists may be those of others.

    Raises:
        DataError: If the only file of its own, no table, has another number.
    """
    odd = []
    for beside in find_beside(name, there, is_text):
        ids = read_id_file(folder / beside, beside, count, findings, PurePosixPath(name).stem)
        if len(ids) == count:
            if beside.endswith(TABLES):
                found = f"ids in {beside}, which has as many rows"
                add_finding(findings, name, found, "ids of its own; these are taken", "note")
            return ids
        is_own = {*list_words(name)} <= {*list_words(beside)} and not beside.endswith(TABLES)
        if is_only and is_own and (ids or IDS.search(PurePosixPath(beside).stem)):
            odd.append(f"{count:,} vectors and {len(ids):,} ids in {beside}")
    if odd:
        raise DataError(name, odd[0], "one id for each vector, in the same order")
    return None


def read_id_file(path: Path, name: str, count: int, findings: Findings, part: str = "") -> Names:
    """Return the ids of a file: lines, JSON, an array, or a column of a table.

    Args:
        path: The file.
        name: Its name in messages.
        count: Number of vectors; one line more is a header if it says that it names ids.
        findings: Gains repairs of its text.
        part: Key of the ids in an object of JSON that has those of several files.

    Raises:
        DataError: If it cannot be read.
    """
    ending = path.suffix.lower()
    if ending == ".npy":
        return list_texts(read_arrays(path, name)[""])
    if ending == ".json":
        with explain_errors(name, "no JSON", "a list of ids"):
            return list_ids(json.loads(read_text(path, name, findings)), part)
    rows = _read_rows(path, name, findings)
    first, is_text = (rows[0] if rows else []), names_texts(path.stem)
    named = [
        at
        for at, cell in enumerate(first)
        if IDS.search(cell) and cell.lower() not in LABELS and names_texts(cell) <= is_text
    ]
    if len(rows) == count + 1 and named:
        return [row[named[0]] if len(row) > named[0] else "" for row in rows[1:]]
    return [row[0] for row in rows] if len(first) == 1 else []


def _read_rows(path: Path, name: str, findings: Findings) -> Sequence[Names]:
    """Return the cells of lines, or of the header and the rows of a table; of Parquet its ids."""
    if path.suffix == ".parquet":
        with explain_errors(name, "a damaged file", "a whole .parquet file"):
            opened = open_parquet(path)
            told = opened.schema_arrow
            ids = opened.read(
                [e.name for e in told if IDS.search(e.name) and not count_lists(e.type)]
            )
        cells = (map(str, column.to_pylist()) for column in ids.columns)
        return [ids.column_names, *zip(*cells, strict=True)]
    lines = read_text(path, name, findings).rstrip("\n").split("\n")
    if path.suffix == ".jsonl":
        with explain_errors(name, "no JSON lines", "an object a line"):
            told = [json.loads(line) for line in lines if line.strip()]
            return [[*told[0]], *([str(row.get(key, "")) for key in told[0]] for row in told)]
    if path.suffix not in TABLES:
        return [[line.strip()] for line in lines]
    mark = max(",\t;|", key=lines[0].count)
    rows = ([*map(str.strip, row)] for row in csv.reader(lines, delimiter=mark))
    return [row for row in rows if any(row)]


def name_sides(
    items: Any, item_ids: Ids, queries: Any, query_ids: Ids, findings: Findings
) -> tuple[NamedVectors, NamedVectors | None]:
    """Return vectors of items and of queries, each as `name_vectors` takes them.

    Without queries they are those of texts, where a file of the items holds both.
    """
    given = name_vectors(items, item_ids, "items", findings)
    if queries is None and isinstance(items, str | Path):
        arrays = read_arrays(Path(items), Path(items).name)
        sides = {names_texts(key) for key, each in arrays.items() if each.ndim == 2}
        queries = items if len(sides) > 1 else None
    return given, None if queries is None else name_vectors(queries, query_ids, "queries", findings)


def name_vectors(given: Any, ids: Any, name: str, findings: Findings) -> NamedVectors:
    """Return vectors that a caller has: an array or tensor, rows by id, a frame, or a file.

    Raises:
        DataError: If they are no rows of numbers of one length.
    """
    if isinstance(given, str | Path):
        return read_named_vectors(Path(given), ids, findings, is_text=name == "queries")
    if hasattr(given, "to_numpy") and hasattr(given, "index"):  # a frame of pandas
        ids, given = given.index.tolist() if ids is None else ids, given.to_numpy()
    elif isinstance(given, Mapping):
        ids, given = list(given) if ids is None else ids, list(given.values())
    with explain_errors(name, "no rows of numbers", "rows of numbers, all of one length"):
        if isinstance(given, list | tuple):
            given = np.stack([read_tensor(row) for row in given])
        rows = read_tensor(given)
    return NamedVectors(rows, None if ids is None else [str(each) for each in ids], name)


def read_tensor(given: Any) -> AnyArray:
    """Return an array; a tensor may have gradients, be on a device, or have bfloat16."""
    if hasattr(given, "detach"):
        given = given.detach().cpu()
        given = given.float() if given.is_floating_point() else given
    return np.asarray(given)


def read_arrays(path: Path, name: str) -> Arrays:
    """Return the arrays of a file by their names; large ones are read from it by slices.

    Nothing is unpickled, and no other file is opened. The array of a file that has one is "". Axes
    of one number are left out of vectors (rows, 1, dimension) and of texts (rows, 1).

    Raises:
        DataError: If the file is damaged, holds other things than numbers and texts, or more of
            them than its bytes can.
    """
    read = READERS.get(path.suffix.lower())
    if read is None:
        found = f"the ending {path.suffix!r}"
        raise DataError(name, found, f"one of {list_names(READERS)}", do=OTHER_FORMS)
    found, do = "a damaged file, or one of objects", "Save numbers as float32, and ids.astype(str)"
    with explain_errors(
        name, found, f"a whole {path.suffix} file of numbers", f"{do}; pickles are never read."
    ):
        try:
            return join_keyed({key: drop_axes(each) for key, each in read(path).items()})
        except DataError as error:
            raise DataError(
                name, error.found, error.expected, line=error.line, do=error.do
            ) from error


def refuse_swelling(path: Path, sizes: Iterable[int]) -> None:
    """Raise a DataError if a part of a file says that it is very much more than the file."""
    size, most = path.stat().st_size, max(sizes, default=0)
    if most > MAX_SWELL * size:
        raise DataError(
            path.name,
            f"{most:,} values in a file of {size:,} bytes",
            "a file that does not swell a thousandfold",
        )


def _read_npz(path: Path) -> Arrays:
    with zipfile.ZipFile(path) as archive:
        refuse_swelling(path, (each.file_size for each in archive.infolist()))
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _read_safetensors(path: Path) -> Arrays:
    from safetensors import numpy

    content = path.read_bytes()
    try:
        found: Arrays = numpy.load(content)
    except KeyError:  # numpy has no bfloat16
        from safetensors import torch

        found = torch.load(content)
    # it has another order each time
    return {name: read_tensor(each) for name, each in sorted(found.items())}


def _read_hdf5(path: Path) -> Arrays:
    """Return the data sets of an HDF5 file; those that are in other files are none of them."""
    import h5py  # type: ignore[import-untyped]

    opened, found = h5py.File(path, "r"), {}

    def take(name: str, node: Any) -> None:
        if isinstance(node, h5py.Dataset) and not (node.is_virtual or node.external):
            refuse_swelling(path, [node.size])
            found[name] = node[:] if node.ndim == 1 else node

    opened.visititems(take)  # follows no links
    return found


def open_parquet(path: Path) -> Any:
    """Return an opened Parquet file that is read in small pieces.

    Raises:
        DataError: If its values are many more than its bytes hold.
    """
    from pyarrow import parquet  # type: ignore[import-untyped]

    opened = parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
    groups = [opened.metadata.row_group(at) for at in range(opened.num_row_groups)]
    counts = (group.column(at).num_values for group in groups for at in range(group.num_columns))
    refuse_swelling(path, counts)
    return opened


def _read_parquet(path: Path) -> Arrays:
    opened = open_parquet(path)
    count = opened.metadata.num_rows
    found: Arrays = {}
    first = 0
    for batch in opened.iter_batches(batch_size=ROWS):
        for name, values in zip(batch.schema.names, batch.columns, strict=True):
            values = getattr(values, "storage", values)
            if (depth := count_lists(values.type)) and holds_numbers(values.type):
                rows, odd = read_lists(values)
                own = found.setdefault(name, np.empty((count, rows.shape[1]), rows.dtype))
                if odd or rows.shape[1] != own.shape[1]:
                    at = next(iter(odd), 0)
                    told = f"a list of {len(values[at].as_py() or ()):,} numbers in {name}"
                    raise DataError(path.name, told, "vectors of one length", line=first + at + 1)
                own[first : first + len(rows)] = rows
            elif not depth and IDS.search(name):
                found.setdefault(name, []).extend(map(str, values.to_pylist()))
        first += len(batch)
    return {name: np.asarray(each)[:first] for name, each in found.items()}


def count_lists(kind: Any) -> int:
    """Return how many lists a type of Arrow holds in one another; 0 for no list."""
    import pyarrow.types as pt  # type: ignore[import-untyped]

    is_list = pt.is_list(kind) or pt.is_large_list(kind) or pt.is_fixed_size_list(kind)
    return 1 + count_lists(kind.value_type) if is_list else 0


def holds_numbers(kind: Any) -> bool:
    """Return whether a type of Arrow is a number, or lists of numbers."""
    import pyarrow.types as pt

    while count_lists(kind):
        kind = kind.value_type
    return bool(pt.is_floating(kind) or pt.is_integer(kind))


def read_lists(values: Any) -> tuple[AnyArray, list[int]]:
    """Return lists of numbers as rows in their type, and the places of those that are odd.

    Odd is a list that is missing, or of another length than most; its row is NaN.
    """
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    flat = values.flatten(recursive=True)
    width = len(flat) // len(values) if len(values) else 0
    is_even = pc.count_distinct(pc.list_value_length(values), mode="all").as_py() == 1
    nulls = values.null_count or flat.null_count
    if is_even and width and not nulls and len(flat) == width * len(values):
        return np.asarray(flat).reshape(len(values), width), []
    return fill_rows(map(_flatten, values.to_pylist()))


def _flatten(value: Any) -> list[Any]:
    if isinstance(value, list) and value and isinstance(value[0], list):
        return [each for part in value for each in _flatten(part)]
    return value or []


def fill_rows(lists: Iterable[Sequence[Any]]) -> tuple[Float32Array, list[int]]:
    """Return lists of numbers as rows, and the places of those of another length than most.

    >>> fill_rows([[1.0, 2.0], [], [3, 4]])[1]
    [1]
    """
    every = list(lists)
    ((width, _),) = Counter(len(row) for row in every if row).most_common(1) or [(0, 0)]
    made = np.full((len(every), width), np.nan, np.float32)
    odd = []
    for place, row in enumerate(every):
        if len(row) == width:
            made[place] = row
        else:
            odd.append(place)
    return made, odd


READERS = {
    ".npy": lambda path: {"": np.load(path, mmap_mode="r", allow_pickle=False)},
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    ".parquet": _read_parquet,
    ".hdf5": _read_hdf5,
    ".h5": _read_hdf5,
    **dict.fromkeys((".faiss", ".index", ".ivf", ".hnsw"), read_index),
}
