"""JSON lines and Parquet → frames of text: one row an object, indexed by its line or row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.storage.files.contents import LARGEST, check_file
from dashboard.tables import DataError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MOST_CELLS = 50_000_000


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
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    return value if isinstance(value, str) else json.dumps(value, default=str)


def read_parquet(path: Path, name: str) -> pd.DataFrame:
    """The cells of a Parquet file as texts.

    Raises DataError for more than MOST_CELLS cells, or 2 GiB of text, before they are unfolded: a
    few bytes can stand for billions.
    """
    check_file(path, name)
    table = parquet_table(path, name, MOST_CELLS)
    try:
        size = sum(_unfolded(chunk) for column in table.columns for chunk in column.chunks)
        if size > LARGEST:
            raise DataError(name, f"{size:,} bytes once unfolded", f"at most {LARGEST:,} bytes")
        columns = {
            column: [_cell(value) for value in values.to_pylist()]
            for column, values in zip(table.column_names, table.columns, strict=True)
        }
    except (ArithmeticError, NotImplementedError, ValueError) as error:
        raise DataError(
            name, f"cells that are no text ({error})"[:200], "texts or numbers"
        ) from error
    frame = pd.DataFrame(columns)
    return frame.set_axis(range(1, len(frame) + 1)).astype("str")


def parquet_table(path: Path, name: str, most: int) -> pa.Table:
    """The table in a Parquet file, its texts still folded. Raises DataError for a damaged file and
    for more than `most` values, those in lists counted."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            values = _values(file)
            if values > most:
                raise DataError(name, f"{values:,} cells", f"at most {most:,} cells")
            texts = [each.path for each in file.schema if each.physical_type == "BYTE_ARRAY"]
        table = pq.read_table(path, read_dictionary=texts, use_threads=False)
        # a damaged file may point at texts that are not there
        table.validate(full=True)
        return table
    except (pa.ArrowException, OSError, MemoryError, ValueError, LookupError) as error:
        raise DataError(name, "a damaged Parquet file", "a complete Parquet file") from error


def _values(file: pq.ParquetFile) -> int:
    """How many values the columns of a file hold."""
    metadata = file.metadata
    cells = metadata.num_rows * metadata.num_columns
    if all(column.max_repetition_level == 0 for column in file.schema):
        return int(cells)
    # of lists only the parts of the file know it; unless it was read through once before, Arrow
    # ends the process over a damaged part instead of raising an error
    file.scan_contents()
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    values = (group.column(n).num_values for group in groups for n in range(group.num_columns))
    return int(max(cells, sum(values)))


def _unfolded(part: pa.Array) -> int:
    """How many bytes the texts of an array take once each cell has its own."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_struct(part.type):
        return sum(map(_unfolded, part.flatten()))
    if pa.types.is_map(part.type):
        return _unfolded(part.keys) + _unfolded(part.items)
    if pa.types.is_nested(part.type):
        return _unfolded(part.flatten())
    if pa.types.is_dictionary(part.type):
        return pc.sum(_lengths(part.dictionary).take(part.indices)).as_py() or 0
    return int(part.nbytes)


def _lengths(values: pa.Array) -> pa.Array:
    """How many bytes each of some texts has; of anything else, eight."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, types = values.type, pa.types
    if types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind):
        return pc.cast(pc.binary_length(values), pa.int64())
    return pa.array([8] * len(values), pa.int64())
