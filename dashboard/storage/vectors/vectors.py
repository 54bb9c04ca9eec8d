"""Vectors in `.npy`, `.npz` or Parquet files ⇄ arrays of unit rows that name their ids.

A file must have as many bytes as its header says, and nothing is ever unpickled.
"""

from __future__ import annotations

import ast
import hashlib
import io
import math
import os
import struct
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import IO, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.ids import shared
from dashboard.storage.files.contents import read_text
from dashboard.storage.files.limits import LONGEST_ID
from dashboard.storage.files.parquet import parquet_table
from dashboard.storage.vectors.codes import (
    PACKED,
    are_codes,
    check_codes,
    check_signs,
    of_one_size,
    signs_in_words,
    zero_is_positive,
)
from dashboard.storage.vectors.rows import (
    CodeRows,
    FileRows,
    Floats,
    Rows,
    ScaledRows,
    SignRows,
    UnitRows,
    blocks,
)
from dashboard.tables import DataError, Findings

LARGEST = 8 << 30
LONGEST_HEADER = 10_000
WIDTHS = {"f2": "float16", "f4": "float32", "f8": "float64"}
CODES = {"i1": "int8", "u1": "uint8", "b1": "bool"}
UNIT = 1e-3
R = TypeVar("R")
IN_MEMORY = 1 << 25
"""Bytes up to which vectors are kept in memory, scaled; larger files are read in blocks."""


