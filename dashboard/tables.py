"""Text tables with a key: the form in which items, queries and other CSV files are held."""

import csv
import io
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import filterfalse, pairwise, repeat
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dashboard.errors import DataError, Findings, add_finding, count_odd, list_names
from dashboard.texts import read_text, require_file

Row = dict[str, Any]
Rows = list[Row]
"""Rows that are printed, drawn or sent: values by the names of columns."""
Names = Sequence[str]
"""Names of items, files, columns or other things."""
Texts = dict[str, str]
"""Texts by names, such as ids by the names that mean them."""
Numbers = dict[str, int]
"""Whole numbers by names, such as places and lines."""
AnyArray = NDArray[Any]
Reasons = Mapping[int, str]
"""Why some queries have no value, or were not run, by their positions."""
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
BoolArray = NDArray[np.bool_]
Ties = Literal["gallery", "id"]
"""Order of equal scores: as items stand in the gallery, or by id, descending."""
MAX_CELL_CHARACTERS = 1 << 30


class Named:
    """Things that are found by their ids."""

    ids: Any

    @cached_property
    def index(self) -> Numbers:
        """Position of each id."""
        return {name: place for place, name in enumerate(self.ids)}

    def find(self, ids: Iterable[str]) -> IntArray:
        """Return the positions of some ids, -1 for unknown ones."""
        return np.fromiter(map(self.index.get, ids, repeat(-1)), int)

    def list_unknown(self, ids: Iterable[str]) -> Names:
        """Return those of some ids that name none of them."""
        return [] if ids is self.ids else [*filterfalse(self.index.__contains__, ids)]


@dataclass(frozen=True, eq=False)
class Table(Named):
    """Text columns of equal length. A row is found by its key or by its position.

    Attributes:
        file: Name of the file, for messages.
        key: Name of the column whose values are unique.
        columns: Cells by column name.
        lines: Line of the file that each row came from.
    """

    file: str
    key: str
    columns: Mapping[str, Names]
    lines: Sequence[int] = ()

    @property
    def ids(self) -> Names:
        """Values of the key column."""
        return self.columns[self.key]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, column: str) -> Names:
        """Return the cells of a column; empty texts where the file has no such column."""
        return self.columns.get(column) or ("",) * len(self)

    def list_rows(self, *columns: str) -> Iterator[Names]:
        """Return the key of each row and its cells in some columns."""
        return zip(self.ids, *map(self.__getitem__, columns), strict=True)


def number_names(names: Iterable[str]) -> tuple[Names, IntArray]:
    """Return each name once, and the place of each among these."""
    index: Numbers = {}
    places = np.array([index.setdefault(name, len(index)) for name in names], int)
    return tuple(index), places


def find_rows(groups: IntArray, count: int) -> list[slice]:
    """Return the rows of each of so many groups in succession."""
    bounds = np.searchsorted(groups, np.arange(count + 1)).tolist()
    return [slice(*each) for each in pairwise(bounds)]


def read_table(
    path: Path, name: str, required: Names, findings: Findings, unique: bool = True
) -> Table:
    """Read a table with a header, separated by commas, semicolons, tabs or bars.

    Args:
        path: The file.
        name: Its name in messages.
        required: Columns that must be there; the first one is the key.
        findings: Gains a note for each repair: encoding, delimiter, capitals in names of columns,
            identical rows.
        unique: Whether a key stands once, and is not empty; identical rows count once.

    Raises:
        DataError: If the file is missing, empty, not text, lacks a column, or has a row of
            another length, two columns of one name, an empty key or a key in two different rows.
    """
    lines, rows = _read_rows(path, name, required, findings)
    header, lines, rows = rows[0], lines[1:], rows[1:]
    key = header.index(required[0])
    if unique and len({*map(str.strip, map(itemgetter(key), rows))}) < len(rows):
        first: dict[Names, int] = {}
        for line, row in zip(lines, rows, strict=True):
            first.setdefault(tuple(map(str.strip, row)), line)
        again, wanted = sorted({*lines} - {*first.values()}), "each row once; they count once"
        findings += count_odd(name, again, "identical rows", wanted, "note")
        lines, rows = list(first.values()), list(first)
    cells = (tuple(map(str.strip, map(itemgetter(at), rows))) for at in range(len(header)))
    columns = dict(zip(header, cells, strict=True))
    table = Table(name, required[0], columns, lines)
    if unique and "" in table.index:
        empty = [line for line, name in zip(table.lines, table.ids, strict=True) if not name]
        raise DataError(
            name,
            f"an empty {table.key} in {len(empty):,} rows (lines {list_names(empty)})",
            "an id in each row",
            line=empty[0],
            do="Write one, or remove the rows.",
        )
    if unique:
        refuse_repeated(table.ids, table.lines, name, table.key)
    return table


