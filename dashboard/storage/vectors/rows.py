"""Rows of numbers that stay in their file, in the width that they have there: read, and scaled to
length 1, a block at a time.

They are read from an open descriptor and not mapped: whoever cuts a mapped file short ends the
process that looks at it. A file that is replaced by another is read on as it was.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, BinaryIO, Self, TypeAlias, TypeVar
from weakref import finalize

import numpy as np
import numpy.typing as npt

from dashboard.storage.cache import by_file
from dashboard.tables import DataError

BLOCK = 1 << 20
"""Bytes of a block of float32: with what it is scaled and multiplied in, it stays in the cache."""
GAP = 16
"""Rows that are read and thrown away rather than skipped: one more call costs as much."""

BESIDE = 16
"""Whole rows are read for this share of their columns or more: one more call costs as much."""

R = TypeVar("R")
Places: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float32]
Numbers: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class FileRows:
    """The rows of an array that begins at `start` in a file with an open descriptor.

    They are read when they are indexed, by a slice or by places; DataError where the file has been
    written into since it was opened.
    """

    descriptor: int
    name: str
    start: int
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    state: tuple[int, int]

    @classmethod
    def of(
        cls, file: BinaryIO, name: str, start: int, shape: tuple[int, int], kind: np.dtype
    ) -> FileRows:
        """The rows in the state that the file has now; it may be closed afterwards."""
        descriptor = os.dup(file.fileno())
        rows = cls(descriptor, name, start, shape, kind, _state(descriptor))
        finalize(rows, os.close, descriptor)
        return rows

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | Places) -> Numbers:
        if isinstance(rows, slice):
            first, last, _ = rows.indices(len(self))
            return self._read(first, max(first, last))
        order = np.argsort(rows, kind="stable")
        found = np.empty((len(rows), self.shape[1]), dtype=self.dtype)
        for some in _neighbours(rows[order], max(1, BLOCK // self._width)):
            places = rows[order[some]]
            first = int(places[0])
            found[order[some]] = self._read(first, int(places[-1]) + 1)[places - first]
        return found

    def once(self, what: str, compute: Callable[[], R]) -> R:
        """What is computed from these rows alone, once for each state of the file."""
        recipe = (what, 1, self.start, self.shape, self.dtype.str, np.__version__)
        return by_file.once(self.descriptor, recipe, compute)

    @property
    def _width(self) -> int:
        return self.shape[1] * self.dtype.itemsize

    @property
    def T(self) -> FileColumns:  # noqa: N802 - as numpy has it
        """The columns as rows."""
        return FileColumns(self)

    def columns(self, first: int, last: int) -> Numbers:
        """Some columns that stand beside each other, as rows. [columns, rows]"""
        found = np.empty((len(self), last - first), dtype=self.dtype)
        if (last - first) * BESIDE >= self.shape[1]:
            for start, block in blocks(self):
                found[start : start + len(block)] = block[:, first:last]
            return found.T
        at = self.start + first * self.dtype.itemsize
        for row, there in enumerate(found):
            self._fill(there, at + row * self._width)
        self._check_state()
        return found.T

    def _read(self, first: int, last: int) -> Numbers:
        block = np.empty((last - first, self.shape[1]), dtype=self.dtype)
        self._fill(block, self.start + first * self._width)
        self._check_state()
        return block

    def _fill(self, block: Numbers, at: int) -> None:
        left = memoryview(block.reshape(-1).view(np.uint8).data)
        while left:
            got = os.preadv(self.descriptor, [left], at)
            if not got:
                raise self._changed()
            left, at = left[got:], at + got

    def _check_state(self) -> None:
        if _state(self.descriptor) != self.state:
            raise self._changed()

    def _changed(self) -> DataError:
        found, wanted = "a file that changed while it was open", "one that stays as it is"
        cure = "Write a new file beside it and rename that; then open the collection again."
        return DataError(self.name, found, wanted, cure=cure)


@dataclass(frozen=True, eq=False)
class FileColumns:
    """The columns of such rows, read when they are indexed by a slice or by places."""

    rows: FileRows

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[1], self.rows.shape[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.rows.dtype

    @property
    def T(self) -> FileRows:  # noqa: N802 - as numpy has it
        """The rows in the file."""
        return self.rows

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, columns: slice | Places) -> Numbers:
        if isinstance(columns, slice):
            first, last, _ = columns.indices(len(self))
            return self.rows.columns(first, max(first, last))
        order = np.argsort(columns, kind="stable")
        found = np.empty((len(columns), len(self.rows)), dtype=self.dtype)
        for some in _neighbours(columns[order], len(self)):
            places = columns[order[some]]
            first = int(places[0])
            found[order[some]] = self.rows.columns(first, int(places[-1]) + 1)[places - first]
        return found


def _state(descriptor: int) -> tuple[int, int]:
    now = os.fstat(descriptor)
    return now.st_size, now.st_mtime_ns


def _neighbours(places: Places, most: int) -> Iterator[slice]:
    """Runs of rising places that are read in one: few between them are not wanted."""
    ends = (np.diff(places) > GAP) | (np.diff(places // most) > 0)
    bounds = [0, *(np.flatnonzero(ends) + 1).tolist(), len(places)]
    for start, end in zip(bounds, bounds[1:], strict=False):
        if start < end:
            yield slice(start, end)


class UnitRows(ABC):
    """Stored rows that become rows of length 1, float32, when they are indexed by a slice or by
    places. `places`: those of the stored rows that are meant, in this order; None: all."""

    def __init__(self, stored: Rows) -> None:
        self.stored = stored
        self.places: Places | None = None
        self.shape: tuple[int, int] = (len(stored), stored.shape[1])
        self.dtype = np.dtype("float32")

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | Places) -> Floats:
        first, last, _ = rows.indices(len(self)) if isinstance(rows, slice) else (0, len(rows), 1)
        found = np.empty((max(0, last - first), self.shape[1]), dtype=np.float32)
        step = rows_of_block(self)
        for start in range(0, len(found), step):
            end = min(start + step, len(found))
            if isinstance(rows, slice):
                some = self._stored_places(slice(first + start, first + end))
            else:
                some = self._stored_places(rows[start:end])
            found[start:end] = self._scaled(self.stored[some], some)
        return found

    def take(self, places: Places) -> Self:
        """These rows alone, in this order."""
        some = copy(self)
        some.places = places if self.places is None else self.places[places]
        some.shape = (len(places), self.shape[1])
        return some

    def roughly(self, rows: slice) -> Floats:
        """Rows whose products differ from those of the unit rows by a few millionths at most."""
        return self[rows]

    def _stored_places(self, rows: slice | Places) -> slice | Places:
        if self.places is None:
            return rows
        some = self.places[rows]
        if len(some) and (np.diff(some) == 1).all():
            return slice(int(some[0]), int(some[-1]) + 1)
        return some

    @abstractmethod
    def _scaled(self, block: Numbers, places: slice | Places) -> Numbers:
        """Stored rows as rows of length 1; places: theirs among the stored."""


class ScaledRows(UnitRows):
    """Rows of any length, divided by it in double precision."""

    def __init__(self, stored: Rows, lengths: npt.NDArray[np.float64]) -> None:
        super().__init__(stored)
        self.lengths = lengths
        near = bool(np.abs(lengths - 1).max(initial=0) < 1e-6)
        self._is_unit = near and stored.dtype == np.float32

    def roughly(self, rows: slice) -> Floats:
        if not self._is_unit:
            return self[rows]
        return np.asarray(self.stored[self._stored_places(rows)], dtype=np.float32)

    def _scaled(self, block: Numbers, places: slice | Places) -> Numbers:
        wide = block.astype(np.float64)
        wide /= self.lengths[places, None]
        return wide


class CodeRows(UnitRows):
    """Hash codes of -1 and 1, or of 0 and 1: ±1 ÷ √bits, where what is not 1 is read as -1."""

    def _scaled(self, block: Numbers, places: slice | Places) -> Numbers:
        signs = np.where(block == 1, np.float32(1), np.float32(-1))
        return np.asarray(signs / np.sqrt(self.shape[1], dtype=np.float32))


class SignRows(UnitRows):
    """The signs of unit rows as codes, ±1 ÷ √bits. zero: whether a 0 is +1."""

    def __init__(self, stored: Rows, zero: bool) -> None:
        super().__init__(stored)
        self.zero = zero

    def _scaled(self, block: Numbers, places: slice | Places) -> Numbers:
        size = np.float32(1 / np.sqrt(self.shape[1]))
        return np.where(block >= 0 if self.zero else block > 0, size, -size)


Rows: TypeAlias = Numbers | FileRows | UnitRows
"""What gives some of its rows as an array when it is indexed by a slice or by places."""


def rows_of_block(rows: Rows) -> int:
    """How many rows make a block of BLOCK bytes of float32."""
    return max(1, BLOCK // (4 * int(rows.shape[1])))


def blocks(rows: Rows) -> Iterator[tuple[int, Numbers]]:
    """All rows, a block at a time, each with the place of its first."""
    step = rows_of_block(rows)
    for start in range(0, len(rows), step):
        yield start, rows[start : start + step]
