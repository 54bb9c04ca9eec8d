"""JSON lines and Parquet → frames of text: one row an object, indexed by its line or row."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from dashboard.storage.files.contents import read_bytes
from dashboard.tables import DataError


def read_json_lines(text: str, name: str) -> pd.DataFrame:
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


def read_parquet(path: Path, name: str) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    read_bytes(path, name)
    try:
        columns = pq.read_table(path).to_pydict()
    except (pa.ArrowException, OSError, MemoryError) as error:
        raise DataError(name, "a damaged Parquet file", "a complete Parquet file") from error
    frame = pd.DataFrame({column: [_cell(v) for v in values] for column, values in columns.items()})
    return frame.set_axis(range(1, len(frame) + 1)).astype("str")
