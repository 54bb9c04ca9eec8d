"""Whether two states of a collection are the same: fingerprints of what enters the numbers, and a
quick stamp of the files that hold it.

A fingerprint is of the content, not of the files: line ends, column order and the width of floats
change none. The stamp goes by names, sizes and times, and reads no file.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from dashboard import ids
from dashboard.storage.runs.similarities import SUFFIX, ids_beside
from dashboard.storage.vectors.vectors import Vectors

MANY = 10_000
"""Rows from which a table's fingerprint is made without a Python object for each of its cells."""
BLOCK = 1 << 16


def of_values(*values: object) -> str:
    """The sha256 of plain values: text, numbers, lists, dicts."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=4)
def of_ids(names: tuple[str, ...]) -> str:
    """What `of_values` gives for ids, made once for those that a gallery and its versions share."""
    text = '", "'.join(names)
    is_plain = text.isascii() and text.isprintable() and "\\" not in text
    if not is_plain or text.count('"') != 2 * (len(names) - 1):
        return of_values(names)
    return hashlib.sha256(f'[["{text}"]]'.encode()).hexdigest()


def of_table(frame: pd.DataFrame | None, columns: Iterable[str], *, ordered: bool = False) -> str:
    """The sha256 of the cells of a table; the order of rows counts only where `ordered`."""
    if frame is None:
        return of_values(None)
    there = [column for column in columns if column in frame.columns]
    if len(frame) >= MANY:
        cells = [plain for column in there if (plain := _plain_cells(frame[column]))]
        if len(cells) == len(there):
            return _of_plain_cells(there, cells, ordered)
    rows = list(zip(*(frame[column].tolist() for column in there), strict=True))
    return of_values(there, rows if ordered else sorted(rows, key=str))


def _plain_cells(column: pd.Series) -> tuple[pa.Array, np.ndarray] | None:
    """The different cells of a column as JSON writes them, in the order of these texts, and which
    one stands in each row; None where JSON and Python write one differently, but for its quotes."""
    if isinstance(column.dtype, pd.CategoricalDtype) and not column.hasnans:
        texts, codes = column.cat.categories.to_series(), column.cat.codes.to_numpy()
    elif ids.is_text(column):
        coded = ids.arrow(column).combine_chunks().dictionary_encode()
        texts, codes = ids.texts(pa.chunked_array([coded.dictionary])), coded.indices.to_numpy()
    elif column.dtype.kind in "if":
        numbers = column.to_numpy()
        if not np.isfinite(numbers).all() or (np.signbit(numbers) & (numbers == 0)).any():
            return None
        values, codes = np.unique(numbers, return_inverse=True)
        texts = None
    else:
        return None
    if texts is None:
        written = pa.array([repr(value) for value in values.tolist()], pa.large_string())
    elif ids.is_text(texts) and ids.are_plain(texts, but="'\"\\"):
        written = _joined('"', ids.arrow(texts).combine_chunks().cast(pa.large_string()), '"')
    else:
        return None
    order = np.asarray(pc.array_sort_indices(written))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return written.take(pa.array(order)), ranks[codes]


def _of_plain_cells(
    names: Sequence[str], cells: Sequence[tuple[pa.Array, np.ndarray]], ordered: bool
) -> str:
    """What `of_values` gives for such rows, without a Python object for any of them."""
    rows = len(cells[0][1])
    order = np.arange(rows) if ordered else _in_order([codes for _, codes in cells])
    digest = hashlib.sha256(f"[{json.dumps(list(names))}, [".encode())
    for start in range(0, rows, BLOCK):
        some = order[start : start + BLOCK]
        texts = [each.take(pa.array(codes[some])) for each, codes in cells]
        commas = [part for text in texts for part in (", ", text)][1:]
        ends, held = ids.laid_out(_joined(", [", *commas, "]"))
        first = 2 if start == 0 else 0  # no comma before the first row
        digest.update(held[int(ends[0]) + first : int(ends[-1])].data)
    digest.update(b"]]")
    return digest.hexdigest()


def _in_order(columns: Sequence[np.ndarray]) -> np.ndarray:
    """The rows by their codes, the first column first; rows of equal codes in any order."""
    sizes = [int(codes.max()) + 1 for codes in columns]
    if math.prod(sizes) >= 1 << 62:
        return np.lexsort(columns[::-1])
    numbers = np.zeros(len(columns[0]), dtype=np.int64)
    for codes, size in zip(columns, sizes, strict=True):
        numbers = numbers * size + codes
    return np.argsort(numbers)


def _joined(*parts: pa.Array | str) -> pa.Array:
    """Texts put together row by row."""
    wide = pa.large_string()
    texts = [pa.scalar(part, wide) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar("", wide))


def of_cells(*frames: pd.DataFrame | None) -> str:
    """The sha256 of every cell of tables, in the order of columns and rows.

    Texts enter by their bytes, other columns by pandas' hash of each row: quick for millions of
    rows, but it may change with pandas, so it is never written into a file.
    """
    digest = hashlib.sha256()
    for frame in frames:
        columns = [] if frame is None else [str(column) for column in frame.columns]
        digest.update(of_values(frame is None, columns).encode())
        if frame is not None:
            for place in range(frame.shape[1]):
                _add_cells(digest, frame.iloc[:, place])
    return digest.hexdigest()


def _add_cells(digest: hashlib._Hash, column: pd.Series) -> None:
    if not ids.is_text(column):
        digest.update(pd.util.hash_pandas_object(column, index=False).to_numpy().tobytes())
    elif len(column):
        ends, held = ids.laid_out(ids.arrow(column).combine_chunks())
        digest.update((ends - ends[0]).astype(np.int64).tobytes())
        digest.update(held[ends[0] : ends[-1]].tobytes())


def of_vectors(vectors: Vectors | None) -> str:
    """The sha256 of ids and unit rows as little-endian float32."""
    if vectors is None:
        return of_values(None)
    names = of_ids(vectors.ids)

    def computed() -> str:
        digest = hashlib.sha256(names.encode())
        vectors.add_to(digest)
        return digest.hexdigest()

    return vectors.once(f"digest {names}", computed)


def of_array(array: np.ndarray | None, *names: str) -> str:
    """The sha256 of an array as little-endian float32, with names that belong to it."""
    digest = hashlib.sha256(of_values(names).encode())
    if array is not None:
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array, dtype="<f4").data)
    return digest.hexdigest()


def of_file(path: Path) -> str:
    """The sha256 of a file's bytes (for runs, which are read only when they are measured)."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def of_run(path: Path) -> str:
    """The sha256 of a run's bytes, with its record's where it has one; of a matrix with those
    of its ids, read once for each state."""
    if path.suffix.lower() != SUFFIX:
        record = path.with_suffix("") if path.suffix.lower() == ".gz" else path
        record = record.with_suffix(".json")
        return of_values(of_file(path), of_file(record)) if record.is_file() else of_file(path)
    return of_values([of_file_once(each) for each in (path, *ids_beside(path)) if each.is_file()])


