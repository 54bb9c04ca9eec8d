"""A matrix of similarities that stays in its `.npy` file and is read in parts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.next.errors import DataError
from dashboard.next.tables import FloatArray, IntArray

MAX_CELLS = 1 << 22
"""Numbers that are widened to double precision at once."""
GAP = 64
"""Columns that are read in vain between two that are wanted."""


@dataclass(frozen=True, eq=False)
class MatrixFile:
    """A matrix in a file.

    Attributes:
        shape: Rows and columns.
        start: Bytes before the first number.
        by_row: Whether rows are stored one after the other, else columns.
        state: Size and time of the file when it was opened.
    """

    path: Path
    name: str
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    start: int
    by_row: bool
    state: tuple[int, int]

    def read(self, lines: IntArray, rows: bool) -> FloatArray:
        """Return some rows, or some columns, each as a line. [lines, numbers of a line].

        Raises:
            DataError: If the file has changed since it was opened.
        """
        order = np.unique(lines)
        made = np.empty((len(order), self.shape[1] if rows else self.shape[0]))
        done = 0
        with self.path.open("rb") as file:
            status = os.fstat(file.fileno())
            if (status.st_size, status.st_mtime_ns) != self.state:
                found = "a file that has changed while it was read"
                raise DataError(self.name, found, "one state of it", do="Reload the page.")
            for near in np.split(order, np.flatnonzero(np.diff(order) > GAP) + 1):
                read = self._read_stretch if rows == self.by_row else self._read_across
                part = read(file.fileno(), int(near[0]), int(near[-1]) + 1)
                made[done : done + len(near)] = part[near - near[0]]
                done += len(near)
        return made[np.searchsorted(order, lines)]

    def _read_stretch(self, file: int, first: int, last: int) -> NDArray[Any]:
        """Return lines that are stored one after the other."""
        width = self.shape[1] if self.by_row else self.shape[0]
        part = np.empty((last - first, width), self.dtype)
        self._fill(file, part, first * width)
        return part

    def _read_across(self, file: int, first: int, last: int) -> NDArray[Any]:
        """Return lines whose numbers are stored apart: some of each stored line."""
        stored, width = self.shape if self.by_row else self.shape[::-1]
        part = np.empty((stored, last - first), self.dtype)
        for line in range(stored):
            self._fill(file, part[line], line * width + first)
        return part.T

    def _fill(self, file: int, part: NDArray[Any], first: int) -> None:
        """Fill an array with the numbers of the file from the first on."""
        place = self.start + first * self.dtype.itemsize
        if os.preadv(file, [part.data], place) != part.nbytes:
            raise DataError(self.name, "a file that ends too early", "all rows and columns")


def open_matrix(path: Path, name: str) -> tuple[MatrixFile, float]:
    """Return the matrix of a file and the largest size of its numbers.

    Raises:
        DataError: If it is anything but finite numbers in rows and columns.
    """
    try:
        stored = np.lib.format.open_memmap(path, mode="r")
    except Exception as error:  # a damaged header raises almost any kind
        why = f"a file that is no array ({str(error)[:80]})"
        do = "Save it again with numpy.save."
        raise DataError(name, why, "a .npy file of rows and columns", do=do) from error
    if not isinstance(stored, np.memmap) or stored.ndim != 2 or not stored.size:
        raise DataError(name, f"the shape {np.shape(stored)}", "rows and columns of similarities")
    if stored.dtype.kind not in "fiu" or stored.dtype.itemsize > 8:
        raise DataError(name, f"numbers of type {stored.dtype}", "float32, float16 or float64")
    status = path.stat()
    state = (status.st_size, status.st_mtime_ns)
    by_row = bool(stored.flags.c_contiguous)
    shape = (int(stored.shape[0]), int(stored.shape[1]))
    matrix = MatrixFile(path, name, shape, stored.dtype, stored.offset, by_row, state)
    return matrix, _find_largest(matrix)


def _find_largest(matrix: MatrixFile) -> float:
    """Return the largest size of a number.

    Raises:
        DataError: If one is not finite, with its row and column.
    """
    lines, width = matrix.shape if matrix.by_row else matrix.shape[::-1]
    step, largest = max(1, MAX_CELLS // width), 0.0
    for start in range(0, lines, step):
        part = matrix.read(np.arange(start, min(start + step, lines)), rows=matrix.by_row)
        strange = np.argwhere(~np.isfinite(part))
        if len(strange):
            at, other = strange[0].tolist()
            place = (start + at, other) if matrix.by_row else (other, start + at)
            found = f"{part[at, other]} in row {place[0]:,}, column {place[1]:,} (from 0)"
            raise DataError(matrix.name, found, "finite similarities")
        largest = max(largest, float(np.abs(part).max()))
    return largest
