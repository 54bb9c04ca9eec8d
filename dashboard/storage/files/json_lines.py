"""JSON lines → frames of text: one row an object, indexed by its line."""

from __future__ import annotations

import json

import pandas as pd

from dashboard.storage.files.delimited import MOST_MISSING, WIDEST
from dashboard.tables import DataError

MOST_CELLS = 50_000_000


def read_json_lines(text: str, name: str) -> pd.DataFrame:
    """The objects in a text, one a line. Raises DataError naming the first line that is none."""
    rows, lines, columns, filled = [], [], dict[str, None](), 0
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            row = json.loads(content, parse_int=str, parse_float=str)
            if not isinstance(row, dict):
                found = f"a JSON {type(row).__name__}"
                raise DataError(name, found, "one object a line", line=line)
            rows.append({str(column): text_of_cell(value) for column, value in row.items()})
        except (json.JSONDecodeError, RecursionError) as error:
            several = isinstance(error, json.JSONDecodeError) and error.msg == "Extra data"
            found = "more behind its first object" if several else "a line that is not JSON"
            raise DataError(name, found, "one object a line", line=line) from error
        lines.append(line)
        columns.update(dict.fromkeys(rows[-1]))
        filled += len(rows[-1])
        if len(columns) > WIDEST:
            found = f"{len(columns):,} different keys so far"
            raise DataError(name, found, f"at most {WIDEST:,} columns", line=line)
        if len(columns) * len(rows) > MOST_CELLS:
            found = f"{len(columns):,} columns in {len(rows):,} rows so far"
            raise DataError(name, found, f"at most {MOST_CELLS:,} cells", line=line)
        if len(columns) * len(rows) - filled > MOST_MISSING:
            found = f"{len(columns):,} different keys in {len(rows):,} rows, most of them missing"
            raise DataError(name, found, f"at most {MOST_MISSING:,} missing values", line=line)
    return pd.DataFrame(rows, index=lines, dtype="str").fillna("")


def text_of_cell(value: object) -> str:
    """A value as the text of a cell: nothing for a missing one, a list with semicolons."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(map(str, value))
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    return value if isinstance(value, str) else json.dumps(value, default=str)
