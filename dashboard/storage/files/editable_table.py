"""A table's file whose rows are changed one by one: what is not touched stays byte for byte."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dashboard.letters import FORMULA, visible
from dashboard.storage.files.contents import GZIP, suffix
from dashboard.storage.files.delimited import DELIMITERS, LONGEST_CELL, PREAMBLE
from dashboard.storage.files.parquet import parquet_table
from dashboard.tables import DataError, listed

Row = dict[str, Any]
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_CELLS = 50_000_000


@dataclass(eq=False)
class EditableTable:
    """The rows of a file, each a dictionary by column as the file names it; change or append them,
    then take `content`.

    Cells of JSON lines and Parquet keep their types; those of other files are text.
    """

    path: Path
    columns: list[str]
    rows: list[Row]
    mark: str = ""  # between cells; none: JSON lines or Parquet
    schema: Any = None
    before: str = ""
    end: str = "\n"
    packed: bool = False
    pieces: list[tuple[str, Row | None, Row | None]] = field(default_factory=list)
    """The text of each row, the row, and what it was; a text that is no row has none."""

    @property
    def is_text(self) -> bool:
        """Whether a patch of lines can change the file."""
        return self.schema is None and not self.packed

    def column(self, names: Sequence[str]) -> str:
        """The file's name of the first of these columns that it has; raises DataError for none."""
        known = {visible(column).strip().lower(): column for column in self.columns}
        for name in names:
            if name in known:
                return known[name]
        found = f"the columns {listed(self.columns)}"
        raise DataError(self.path.name, found, f"a column {' or '.join(names)}")

    def append(self, cells: Row) -> None:
        """Add a row at the end; columns that it lacks stay empty."""
        if self.mark:
            cells = {name: cells.get(name, "") for name in self.columns}
        elif self.schema is not None:
            cells = {name: cells.get(name) for name in self.columns}
        self.rows.append(cells)

    def content(self) -> bytes:
        """The file with the rows as they are now."""
        if self.schema is not None:
            return self._parquet()
        left = {id(row) for row in self.rows}
        known = {id(row) for _, row, _ in self.pieces if row is not None}
        lines = [self.before]
        for text, row, was in self.pieces:
            if row is None or (id(row) in left and row == was):
                lines.append(text)
            elif id(row) in left:
                lines.append(self._written(row) + _end_of(text))
        more = [row for row in self.rows if id(row) not in known]
        text = "".join(lines)
        if more and text and not text.endswith("\n"):
            text += self.end
        content = (text + "".join(self._written(row) + self.end for row in more)).encode()
        return gzip.compress(content, mtime=0) if self.packed else content

    def _written(self, row: Row) -> str:
        if not self.mark:
            return json.dumps(row, ensure_ascii=False)
        text = io.StringIO()
        cells = [row.get(name, "") for name in self.columns]
        # only a cell with a letter that ends lines is quoted for it
        csv.writer(text, delimiter=self.mark, lineterminator="\r\n").writerow(cells)
        return text.getvalue().removesuffix("\r\n")

    def _parquet(self) -> bytes:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = [
            pa.array([row[name] for row in self.rows], type=kind)
            for name, kind in zip(self.schema.names, self.schema.types, strict=True)
        ]
        content = io.BytesIO()
        pq.write_table(pa.Table.from_arrays(columns, schema=self.schema), content)
        return content.getvalue()


def editable_table(path: Path, needed: Sequence[str]) -> EditableTable:
    """The table in a file of any format; `needed` columns help to find what stands between cells.

    Raises DataError for a file that cannot be read, or whose text is not UTF-8.
    """
    if suffix(path) == ".parquet":
        table = parquet_table(path, path.name, _MOST_CELLS)
        return EditableTable(path, table.column_names, table.to_pylist(), schema=table.schema)
    data = path.read_bytes()
    packed = data.startswith(GZIP)
    try:
        text = (gzip.decompress(data) if packed else data).decode("utf-8")
    except (UnicodeDecodeError, OSError, EOFError) as problem:
        wanted = "a file in UTF-8, which can be changed line by line"
        raise DataError(path.name, "another encoding", wanted) from problem
    made = EditableTable(path, [], [], packed=packed)
    if suffix(path) in (".jsonl", ".ndjson"):
        _read_json_lines(made, text)
    else:
        _read_delimited(made, text, needed)
    return made


def _read_json_lines(made: EditableTable, text: str) -> None:
    columns: dict[str, None] = {}
    for line in _LINE.findall(text):
        row = json.loads(line) if line.strip() else None
        made.pieces.append((line, row, deepcopy(row)))
        if row is not None:
            made.rows.append(row)
            columns.update(dict.fromkeys(row))
    made.columns = list(columns)
    made.end = (_end_of(made.pieces[0][0]) if made.pieces else "") or "\n"


def _read_delimited(made: EditableTable, text: str, needed: Sequence[str]) -> None:
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    preamble = PREAMBLE.match(text, len(mark))
    start = preamble.end() if preamble else len(mark)
    lines = _LINE.findall(text[start:])
    if not lines:
        raise DataError(made.path.name, "no header", f"a header with {listed(needed)}", line=1)

    def fits(each: str) -> tuple[int, int]:
        cells = {visible(cell).strip(' \t\r\n"').lower() for cell in lines[0].split(each)}
        return len(cells & set(needed)), len(cells)

    made.mark = max(DELIMITERS, key=fits)
    csv.field_size_limit(LONGEST_CELL)
    reader, taken = csv.reader(lines, delimiter=made.mark), 0
    for cells in _rows(reader, made.path.name):
        record, taken = "".join(lines[taken : reader.line_num]), reader.line_num
        if not made.columns:
            made.columns, made.before = cells, text[:start] + record
            made.end = _end_of(record) or "\n"
            continue
        row = None
        if cells:
            cells = [
                cell[1:] if cell[:1] == "'" and FORMULA.match(cell) else cell for cell in cells
            ]
            padded = [*cells, *[""] * (len(made.columns) - len(cells))]
            row = dict(zip(made.columns, padded, strict=False))
            made.rows.append(row)
        made.pieces.append((record, row, dict(row) if row is not None else None))


def _rows(reader: Iterable[list[str]], name: str) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as problem:  # such as lines that end in a carriage return alone
        raise DataError(name, str(problem), "lines that can be changed one by one") from problem


def _end_of(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