@dataclass(frozen=True, eq=False)
class Vectors:
    """Unit vectors: `unit[row]` (float32) belongs to `ids[row]`; of a large file they are read and
    scaled when they are indexed. Only `retrieval.gallery` reads them; others use `rows`, or a
    Gallery.

    `codes`: each row is a hash code, ±1 ÷ √bits, so that cosine = 1 - 2 · Hamming distance ÷ bits.
    """

    ids: tuple[str, ...]
    unit: Floats | UnitRows
    codes: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.unit, np.ndarray):
            self.unit.flags.writeable = False

    @property
    def matrix(self) -> Floats:
        """All vectors in memory, read-only: for queries, and for items that are few."""
        return self.unit if isinstance(self.unit, np.ndarray) else self.unit[:]

    @cached_property
    def index(self) -> pd.Index:
        """The ids as an index to look places up in; made once, because a gallery may be large."""
        return _index_of(self.ids)

    def rows(self, ids: Sequence[str]) -> Vectors:
        """The vectors of `ids`, in that order; those without a vector are left out."""
        if tuple(ids) == self.ids:
            return self
        if not len(ids):  # no index of a large gallery is made for that
            return Vectors((), self.unit[:0], self.codes)
        places = self.index.get_indexer(pd.Index(list(ids), dtype="str"))
        there = tuple(name for name, place in zip(ids, places, strict=True) if place >= 0)
        places = places[places >= 0]
        stays = isinstance(self.unit, UnitRows) and 4 * len(places) * self.dimension > IN_MEMORY
        return Vectors(there, self.unit.take(places) if stays else self.unit[places], self.codes)

    def array_of(self, ids: Sequence[str]) -> npt.NDArray[np.generic]:
        """The vectors [id, dimension] of `ids`, to write them into a file."""
        return self.rows(ids).matrix

    @classmethod
    def joined(cls, parts: Sequence[Vectors]) -> Vectors:
        """The vectors of several, one after the other; their ids must all differ."""
        matrix = np.concatenate([part.matrix for part in parts])
        return cls(tuple(i for part in parts for i in part.ids), matrix, parts[0].codes)

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.unit.shape[1])

    def named(self, ids: Sequence[str]) -> Vectors:
        """The same vectors under other ids."""
        return Vectors(tuple(ids), self.unit, self.codes)

    def signs(self) -> Vectors:
        """The signs of real-valued outputs as hash codes; codes as they are."""
        if self.codes:
            return self
        signs = SignRows(self.unit, zero_is_positive(self.unit))
        stays = isinstance(self.unit, UnitRows)
        return Vectors(self.ids, signs if stays else signs[:], codes=True)

    def check_signs(self, name: str) -> None:
        """Raises DataError, naming the file, where the signs of all numbers are the same."""
        check_signs(self.unit, name)

    def signs_in_words(self) -> str:
        """How `signs` reads these outputs, and how many of them are 0."""
        return signs_in_words(self.unit)

    def are_codes(self) -> bool:
        """Whether all numbers of a row have the same size, so that they can be read as codes."""
        return self.codes or of_one_size(self.unit)

    def as_codes(self) -> Vectors:
        """The same vectors, of which `are_codes` is true, read as hash codes."""
        return Vectors(self.ids, self.unit, codes=True)

    @property
    def bits(self) -> npt.NDArray[np.bool_]:
        """The codes, true for +1. [n, bits]"""
        return np.asarray(self.matrix > 0)

    def once(self, what: str, compute: Callable[[], R]) -> R:
        """What is computed from these vectors; of all rows of a large file once for each state."""
        unit = self.unit
        if isinstance(unit, UnitRows) and unit.places is None and isinstance(unit.stored, FileRows):
            return unit.stored.once(f"{type(unit).__name__} {what}", compute)
        return compute()

    def add_to(self, digest: hashlib._Hash) -> None:
        """Add the shape and the rows, as little-endian float32, to a fingerprint."""
        digest.update(str((len(self.unit), self.dimension)).encode())
        for _, block in blocks(self.unit):
            digest.update(np.ascontiguousarray(block, dtype="<f4").data)

    @cached_property
    def packed(self) -> npt.NDArray[np.uint8]:
        """The codes with eight places in a byte, 1 for +1; filled up with 0. [n, ⌈bits ÷ 8⌉]"""
        none = np.empty((0, -(-self.dimension // 8)), dtype=np.uint8)
        parts = [np.packbits(block > 0, axis=1) for _, block in blocks(self.unit)]
        return np.concatenate([none, *parts])


@lru_cache(maxsize=4)
def _index_of(ids: tuple[str, ...]) -> pd.Index:
    """The index of some ids, one for all versions of a gallery."""
    return shared(pd.Index(ids, dtype="str"))


def read_vectors(
    path: Path,
    ids: Path | Sequence[str],
    name: str = "",
    findings: Findings | None = None,
    likely: tuple[str, ...] = (),
) -> Vectors:
    """The vectors in a file with the ids in the text file `ids`, one a line, scaled to length 1;
    an array of uint8 or bool holds hash codes, one of int8 these or quantised vectors.

    likely: as for `read_ids`.
    Raises DataError naming the row and id: NaN, infinite, zero; another count of ids than of rows.
    """
    name, findings = name or path.name, findings if findings is not None else Findings()
    ids_name = f"{Path(name).parent / ids.name}" if isinstance(ids, Path) else "the ids"
    names = read_ids(ids, ids_name, findings, likely) if isinstance(ids, Path) else tuple(ids)
    stored = read_rows(path, name)
    if len(stored) != len(names):
        found = f"{len(stored):,} vectors and {len(names):,} ids in {Path(ids_name).name}"
        raise DataError(name, found, "one vector for each id, in the same order")
    codes = are_codes(stored)
    rows = (
        code_rows(stored, names, name, findings)
        if codes
        else _scaled(stored, names, name, findings)
    )
    return Vectors(names, rows if isinstance(stored, FileRows) else rows[:], codes)


def read_ids(
    path: Path, name: str, findings: Findings, likely: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """The ids in a text file, one a line; blank lines and blanks around an id are dropped with a
    note.

    likely: different ids that may be these; then no other texts are made.
    """
    text = read_text(path, name, findings)
    if likely and text.removesuffix("\n") == "\n".join(likely) and _is_plain(text):
        short = max(map(len, likely)) <= LONGEST_ID
        if short and text.removesuffix("\n").count("\n") == len(likely) - 1:
            return likely
    return ids_in(text, name, findings)


def ids_in(text: str, name: str, findings: Findings) -> tuple[str, ...]:
    """The ids in a text, one a line, as above. Raises DataError where one stands twice."""
    lines = text.removesuffix("\n").split("\n")
    if max(map(len, lines)) > LONGEST_ID:
        line = next(n for n, each in enumerate(lines, start=1) if len(each) > LONGEST_ID)
        found = f"an id of {len(lines[line - 1]):,} characters"
        raise DataError(name, found, f"at most {LONGEST_ID:,}", line=line)
    if _is_plain(text) and len(set(lines)) == len(lines):
        return tuple(lines)
    ids = [line.strip(" \t\r") for line in lines]
    places = [line for line, text in enumerate(ids, start=1) if text]
    if len(places) < len(ids) or any(
        a != b.removesuffix("\r") for a, b in zip(ids, lines, strict=True)
    ):
        findings.note(name, "blank lines or blanks around ids", "one id a line; they were dropped")
    first: dict[str, int] = {}
    for line in places:
        text = ids[line - 1]
        if text in first:
            found = f"{text!r} again (lines {first[text]} and {line})"
            raise DataError(name, found, "each id once", line=line)
        first[text] = line
    return tuple(first)


def _is_plain(text: str) -> bool:
    """Whether a text has neither blank lines nor blanks around an id, so that no note is needed."""
    odd = ("\t", "\r", "\n\n", " \n", "\n ")
    return text.strip() == text.removesuffix("\n") != "" and not any(mark in text for mark in odd)


def read_matrix(path: Path, name: str = "") -> npt.NDArray[Any]:
    """The two-dimensional array of floats or codes in a file, as stored; a `.npz` or Parquet file
    holds just one.

    Raises DataError for anything else, before memory is taken for it.
    """
    name = name or path.name
    if not path.is_file():
        raise DataError(name, "no such file", "a file with one vector a row")
    if path.suffix == ".npz":
        return _read_npz(path, name)
    if path.suffix == ".parquet":
        return _read_parquet(path, name)
    with path.open("rb") as file:
        return _read_npy(file, path.stat().st_size, name)


def read_rows(path: Path, name: str = "") -> npt.NDArray[Any] | FileRows:
    """The array in a file, as above, in memory; of a large `.npy` file the rows that stay there."""
    name = name or path.name
    if not path.is_file() or path.suffix in (".npz", ".parquet"):
        return read_matrix(path, name)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        start, shape, kind, order = _layout(file, size, name)
        if size <= IN_MEMORY or order == "F":
            return _read_npy(file, size, name)
        return FileRows.of(file, name, start, shape, kind)


def matrix_of(content: bytes, name: str) -> npt.NDArray[Any]:
    """The array in the bytes of a `.npy` file, as `read_matrix` reads one."""
    return _read_npy(io.BytesIO(content), len(content), name)


def unit_rows(
    matrix: npt.NDArray[np.floating], ids: Sequence[str], name: str, findings: Findings
) -> Floats:
    """The rows scaled to length 1 in double precision; a note where they were not (beyond
    0.001)."""
    return _scaled(matrix, ids, name, findings)[:]


def unit_codes(
    matrix: npt.NDArray[np.generic], ids: Sequence[str], name: str, findings: Findings
) -> Floats:
    """Codes as rows of length 1: ±1 ÷ √bits; 0 of a file of 0 and 1 is read as -1, with a note."""
    return code_rows(matrix, ids, name, findings)[:]


def code_rows(stored: Rows, ids: Sequence[str], name: str, findings: Findings) -> CodeRows:
    """Codes as above, which become rows of length 1 when they are indexed."""
    check_codes(stored, ids, name, findings)
    return CodeRows(stored)


def _scaled(stored: Rows, ids: Sequence[str], name: str, findings: Findings) -> ScaledRows:
    """Rows that are scaled to length 1 when they are indexed."""
    if isinstance(stored, FileRows):
        lengths = stored.once("lengths", lambda: _lengths(stored, ids, name))
    else:
        lengths = _lengths(stored, ids, name)
    rows = ScaledRows(stored, lengths)
    if stored.dtype == np.float16:
        findings.note(name, "float16", "float32; it was widened")
    if stored.dtype == np.int8:
        wanted = f"quantised vectors, as which they were read. {PACKED}"
        findings.note(name, "int8 beyond -1, 0 and 1", wanted)
        return rows
    if not len(lengths):
        return rows
    shortest, longest = lengths.min(), lengths.max()
    # of vectors of -1 and 1 a note is made where they are read as hash codes
    if max(1 - shortest, longest - 1) > UNIT and not of_one_size(rows):
        found = f"vectors of length {shortest:.3g} to {longest:.3g}"
        findings.note(name, found, "length 1; they were scaled to it for the cosine")
    return rows


def _lengths(stored: Rows, ids: Sequence[str], name: str) -> npt.NDArray[np.float64]:
    """The length of each row. Raises DataError for one that has none, or that is 0."""
    lengths = np.empty(len(stored))
    for start, block in blocks(stored):
        some = lengths[start : start + len(block)]
        with np.errstate(invalid="ignore"):  # what is no number is said below, row and all
            some[:] = np.linalg.norm(block.astype("float64"), axis=1)
        for bad, found in (
            (~np.isfinite(some), "NaN or infinity"),
            (some == 0, "only zeros"),
        ):
            if bad.any():
                row = start + int(np.flatnonzero(bad)[0])
                where = f"{found} in row {row} ({ids[row]})"
                raise DataError(name, where, "finite vectors that are not zero")
    return lengths


def _read_npy(file: IO[bytes], size: int, name: str) -> npt.NDArray[Any]:
    start, shape, kind, order = _layout(file, size, name)
    file.seek(start)
    return np.frombuffer(file.read(), dtype=kind).reshape(shape, order=order)


def _layout(
    file: IO[bytes], size: int, name: str
) -> tuple[int, tuple[int, int], np.dtype, Literal["C", "F"]]:
    """Where the numbers of a `.npy` file of so many bytes begin; their shape, type and order."""
    file.seek(0)
    start = file.read(12)
    if not start:
        raise DataError(name, "an empty file", "an array in .npy format")
    if start[:6] != b"\x93NUMPY" or len(start) < 12 or start[6] not in (1, 2, 3):
        raise DataError(name, "something that is not .npy", "an array; pickles are never read")
    wide = start[6] > 1
    length = struct.unpack("<I", start[8:12])[0] if wide else struct.unpack("<H", start[8:10])[0]
    offset = 12 if wide else 10
    if length > LONGEST_HEADER:
        raise DataError(name, f"a header of {length} bytes", f"at most {LONGEST_HEADER}")
    file.seek(offset)
    shape, dtype, order = _header(file.read(length), name)
    missing = offset + length + math.prod(shape) * dtype.itemsize - size
    if missing:
        found = f"{abs(missing):,} bytes too {'few' if missing > 0 else 'many'} for {shape}"
        raise DataError(name, found, "as many bytes as the header says")
    return offset + length, shape, dtype, order


def _header(text: bytes, name: str) -> tuple[tuple[int, int], np.dtype, Literal["C", "F"]]:
    """Shape, dtype and order from a .npy header; refuses all but a matrix of floats or codes."""
    try:
        header = ast.literal_eval(text.decode("latin-1"))
        descr, shape, fortran = header["descr"], header["shape"], header["fortran_order"]
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError) as error:
        raise DataError(name, "a damaged header", "an array in .npy format") from error
    if not isinstance(descr, str) or descr[1:] not in {**WIDTHS, **CODES}:
        advice = "; pickled data are never read" if descr == "|O" else ""
        wanted = f"float32, float16 or float64 (or int8: hash codes, or quantised vectors){advice}"
        raise DataError(name, f"values of type {descr}", wanted)
    if not isinstance(shape, tuple) or len(shape) != 2:
        cure = "Pool the frames of an item to one vector first." if len(shape) == 3 else ""
        raise DataError(name, f"the shape {shape}", "(items, dimension)", cure=cure)
    if not all(isinstance(n, int) and n > 0 for n in shape):
        raise DataError(name, f"no vectors (shape {shape})", "at least one vector")
    if math.prod(shape) * 8 > LARGEST:
        raise DataError(name, f"the shape {shape}", f"at most {LARGEST:,} bytes as float64")
    return shape, np.dtype(descr), "F" if fortran else "C"


def _read_npz(path: Path, name: str) -> npt.NDArray[Any]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) != 1:
                found = f"the arrays {', '.join(m.filename for m in members)}"
                raise DataError(name, found, "one array")
            packed, unpacked = members[0].compress_size, members[0].file_size
            if unpacked > max(100 * packed, 1 << 20) or unpacked > LARGEST:
                found = f"{packed:,} bytes that unpack to {unpacked:,}"
                raise DataError(name, found, "an array that does not swell a hundredfold")
            with archive.open(members[0]) as file:
                return _read_npy(file, unpacked, name)
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError) as error:
        raise DataError(name, "a damaged .npz file", "a complete .npz file") from error


def _read_parquet(path: Path, name: str) -> npt.NDArray[np.floating]:
    """The column of lists in a Parquet file."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = parquet_table(path, name, LARGEST // 8)
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    lists = [c for c in table.columns if any(test(c.type) for test in kinds)]
    named = [c for c in table.columns if c not in lists]
    if len(lists) != 1:
        found = f"the columns {', '.join(table.column_names)}"
        raise DataError(name, found, "one column of lists of numbers")
    column = lists[0].combine_chunks()
    if not len(column):
        raise DataError(name, "no vectors", "at least one vector")
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    numbers = pc.list_flatten(column)
    missing = pc.list_parent_indices(column).filter(pc.is_null(numbers)).to_numpy()
    wrong = (lengths != lengths[0]) | (lengths == 0)
    wrong[missing] = True
    if wrong.any():
        row = int(np.argmax(wrong))
        item = named[0][row].as_py() if named else row
        found = f"{lengths[row] - np.count_nonzero(missing == row)} numbers in row {row} ({item})"
        raise DataError(name, found, f"{lengths[0]} numbers in each row")
    try:
        return np.asarray(numbers.cast(pa.float64())).reshape(len(column), -1)
    except pa.ArrowException as error:
        raise DataError(name, "lists of something else", "lists of numbers") from error
