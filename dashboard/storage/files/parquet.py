"""Parquet files → frames of text. A few bytes can stand for billions and the file itself may lie
about it, so another process reads it, with limits on memory and time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dashboard import ids
from dashboard.storage.files import parquet_child
from dashboard.storage.files.contents import LARGEST, check_file
from dashboard.storage.files.delimited import WIDEST
from dashboard.storage.files.json_lines import MOST_CELLS, text_of_cell
from dashboard.storage.sandbox.pool import Pool, ProcessEnded, Refusal
from dashboard.tables import DataError

if TYPE_CHECKING:
    import pyarrow as pa

FEW_CELLS = 1_000_000  # that every file may have
CELLS_A_BYTE = 20  # that a larger one may have: codes have eight
SMALL = 40_000_000  # bytes that every file may unfold to
SWELLING = 100  # times that a larger one may grow
PATIENCE = 60.0  # seconds, and one more for each MB
STREAM = 2  # times that a table may take in Arrow's own form, with what is not text
_DAMAGED = "a damaged Parquet file", "a complete Parquet file"
# only of the system's memory each byte that is taken counts
_PROCESSES = Pool(parquet_child.__name__, 1, {"ARROW_DEFAULT_MEMORY_POOL": "system"})


def read_parquet(path: Path, name: str) -> pd.DataFrame:
    """The cells of a Parquet file as texts, indexed by row. Raises DataError as `parquet_table`."""
    table = parquet_table(path, name, MOST_CELLS)
    try:
        columns = {
            column: cell_texts(values)
            for column, values in zip(table.column_names, table.columns, strict=True)
        }
    except (ArithmeticError, NotImplementedError, ValueError) as error:
        raise DataError(
            name, f"cells that are no text ({error})"[:200], "texts or numbers"
        ) from error
    return pd.DataFrame(columns, index=range(1, len(table) + 1), dtype="str")


def cell_texts(column: pa.ChunkedArray) -> Any:
    """The cells of a column as texts; a missing one is empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind):
        return ids.texts(pc.fill_null(pc.cast(column, pa.large_string()), "")).array
    return [text_of_cell(value) for value in column.to_pylist()]


def parquet_table(path: Path, name: str, most: int) -> pa.Table:
    """The table in a Parquet file, its texts still dictionary-encoded.

    Raises DataError for a damaged file, for more than `most` values, those in lists counted, and
    for more than a file of its size may hold.
    """
    import pyarrow as pa

    check_file(path, name)
    size = path.stat().st_size
    limits = {
        "columns": WIDEST,
        "cells": min(most, max(FEW_CELLS, CELLS_A_BYTE * size)),
        "size": min(LARGEST, max(SMALL, SWELLING * size)),
    }
    seconds = PATIENCE + size / 1_000_000
    try:
        request = {"path": str(path.resolve()), "limits": limits}
        _, stream = _PROCESSES.ask(request, seconds=seconds, most=STREAM * limits["size"])
        table = pa.ipc.open_stream(pa.py_buffer(stream)).read_all()
        table.validate(full=True)
        return table
    except Refusal as reason:
        if reason.kind == parquet_child.REFUSED:
            raise DataError(name, *_found_and_wanted(reason)) from reason
        raise DataError(name, *_DAMAGED) from reason
    except (ProcessEnded, pa.ArrowException, OSError, ValueError) as error:
        raise DataError(name, *_DAMAGED) from error


def _found_and_wanted(reason: Refusal) -> tuple[str, str]:
    found, wanted = json.loads(reason.why)
    return str(found)[:200], str(wanted)[:200]
