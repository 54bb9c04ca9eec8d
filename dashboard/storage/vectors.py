"""Vectors of a version: an array of shape [rows, dimension] beside a file of ids, one a line."""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from operator import attrgetter
from pathlib import Path
from threading import Condition
from typing import IO, Any

import numpy as np
from cachetools import LRUCache, cached

from dashboard.errors import DataError, Findings, add_finding, count_odd
from dashboard.storage.media import match_ids, refuse_shared
from dashboard.tables import (
    AnyArray,
    Float32Array,
    FloatArray,
    IntArray,
    Named,
    Names,
    refuse_repeated,
)
from dashboard.texts import read_text, require_file

MAX_LENGTH_ERROR = 1e-3
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
"""Readers of shape, order and type, by the version of the format that arrays of numbers have."""
BLOCK = 1 << 17
"""Numbers of an array that are widened to double precision at once."""
MAX_KEPT = 1 << 28
"""Bytes of unit vectors that are kept in memory; a larger array is read by slices each time."""


@dataclass(frozen=True, eq=False)
class ArrayFile:
    """An array that stays in its file; a slice reads rows.

    It is not mapped: a mapped file that is cut short ends the process that reads it.

    Attributes:
        start: Bytes before the first number.
        state: Size and time of the file when it was opened.
    """

    path: Path
    name: str
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    start: int
    state: tuple[int, int]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> AnyArray:
        """Return some rows in succession.

        Raises:
            DataError: If the file has changed since it was opened.
        """
        first, last, _ = rows.indices(len(self))
        width = self.shape[1]
        with self.path.open("rb") as file:
            if _find_state(file) != self.state:
                found, do = "a file that has changed since", "Reload the page, or open it again."
                raise DataError(self.name, found, "one state of it", do=do)
            file.seek(self.start + first * width * self.dtype.itemsize)
            return np.fromfile(file, self.dtype, (last - first) * width).reshape(-1, width)


def _find_state(file: IO[bytes]) -> tuple[int, int]:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


@dataclass(frozen=True, eq=False)
class Vectors(Named):
    """Vectors by id, scaled to length 1 when they are read.

    Attributes:
        stored: Numbers of any width. [rows, dimension].
        rows: Row of each id.
        lengths: Euclidean length of each id's vector.
    """

    ids: Names
    stored: AnyArray | ArrayFile
    rows: IntArray
    lengths: FloatArray

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        return int(self.stored.shape[1])

    @property
    def units(self) -> Float32Array | None:
        """All vectors at length 1, kept in memory; None if they are too many. [ids, dimension]."""
        return _scale_all(self) if 4 * len(self.ids) * self.dimension <= MAX_KEPT else None

    def scale(self, first: int, last: int) -> Float32Array:
        """Return the vectors of some ids in succession, at length 1. [ids, dimension]."""
        rows = self.rows[first:last]
        block = self.stored[rows[0] : rows[-1] + 1]
        wide = (block if len(block) == len(rows) else block[rows - rows[0]]).astype(float)
        wide /= self.lengths[first:last, None]
        return wide.astype(np.float32)

    def read(self, places: IntArray) -> Float32Array:
        """Return the vectors at some places, at length 1. [places, dimension]."""
        if (units := self.units) is not None:
            return units[places]
        read = [self.scale(place, place + 1) for place in places.tolist()]
        return np.concatenate([np.empty((0, self.dimension), np.float32), *read])

    def list_blocks(self, step: int) -> Iterator[tuple[int, Float32Array]]:
        """Yield the place of the first of so many ids in succession, and their unit vectors."""
        units = self.units
        for start in range(0, len(self.ids), step):
            end = start + step
            yield start, self.scale(start, end) if units is None else units[start:end]