def _read_rows(
    path: Path, name: str, required: Names, findings: Findings
) -> tuple[Sequence[int], Sequence[Names]]:
    """Return the lines and cells of the header and of all rows."""
    require_file(path, name, f"a table with the columns {', '.join(required)}")
    text = read_text(path, name, findings)
    top = next((line for line in text.splitlines() if line.strip()), "")
    marks = (
        mark
        for mark in ",;\t|"
        if set(required) <= {cell.strip().strip('"').lower() for cell in top.split(mark)}
    )
    mark = next(marks, ",")
    if mark != ",":
        shown = {";": "semicolons", "\t": "tabs", "|": "bars"}[mark]
        add_finding(findings, name, f"cells separated by {shown}", "commas; read so", "note", 1)
    lines = array("q")
    rows = []
    line = 1
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=mark)
        for row in reader:
            if row:
                lines.append(line)
                rows.append(tuple(row))  # of texts alone: nothing to collect
            line = reader.line_num + 1
    except csv.Error as error:
        do = """Close each quote, and write " in a quoted cell as ""."""
        raise DataError(name, f"a broken row ({error})", "CSV", line=line, do=do) from error
    if not rows:
        raise DataError(name, "an empty file", f"a header: {','.join(required)}")
    header = [cell.strip() for cell in rows[0]]
    rows[0] = tuple(_check_header(header, lines[0], name, required, findings))
    width, wanted = len(rows[0]), f"{len(rows[0])}, as the header"
    short = []
    for line, cells in zip(lines, rows, strict=True) if {*map(len, rows)} != {width} else ():
        if len(cells) > width:
            do = "Put a cell that holds the separator in quotes."
            raise DataError(name, f"{len(cells)} cells", wanted, line=line, do=do)
        short += [line] * (len(cells) < width)
    if short:
        found = f"fewer cells in {len(short):,} rows (lines {list_names(short)})"
        wanted = f"{wanted}; the others are empty"
        add_finding(findings, name, found, wanted, "warning", short[0])
        rows = [cells + ("",) * (width - len(cells)) for cells in rows]
    return lines, rows


def _check_header(
    header: Names, line: int, name: str, required: Names, findings: Findings
) -> Names:
    """Return the names of columns, in small letters if the required ones are found only so."""
    small = [column.lower() for column in header]
    if not set(required) <= set(header) and set(required) <= set(small):
        wanted = "small letters; read so"
        add_finding(findings, name, f"the columns {list_columns(header)}", wanted, "note", line)
        header = small
    missing = [column for column in required if column not in header]
    if missing:
        raise DataError(
            name,
            f"the columns {list_columns(header)}",
            f"a column {' and a column '.join(missing)}",
            line=line,
        )
    for column in filter(None, header):
        if header.count(column) > 1:
            raise DataError(name, f"two columns {column}", "each column once", line=line)
    return header


def list_columns(header: Names) -> str:
    """Return the names of columns as a sentence has them."""
    return ", ".join(header) or "(none)"


def refuse_repeated(names: Names, lines: Iterable[int], file: str, what: str) -> None:
    """Raise a DataError if a name stands twice in a file."""
    first: Numbers = {}
    for line, name in zip(lines, names, strict=False) if len(set(names)) < len(names) else ():
        if first.setdefault(name, line) != line:
            raise DataError(
                file,
                f"{what} {name!r} a second time (first in line {first[name]})",
                "each only once",
                line=line,
                do="Remove one of the two lines.",
            )
