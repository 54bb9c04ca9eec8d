"""Tables in text files (CSV and its cousins), JSON lines and Parquet ⇄ frames of text with line
numbers.

A frame's index is the line of the file that a row stood in, so that every later sentence about a
row can name its line. All cells are text, byte for byte: `007`, `NA` and `1e5` are ids.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dashboard.storage.files.contents import read_bytes, read_text, suffix
from dashboard.storage.findings import Findings, listed
from dashboard.tables import DataError, Table

WIDEST = 5_000
LONGEST_CELL = 20_000_000
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
BLANKS = " \t\r\n"
PREAMBLE = re.compile(r"(?:[ \t\r]*\n|#[^\n]*\n)*")


def read_table(
    path: Path, table: Table, name: str = "", findings: Findings | None = None
) -> pd.DataFrame:
    """The rows of a file as `table` declares them, checked; the index is the line in the file.

    Raises DataError naming the file and the line: a missing column, an empty id, an id twice.
    Rows repeated word for word are kept once, with a note.
    """
    name = name or path.name
    findings = findings if findings is not None else Findings()
    needed = [column for column in table.columns if column not in table.optional]
    frame = read_frame(path, needed, name, findings)
    frame = named_columns(frame, list(table.columns), name, findings)
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        found = f"the columns {listed(frame.columns)}"
        raise DataError(name, found, f"a column {' and a column '.join(missing)}", line=1)
    frame = unique_rows(frame, table.key, name, findings)
    lines = frame.index
    checked = table.check(frame.reset_index(drop=True), name)
    return checked.set_axis(lines)


def read_frame(path: Path, needed: Sequence[str], name: str, findings: Findings) -> pd.DataFrame:
    """All columns of a file as text, indexed by line. `needed` helps to find the delimiter."""
    kind = suffix(path)
    if kind == ".parquet":
        return _parquet(path, name)
    if kind in (".jsonl", ".ndjson"):
        return _json_lines(read_text(path, name, findings), name)
    return _delimited(read_text(path, name, findings), needed, name, findings)


def named_columns(
    frame: pd.DataFrame, wanted: Sequence[str], name: str, findings: Findings
) -> pd.DataFrame:
    """The frame with columns that differ from a wanted one only by case or blanks renamed to it."""
    plain = {column: str(column).strip().lower() for column in frame.columns}
    new = {c: p for c, p in plain.items() if c != p and p in wanted and p not in frame.columns}
    if new:
        findings.note(name, f"the column {listed(new)}", f"{listed(new.values())}; read as that", 1)
    renamed = frame.rename(columns=new)
    twice = renamed.columns[renamed.columns.duplicated()]
    if len(twice):
        raise DataError(name, f"the column {twice[0]} twice", "each column once", line=1)
    return renamed


def unique_rows(
    frame: pd.DataFrame, key: Sequence[str], name: str, findings: Findings
) -> pd.DataFrame:
    """The frame with blanks around ids trimmed, rows repeated word for word once, and unique
    keys."""
    for column in key:
        trimmed = frame[column].str.strip(BLANKS)
        changed = frame.index[trimmed != frame[column]]
        if len(changed):
            found = f"blanks around {len(changed)} values of {column}"
            findings.note(name, found, "none; they were trimmed", int(changed[0]))
            frame = frame.assign(**{column: trimmed})
        blank = frame.index[trimmed == ""]
        if len(blank):
            where = f" (lines {listed(blank)})" if len(blank) > 1 else ""
            raise DataError(name, f"an empty {column}{where}", f"a {column}", line=int(blank[0]))
    repeated = frame.duplicated()
    if repeated.any():
        first = int(frame.index[repeated][0])
        findings.note(
            name, f"{int(repeated.sum())} repeated rows", "each row once; kept once", first
        )
        frame = frame[~repeated]
    second = frame.index[frame.duplicated(list(key))]
    if len(second):
        row = frame.loc[second[0]]
        first = frame.index[(frame[list(key)] == row[list(key)]).all(axis=1)][0]
        values = " and ".join(f"{column} {row[column]!r}" for column in key)
        found = f"{values} again (lines {first} and {second[0]})"
        raise DataError(name, found, "each only once", line=int(second[0]))
    return frame


def _delimited(text: str, needed: Sequence[str], name: str, findings: Findings) -> pd.DataFrame:
    skipped, body = _without_preamble(text)
    if skipped:
        findings.note(name, f"{skipped} lines before the header", "none; they were left out", 1)
    if not body:
        raise DataError(name, "no header", f"a header with {listed(needed)}", line=1)
    delimiter = _delimiter(body.split("\n", 1)[0], needed)
    if delimiter != ",":
        findings.note(
            name, f"{DELIMITERS[delimiter]}s between columns", "commas; read so", skipped + 1
        )
    header, rows, lines = _records(body, delimiter, skipped, name)
    rows, lines = _rectangular(header, rows, lines, name, findings)
    return pd.DataFrame(rows, columns=header, index=lines, dtype="str")


def _without_preamble(text: str) -> tuple[int, str]:
    preamble = PREAMBLE.match(text)
    end = preamble.end() if preamble else 0
    return text.count("\n", 0, end), text[end:]


def _delimiter(header: str, needed: Sequence[str]) -> str:
    def found(delimiter: str) -> tuple[int, int]:
        cells = {cell.strip(BLANKS + '"').lower() for cell in header.split(delimiter)}
        return len(cells & set(needed)), len(cells)

    return max(DELIMITERS, key=found)


def _records(
    text: str, delimiter: str, before: int, name: str
) -> tuple[list[str], list[list[str]], list[int]]:
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    start = 1
    try:
        for cells in reader:
            if cells and not header:
                header = _header(cells, start + before, name)
            elif cells:
                rows.append(cells)
                lines.append(start + before)
            start = reader.line_num + 1
    except csv.Error as error:
        line = start + before
        if "field larger" in str(error):
            raise DataError(name, "a cell over 20 MB", "shorter cells", line=line) from error
        cure = "Write a quote inside quotes twice."
        raise DataError(
            name, "a quote that is never closed", "quotes in pairs", line=line, cure=cure
        ) from error
    return header, rows, lines


def _header(cells: list[str], line: int, name: str) -> list[str]:
    if len(cells) > WIDEST:
        raise DataError(name, f"{len(cells):,} columns", f"at most {WIDEST:,} columns", line=line)
    filled = [cell for cell in cells if cell.strip()]
    twice = sorted({cell for cell in filled if filled.count(cell) > 1})
    if twice:
        raise DataError(name, f"the column {twice[0]} twice", "each column once", line=line)
    return [cell if cell.strip() else f"(column {i + 1})" for i, cell in enumerate(cells)]


def _rectangular(
    header: list[str], rows: list[list[str]], lines: list[int], name: str, findings: Findings
) -> tuple[list[list[str]], list[int]]:
    width, short = len(header), []
    for i, cells in enumerate(rows):
        if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
            rows[i] = cells[:width]
        elif len(cells) > width:
            found = f"{len(cells)} fields"
            cure = "Put quotes around a cell that has the delimiter in it."
            raise DataError(name, found, f"{width} fields", line=lines[i], cure=cure)
        elif len(cells) < width:
            short.append(lines[i])
            rows[i] = cells + [""] * (width - len(cells))
    if short:
        found = f"too few fields in {len(short)} rows (lines {listed(short)})"
        findings.warning(name, found, f"{width} fields; the missing ones are empty", short[0])
    return rows, lines


def _json_lines(text: str, name: str) -> pd.DataFrame:
    rows, lines = [], []
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            row = json.loads(content, parse_int=str, parse_float=str)
        except (json.JSONDecodeError, RecursionError) as error:
            raise DataError(
                name, "a line that is not JSON", "one object a line", line=line
            ) from error
        if not isinstance(row, dict):
            raise DataError(name, f"a JSON {type(row).__name__}", "one object a line", line=line)
        rows.append({str(column): _cell(value) for column, value in row.items()})
        lines.append(line)
    return pd.DataFrame(rows, index=lines, dtype="str").fillna("")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value)


def _parquet(path: Path, name: str) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    read_bytes(path, name)
    try:
        columns = pq.read_table(path).to_pydict()
    except (pa.ArrowException, OSError, MemoryError) as error:
        raise DataError(name, "a damaged Parquet file", "a complete Parquet file") from error
    frame = pd.DataFrame({column: [_cell(v) for v in values] for column, values in columns.items()})
    return frame.set_axis(range(1, len(frame) + 1)).astype("str")
