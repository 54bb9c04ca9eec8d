"""A matrix of similarities that stays in its `.npy` file and is read in parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dashboard.errors import DataError
from dashboard.storage.vectors import ArrayFile
from dashboard.tables import FloatArray, IntArray

MAX_CELLS = 1 << 22
"""Numbers that are read at once."""


@dataclass(frozen=True, eq=False)
class MatrixFile:
    """A matrix in a file.

    Attributes:
        stored: Its rows, or its columns, as they follow each other in the file.
        by_row: Whether these are rows.
    """

    stored: ArrayFile
    by_row: bool

    @property
    def name(self) -> str:
        """Name in messages."""
        return self.stored.name

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        first, second = self.stored.shape
        return (first, second) if self.by_row else (second, first)

    def read(self, lines: IntArray, rows: bool) -> FloatArray:
        """Return some rows, or some columns, each as a line. [lines, numbers of a line]."""
        length, width = self.stored.shape
        if rows == self.by_row:
            made = np.empty((len(lines), width))
            for place, line in enumerate(lines.tolist()):
                made[place] = self.stored[line : line + 1]
            return made
        made, step = np.empty((len(lines), length)), max(1, MAX_CELLS // width)
        for start in range(0, length, step):
            made[:, start : start + step] = self.stored[start : start + step][:, lines].T
        return made


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
    status, by_row = path.stat(), bool(stored.flags.c_contiguous)
    length, width = map(int, stored.shape if by_row else stored.shape[::-1])
    state = (status.st_size, status.st_mtime_ns)
    lines = ArrayFile(path, name, (length, width), stored.dtype, stored.offset, state)
    matrix = MatrixFile(lines, by_row)
    return matrix, _find_largest(matrix)


def _find_largest(matrix: MatrixFile) -> float:
    """Return the largest size of a number.

    Raises:
        DataError: If one is not finite, with its row and column.
    """
    length, width = matrix.stored.shape
    step, largest = max(1, MAX_CELLS // width), 0.0
    for start in range(0, length, step):
        part = np.abs(matrix.stored[start : start + step].astype(np.float64))
        strange = np.argwhere(~np.isfinite(part))
        if len(strange):
            at, other = strange[0].tolist()
            row, column = (start + at, other) if matrix.by_row else (other, start + at)
            found = f"{part[at, other]} in row {row:,}, column {column:,} (from 0)"
            raise DataError(matrix.name, found, "finite similarities")
        largest = max(largest, float(part.max()))
    return largest
