"""JSON lines and Parquet → frames of text: one row an object, indexed by its line or row."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.storage.files.contents import LARGEST, check_file
from dashboard.storage.files.delimited import MOST_MISSING, WIDEST
from dashboard.tables import DataError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MOST_CELLS = 50_000_000
FEW_CELLS = 1_000_000  # that every file may have
CELLS_A_BYTE = 20  # that a larger one may have: codes have eight
SMALL = 50_000_000  # bytes that every file may unfold to
SWELLING = 100  # times that a larger one may grow


def read_json_lines(text: str, name: str) -> pd.DataFrame:
    rows, lines, columns, filled = [], [], dict[str, None](), 0
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            row = json.loads(content, parse_int=str, parse_float=str)
            if not isinstance(row, dict):
                found = f"a JSON {type(row).__name__}"
                raise DataError(name, found, "one object a line", line=line)
            rows.append({str(column): _cell(value) for column, value in row.items()})
        except (json.JSONDecodeError, RecursionError) as error:
            raise DataError(
                name, "a line that is not JSON", "one object a line", line=line
            ) from error
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
        most = _most_bytes(path)
        if size > most:
            raise DataError(name, f"{size:,} bytes once unfolded", f"at most {most:,} bytes")
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
            _check_said(file, path, name, most)
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


def _most_bytes(path: Path) -> int:
    """How many bytes a file may unfold to."""
    return min(LARGEST, max(SMALL, SWELLING * path.stat().st_size))


def _check_said(file: pq.ParquetFile, path: Path, name: str, most: int) -> None:
    """Raises DataError where the file itself says that it holds too much, or more than so few bytes
    can well stand for."""
    metadata, size = file.metadata, path.stat().st_size
    if metadata.num_columns > WIDEST:
        raise DataError(name, f"{metadata.num_columns:,} columns", f"at most {WIDEST:,} columns")
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    unpacked, largest = sum(group.total_byte_size for group in groups), max(SMALL, SWELLING * size)
    if unpacked > largest:
        raise DataError(name, f"{unpacked:,} bytes once unpacked", f"at most {largest:,} bytes")
    cells = metadata.num_rows * metadata.num_columns
    most = min(most, max(FEW_CELLS, CELLS_A_BYTE * size))
    if cells <= most and any(column.max_repetition_level for column in file.schema):
        cells = max(cells, _said_values(path))
    if cells > most:
        raise DataError(name, f"{cells:,} cells", f"at most {most:,} cells in a file so small")


_COUNT_VALUES = """
import sys, pyarrow.parquet as parquet
metadata = parquet.ParquetFile(sys.argv[1]).metadata
groups = map(metadata.row_group, range(metadata.num_row_groups))
print(sum(group.column(n).num_values for group in groups for n in range(group.num_columns)))
"""


def _said_values(path: Path) -> int:
    """How many values a file with lists says that it holds. Asked by a process of its own: Arrow
    ends the process that asks it of a damaged file."""
    command = [sys.executable, "-P", "-c", _COUNT_VALUES, str(path.resolve())]
    try:
        asked = subprocess.run(command, capture_output=True, timeout=60, check=True)
        return int(asked.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        raise OSError("the parts of the file cannot be read") from error


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
