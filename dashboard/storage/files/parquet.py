"""Parquet files → frames of text. A few bytes can stand for billions and the file itself may lie
about it, so another process reads it, with limits on memory and time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dashboard import ids
from dashboard.storage.files import parquet_child
from dashboard.storage.files.contents import LARGEST, check_file
from dashboard.storage.files.delimited import WIDEST
from dashboard.storage.files.json_lines import MOST_CELLS, text_of_cell
from dashboard.tables import DataError

if TYPE_CHECKING:
    import pyarrow as pa

FEW_CELLS = 1_000_000  # that every file may have
CELLS_A_BYTE = 20  # that a larger one may have: codes have eight
SMALL = 40_000_000  # bytes that every file may unfold to
SWELLING = 100  # times that a larger one may grow
PATIENCE = 60.0  # seconds, and one more for each MB


def read_parquet(path: Path, name: str) -> pd.DataFrame:
    """The cells of a Parquet file as texts, indexed by row. Raises DataError as `parquet_table`."""
    table = parquet_table(path, name, MOST_CELLS)
    try:
        columns = {
            column: _texts(values)
            for column, values in zip(table.column_names, table.columns, strict=True)
        }
    except (ArithmeticError, NotImplementedError, ValueError) as error:
        raise DataError(
            name, f"cells that are no text ({error})"[:200], "texts or numbers"
        ) from error
    return pd.DataFrame(columns, index=range(1, len(table) + 1), dtype="str")


def _texts(column: pa.ChunkedArray) -> Any:
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
    try:
        return _read_elsewhere(path.resolve(), limits, PATIENCE + size / 1_000_000)
    except _Refusal as reason:
        raise DataError(name, *reason.args) from reason
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(name, "a damaged Parquet file", "a complete Parquet file") from error


class _Refusal(Exception):
    """The reason for which the child process refused a file: what it found and what was wanted."""


def _read_elsewhere(path: Path, limits: dict[str, int], seconds: float) -> pa.Table:
    import pyarrow as pa

    command = [sys.executable, "-P", parquet_child.__file__, str(path), json.dumps(limits)]
    # a limit of memory counts reliably only with the system's allocator
    settings = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=settings,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        late = threading.Timer(seconds, process.kill)
        late.start()
        try:
            table = pa.ipc.open_stream(process.stdout).read_all()
        except pa.ArrowInvalid:
            said = process.stderr.read()
            if process.wait() == parquet_child.REFUSED:
                raise _Refusal(*json.loads(said)) from None
            raise
        finally:
            late.cancel()
            process.kill()
    table.validate(full=True)
    return table
