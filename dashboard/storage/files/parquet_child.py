"""Reads a Parquet file in a process of its own, which `parquet` starts: what a hostile file does to
memory and time, or to Arrow, it does here.

The answer is the table as an Arrow stream, or a refusal with what was found and what was wanted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dashboard.storage.sandbox import child
from dashboard.storage.sandbox.child import Refused, Values, limit_memory

REFUSED = "too much"
"""The kind of a refusal that says in JSON what was found and what was wanted."""


class TooMuch(Exception):
    """A file that holds too much; args: what was found, and what was wanted."""


def read_table(path: str, columns: int, cells: int, size: int) -> pa.Table:
    """The table in a file, its texts as dictionaries where the file has them so.

    Raises TooMuch for more columns, more cells (those in lists counted) or more bytes than these.
    """
    if _is_arrow(path):
        return _of_arrow(path, columns, cells, size)
    with pq.ParquetFile(path) as file:
        metadata = file.metadata
        if metadata.num_columns > columns:
            raise TooMuch(f"{metadata.num_columns:,} columns", f"at most {columns:,} columns")
        groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
        _check_bytes(sum(group.total_byte_size for group in groups), size, "unpacked")
        _check_cells(metadata.num_rows * metadata.num_columns, cells)
        texts = [each.path for each in file.schema if each.physical_type == "BYTE_ARRAY"]
    table = pq.read_table(path, read_dictionary=texts, use_threads=False, pre_buffer=False)
    table.validate(full=True)  # a damaged file may point at texts that are not there
    chunks = [chunk for column in table.columns for chunk in column.chunks]
    _check_cells(sum(map(_values, chunks)), cells)
    _check_bytes(sum(map(_unfolded, chunks)), size, "unfolded")
    return table.unify_dictionaries()


def _is_arrow(path: str) -> bool:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read(6) == b"ARROW1"


def _of_arrow(path: str, columns: int, cells: int, size: int) -> pa.Table:
    """The table in a file of Arrow's own (Feather), under the same limits."""
    with pa.ipc.open_file(path) as file:
        if len(file.schema) > columns:
            raise TooMuch(f"{len(file.schema):,} columns", f"at most {columns:,} columns")
        batches, values, taken = [], 0, 0
        for number in range(file.num_record_batches):
            batch = file.get_batch(number)
            batch.validate(full=True)
            values += sum(map(_values, batch.columns))
            taken += sum(map(_unfolded, batch.columns))
            _check_cells(values, cells)
            _check_bytes(taken, size, "unfolded")
            batches.append(batch)
        return pa.Table.from_batches(batches, file.schema)


def _check_bytes(found: int, most: int, how: str) -> None:
    if found > most:
        raise TooMuch(f"{found:,} bytes once {how}", f"at most {most:,} bytes")


def _check_cells(found: int, most: int) -> None:
    if found > most:
        raise TooMuch(f"{found:,} cells", f"at most {most:,} cells in a file of its size")


def _values(part: pa.Array) -> int:
    """How many values an array holds, those in lists counted."""
    kind = part.type
    if pa.types.is_map(kind):
        return _values(part.keys) + _values(part.items)
    if pa.types.is_struct(kind):
        return max(len(part), sum(map(_values, part.flatten())))
    return max(len(part), _values(part.flatten())) if pa.types.is_nested(kind) else len(part)


def _unfolded(part: pa.Array) -> int:
    """How many bytes the texts of an array take once each cell has its own."""
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
    kind, types = values.type, pa.types
    if types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind):
        return pc.cast(pc.binary_length(values), pa.int64())
    return pa.array([8] * len(values), pa.int64())


def answer(values: Values, content: bytes, begun: Callable[[], None]) -> tuple[Values, bytes]:
    """The table at `path`, read within `limits`, as an Arrow stream."""
    del content, begun
    limits: dict[str, Any] = values["limits"]
    limit_memory(3 * limits["size"])  # as it is read, unfolded for a moment, and as a stream
    try:
        table = read_table(values["path"], **limits)
        stream = pa.BufferOutputStream()
        with pa.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
    except TooMuch as reason:
        raise Refused(REFUSED, json.dumps(reason.args)) from reason
    except MemoryError as error:
        found = "more bytes once unfolded than a file of its size may have"
        wanted = f"at most {limits['size']:,} bytes"
        raise Refused(REFUSED, json.dumps([found, wanted])) from error
    except Exception as error:  # whatever Arrow says of a damaged file
        raise Refused("damaged", error) from error
    return {}, memoryview(stream.getvalue())  # type: ignore[return-value]


if __name__ == "__main__":
    child.main(answer)
