"""Text tables with a key: the form in which items, queries and other CSV files are held."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dashboard.next.errors import DataError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Table:
    """Text columns of equal length. A row is found by its key or by its position.

    Attributes:
        file: Name of the file, for messages.
        key: Name of the column whose values are unique.
        columns: Cells by column name.
        lines: Line of the file that each row came from.
    """

    file: str
    key: str
    columns: Mapping[str, tuple[str, ...]]
    lines: Sequence[int] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Values of the key column."""
        return self.columns[self.key]

    @cached_property
    def index(self) -> dict[str, int]:
        """Position of each key."""
        return {name: row for row, name in enumerate(self.ids)}

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, column: str) -> tuple[str, ...]:
        """Return the cells of a column; empty texts where the file has no such column."""
        return self.columns.get(column) or ("",) * len(self)

    def find(self, ids: Iterable[str]) -> IntArray:
        """Return the positions of some keys, -1 for unknown ones."""
        return np.array([self.index.get(name, -1) for name in ids], dtype=np.int64)


def make_table(file: str, key: str, ids: Iterable[str]) -> Table:
    """Return a table that has a key column only."""
    return Table(file, key, {key: tuple(ids)})


def read_table(path: Path, name: str, required: Sequence[str], unique: bool = True) -> Table:
    """Read a CSV file with a header.

    Args:
        path: The file.
        name: Its name in messages.
        required: Columns that must be there; the first one is the key.
        unique: Whether a key stands once, and is not empty.

    Raises:
        DataError: If the file is missing, empty, not UTF-8, lacks a column, or has a row of
            another length, an empty key or a key twice.
    """
    lines, rows = _read_rows(path, name, required)
    header = rows.pop(0)
    lines.pop(0)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True)) if rows else {}
    table = Table(name, required[0], {c: columns.get(c, ()) for c in header}, lines)
    if unique:
        _check_key(table)
    return table


def _read_rows(path: Path, name: str, required: Sequence[str]) -> tuple[list[int], list[list[str]]]:
    """Return the lines and cells of the header and of all rows."""
    if not path.is_file():
        raise DataError(name, "no such file", f"a table with the columns {', '.join(required)}")
    lines: list[int] = []
    rows: list[list[str]] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            for row in reader:
                if row:
                    lines.append(reader.line_num)
                    rows.append([cell.strip() for cell in row])
    except UnicodeDecodeError as error:
        raise DataError(name, "bytes that are not UTF-8", "a UTF-8 file") from error
    except csv.Error as error:
        line = lines[-1] + 1 if lines else 1
        raise DataError(name, f"a broken row ({error})", "CSV", line=line) from error
    if not rows:
        raise DataError(name, "an empty file", f"a header: {','.join(required)}")
    missing = [column for column in required if column not in rows[0]]
    if missing:
        found = f"the columns {list_columns(rows[0])}"
        raise DataError(name, found, f"a column {' and a column '.join(missing)}", line=1)
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(rows[0]):
            raise DataError(name, f"{len(row)} cells", f"{len(rows[0])}, as the header", line=line)
    return lines, rows


def list_columns(header: Sequence[str]) -> str:
    """Return the names of columns as a sentence has them."""
    return ", ".join(header) or "(none)"


def _check_key(table: Table) -> None:
    first: dict[str, int] = {}
    for line, name in zip(table.lines, table.ids, strict=True):
        if not name:
            raise DataError(table.file, f"an empty {table.key}", f"a {table.key}", line=line)
        if name in first:
            found = f"{table.key} {name!r} a second time (first in line {first[name]})"
            do = "Remove one of the two lines."
            raise DataError(table.file, found, "each only once", line=line, do=do)
        first[name] = line