@cached(LRUCache(MAX_KEPT, getsizeof=attrgetter("nbytes")), condition=Condition())
def _scale_all(vectors: Vectors) -> Float32Array:
    units = np.empty((len(vectors.ids), vectors.dimension), np.float32)
    step = max(1, BLOCK // vectors.dimension)
    for start in range(0, len(units), step):
        units[start : start + step] = vectors.scale(start, start + step)
    return units


def read_vectors(
    folder: Path, stem: str, known: Names, findings: Findings, shown: str
) -> Vectors | None:
    """Read `stem.npy` and `stem.txt`; return None if there is no such array.

    Vectors of ids that are not `known` are left out with a warning; an id matches by its name
    without path and extension, too. `shown` names the folder in messages.

    Raises:
        DataError: If a file is missing or broken, numbers of rows and ids differ, an id stands
            twice, or a row is zero or not finite.
    """
    path, name = folder / f"{stem}.npy", f"{shown}/{stem}.npy"
    if not path.is_file():
        return None
    do = "Save one vector for each id; average those of the frames of a clip."
    array, is_by_column = open_array(path, name, "(rows, dimension)", do)
    stored = array[:].T.copy() if is_by_column else array
    ids = read_ids(folder / f"{stem}.txt", f"{shown}/{stem}.txt", findings)
    if len(stored) != len(ids):
        found = f"{len(stored):,} vectors and {len(ids):,} ids in {stem}.txt"
        raise DataError(name, found, "one vector for each id, in the same order")
    step = max(1, BLOCK // stored.shape[1])
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.concatenate(
            [
                np.linalg.norm(stored[start : start + step].astype(float), axis=1)
                for start in range(0, len(stored), step)
            ]
        )
    is_code = stored.dtype.kind != "f"
    if is_code:
        lengths[lengths == 0] = 1.0  # a code of zeros only
    for bad, found in ((~np.isfinite(lengths), "NaN or infinity"), (lengths == 0, "only zeros")):
        if bad.any():
            row = int(np.argmax(bad))
            where = f"{found} in row {row} ({ids[row]})"
            raise DataError(name, where, "finite vectors that are not zero")
    if not is_code and np.abs(lengths - 1).max() > MAX_LENGTH_ERROR:
        found = f"vectors of length {lengths.min():.3g} to {lengths.max():.3g}"
        add_finding(findings, name, found, "length 1; scaled for the cosine", "note")
    if tuple(ids) == (same := tuple(known)):
        return Vectors(same, stored, np.arange(len(ids)), lengths)
    names = match_ids(ids, known)
    unknown = [each for each in ids if each not in names]
    findings += count_odd(name, unknown, "vectors of unknown ids", f"ids of {stem}; left out")
    if not names:
        raise DataError(name, f"no vector of any of the {len(known):,} {stem}", f"ids of {stem}")
    rows = np.flatnonzero([each in names for each in ids])
    refuse_shared(names, name, "vectors")
    return Vectors(tuple(names.values()), stored, rows, lengths[rows])


def check_dimension(dimension: int, items: Vectors, name: str) -> None:
    """Raise a DataError if vectors of queries have not as many numbers as those of the items."""
    if dimension != items.dimension:
        found = f"query vectors of {dimension} dimensions"
        raise DataError(name, found, f"{items.dimension}, as the items have")


def open_array(path: Path, name: str, meant: str, do: str = "") -> tuple[ArrayFile, bool]:
    """Return the array of a file as its numbers follow each other, and whether it is transposed.

    Args:
        path: The file.
        name: Its name in messages.
        meant: What its two dimensions are.
        do: What to do if it has others.

    Raises:
        DataError: If it is not a whole file of numbers in two dimensions.
    """
    with path.open("rb") as file:
        state = _find_state(file)
        try:
            shape, is_fortran, dtype = HEADERS[np.lib.format.read_magic(file)](file)
        except Exception as error:  # a damaged header raises almost any kind
            why = "a file that is no array" if state[0] else "an empty file"
            again = "Save it again with numpy.save."
            raise DataError(name, why, "a .npy file of numbers", do=again) from error
        if len(shape) != 2 or min(shape) < 1:
            raise DataError(name, f"the shape {shape}", meant, do=do)
        if dtype.kind not in "fiu":
            raise DataError(name, f"numbers of type {dtype}", "float32")
        lacking = file.tell() + math.prod(shape) * dtype.itemsize - state[0]
        if lacking > 0:
            found = f"a file that is {lacking:,} bytes too short for the shape {shape}"
            raise DataError(name, found, "a whole file", do="Copy or save it again.")
        lines = shape[::-1] if is_fortran else shape
        return ArrayFile(path, name, lines, dtype, file.tell(), state), is_fortran


def read_ids(path: Path, name: str, findings: Findings) -> Names:
    """Return the ids of a file, one a line.

    Raises:
        DataError: If there is no such file, a line is empty, or an id stands twice.
    """
    require_file(path, name, "the id of each vector, one a line")
    ids = [*map(str.strip, read_text(path, name, findings).rstrip().split("\n"))]
    check_ids(ids, name)
    return ids


def check_ids(ids: Names, name: str) -> None:
    """Raise a DataError if an id is empty, or stands twice."""
    if "" in ids:
        raise DataError(name, "an empty line", "an id", line=ids.index("") + 1)
    refuse_repeated(ids, count(1), name, "the id")