def of_folder(folder: Path) -> str:
    """The sha256 of the names and bytes of all files below a folder; a file is read again only
    when it has changed."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found.append([path.relative_to(folder).as_posix(), of_file_once(path)])
    return of_values(found)


def of_file_once(path: Path) -> str:
    """The sha256 of a file's bytes, which are read again only when the file has changed."""
    seen = path.stat()
    return _of_file_as(path, (seen.st_ino, seen.st_size, seen.st_mtime_ns))


@lru_cache(maxsize=1_000)
def _of_file_as(path: Path, facts: tuple[int, ...]) -> str:
    return of_file(path)


PLACES = {"": False, "models": True, "runs": False}
"""Folders of a collection whose files enter numbers, and whether folders below them do, too."""


def stamp(folder: Path) -> str:
    """A stamp that changes when a file that enters numbers is added, removed or written again.

    Media are left out: they are read anew when they are shown. Every screen calls this dozens of
    times, so each folder is listed once.
    """
    seen = hashlib.sha256(str(folder.resolve()).encode())
    for path, state in _facts(folder):
        seen.update(f"{path}\0{state}\n".encode(errors="replace"))
    return seen.hexdigest()


def stamps(folder: Path) -> dict[str, str]:
    """The same of each table, each folder of a model and each file in `runs`, by its path in the
    folder. Hidden files, such as drafts, are left out."""
    parts: dict[str, list[str]] = {}
    for path, state in _facts(folder):
        names = Path(path).relative_to(folder).parts
        if not any(name.startswith(".") for name in names):
            parts.setdefault("/".join(names[:2]), []).append(f"{path}\0{state}")
    return {part: of_values(facts) for part, facts in parts.items()}


def _facts(folder: Path) -> list[tuple[str, str]]:
    """The path, size and time of each file that enters numbers."""
    found = [
        (entry.path, entry.stat())
        for place, below in PLACES.items()
        for entry in _files(str(folder / place), below)
    ]
    found.sort(key=lambda file: file[0])
    return [(path, f"{state.st_size}\0{state.st_mtime_ns}") for path, state in found]


def _files(folder: str, below: bool) -> Iterator[os.DirEntry[str]]:
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.is_file():
            yield entry
        elif below and entry.is_dir(follow_symlinks=False):
            yield from _files(entry.path, below)
