"""Comma-separated text and its cousins → frames of text indexed by line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv

from dashboard import ids
from dashboard.letters import FORMULA, visible
from dashboard.tables import DataError, Findings, counted, listed

MOST_MISSING = 2_000_000
"""The most missing fields that are filled in: short rows could make a small file a huge table."""
WIDEST = 5_000
LONGEST_CELL = 20_000_000
BLOCK = 1 << 22
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
BLANKS = " \t\r\n"
PREAMBLE = re.compile(r"(?:[ \t\r]*\n|#[^\n]*\n)*")


def _restored(rows: list[list[str]], name: str, findings: Findings) -> None:
    """Take away the apostrophes that an export put before formula signs."""
    count = 0
    for cells in rows:
        for place, cell in enumerate(cells):
            if cell.startswith("'") and FORMULA.match(cell):
                cells[place] = cell[1:]
                count += 1
    if count:
        found = f"an apostrophe before a formula sign in {counted(count, 'cell')}"
        findings.note(name, found, "the cell as it was before its export; it was taken away")


def read_delimited(text: str, needed: Sequence[str], name: str, findings: Findings) -> pd.DataFrame:
    """The rows of a text; comments and blank lines before the header are left out, with a note.

    Raises DataError with its line for a quote never closed, too many fields, a column twice.
    """
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
    plain = _plain(body, delimiter, skipped, name)
    if plain is not None:
        return plain
    header, rows, lines = _records(body, delimiter, skipped, name)
    _restored(rows, name, findings)
    rows, lines = _rectangular(header, rows, lines, name, findings)
    return pd.DataFrame(rows, columns=header, index=lines, dtype="str")


def _without_preamble(text: str) -> tuple[int, str]:
    preamble = PREAMBLE.match(text)
    end = preamble.end() if preamble else 0
    return text.count("\n", 0, end), text[end:]


def _delimiter(header: str, needed: Sequence[str]) -> str:
    def found(delimiter: str) -> tuple[int, int]:
        cells = {visible(cell).strip(BLANKS + '"').lower() for cell in header.split(delimiter)}
        return len(cells & set(needed)), len(cells)

    return max(DELIMITERS, key=found)


def _plain(text: str, delimiter: str, before: int, name: str) -> pd.DataFrame | None:
    """The rows of a plain text, read by Arrow: as many fields in each line as in the header, no
    quotes, no blank line. None for any other text, which `_records` reads."""
    head, _, rest = text.partition("\n")
    if not rest or any(mark in text for mark in ('"', "\r", "\n\n", f"{delimiter}'", "\n'")):
        return None
    header = _header(head.split(delimiter), 1 + before, name)
    data = rest.encode()
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(data),
            read_options=pyarrow.csv.ReadOptions(column_names=header, block_size=BLOCK),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.large_string()), null_values=[]
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    if len(table) != rest.removesuffix("\n").count("\n") + 1:
        return None
    lines = pd.Index(np.arange(len(table)) + before + 2)
    columns = {column: ids.texts(table[column]).array for column in header}
    return pd.DataFrame(columns, index=lines, copy=False)


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
    missing = sum(max(0, width - len(cells)) for cells in rows)
    if missing > MOST_MISSING:
        found = f"{missing:,} fields too few for {width:,} columns"
        raise DataError(name, found, f"at most {MOST_MISSING:,}", line=lines[0])
    for i, cells in enumerate(rows):
        if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
            rows[i] = cells[:width]
        elif len(cells) > width:
            found = f"{len(cells):,} fields"
            cure = "Put quotes around a cell that has the delimiter in it."
            raise DataError(name, found, f"{width} fields", line=lines[i], cure=cure)
        elif len(cells) < width:
            short.append(lines[i])
            rows[i] = cells + [""] * (width - len(cells))
    if short:
        found = f"too few fields in {counted(len(short), 'row')} (lines {listed(short)})"
        findings.warning(name, found, f"{width} fields; the missing ones are empty", short[0])
    return rows, lines
