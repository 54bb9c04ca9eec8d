"""Computed results as files of the cache folder: tables and arrays in Arrow's form, the rest as
JSON, under a name that is made of all that the result depends on.

Nothing is unpickled. A file that cannot be read is thrown away.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from dashboard.storage.cache import disk_cache

FORM = "dashboard result 2\n"  # change it when results are written in another way
_LENGTH = 8
_PLAIN = (type(None), bool, int, float, str)
_GROUPS: dict[str, Any] = {"tuple": tuple, "frozenset": frozenset, "list": list}


class Unwritable(TypeError):
    """A result that has no exact form in a file."""


def load(depends_on: str) -> tuple[Any] | None:
    """The result of a computation, alone in a tuple; None where no file has it.

    depends_on: all that the result depends on, in words.
    """
    content = disk_cache.recall(_name(depends_on))
    if content is None:
        return None
    try:
        return (_unpacked(content),)
    except (ValueError, TypeError, KeyError, IndexError, pa.ArrowException):
        disk_cache.forget(_name(depends_on))
        return None


def save(depends_on: str, result: Any) -> bool:
    """Write a result; returns whether it is written. One without an exact form is not."""
    if not disk_cache.largest():
        return False
    try:
        content = _packed(result)
    except Unwritable:
        return False
    return disk_cache.keep(_name(depends_on), content)


def _name(depends_on: str) -> str:
    return f"{hashlib.sha256((FORM + depends_on).encode()).hexdigest()[:40]}.result"


def _packed(result: Any) -> bytes:
    parts: list[bytes] = []
    try:
        tree = _written(result, parts)
        head = json.dumps([tree, [len(part) for part in parts]], ensure_ascii=True).encode()
    except (TypeError, ValueError, pa.ArrowException) as problem:
        raise Unwritable(str(problem)) from problem
    return b"".join([len(head).to_bytes(_LENGTH, "little"), head, *parts])


def _unpacked(content: bytes) -> Any:
    body = pa.py_buffer(content)
    end = _LENGTH + int.from_bytes(body[:_LENGTH].to_pybytes(), "little")
    tree, sizes = json.loads(body[_LENGTH:end].to_pybytes())
    starts = np.cumsum([end, *sizes])
    parts = [body[int(a) : int(b)] for a, b in zip(starts, starts[1:], strict=False)]
    return _read(tree, parts)


def _written(value: Any, parts: list[bytes]) -> Any:
    """A value as JSON, in which tables and arrays are numbers of parts."""
    if type(value) in _PLAIN:
        return value
    for name, kind in _GROUPS.items():
        if type(value) is kind:
            return {name: [_written(each, parts) for each in value]}
    if type(value) is dict:
        return {"dict": [[_written(k, parts), _written(v, parts)] for k, v in value.items()]}
    if type(value) is pd.DataFrame:
        attrs = _written(dict(value.attrs), parts)
        parts.append(_of_table(value))
        return {"table": len(parts) - 1, "attrs": attrs}
    if type(value) is np.ndarray and value.dtype.kind in "biuf":
        table = pa.table({"values": np.ascontiguousarray(value).reshape(-1)})
        parts.append(_of_arrow(table))
        return {"array": len(parts) - 1, "shape": list(value.shape)}
    raise TypeError(f"{type(value).__name__} has no form in a file")


def _read(tree: Any, parts: list[pa.Buffer]) -> Any:
    if not isinstance(tree, dict):
        return tree
    if "table" in tree:
        table = _arrow(parts[tree["table"]]).to_pandas()
        table.attrs = _read(tree["attrs"], parts)
        return table
    if "array" in tree:
        values = _arrow(parts[tree["array"]])["values"].to_numpy()
        return values.reshape(tree["shape"])
    if "dict" in tree:
        return {_read(key, parts): _read(value, parts) for key, value in tree["dict"]}
    [(name, values)] = tree.items()
    return _GROUPS[name](_read(each, parts) for each in values)


def _of_table(frame: pd.DataFrame) -> bytes:
    bare = frame.copy(deep=False)
    bare.attrs = {}
    written = _of_arrow(pa.Table.from_pandas(bare))
    if not _is_same(bare, _arrow(pa.py_buffer(written)).to_pandas()):
        raise TypeError("a table that Arrow does not hold exactly")
    return written


def _is_same(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Whether two tables have the same cells in columns of the same kinds."""
    if (one.dtypes != other.dtypes).any() or not one.index.equals(other.index):
        return False
    if one.columns.tolist() != other.columns.tolist() or one.columns.dtype != other.columns.dtype:
        return False
    for column in one.columns:
        mine, its = one[column], other[column]
        if mine.dtype == object:  # None, nan and 1.0 are not told from each other by `equals`
            if list(map(repr, mine)) != list(map(repr, its)):
                return False
        elif isinstance(mine.dtype, pd.CategoricalDtype) and not mine.cat.categories.equals(
            its.cat.categories
        ):
            return False
    return one.equals(other)


def _of_arrow(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
        if not len(table):  # or the categories of an empty column would not be written
            empty = [column.combine_chunks() for column in table.columns]
            writer.write_batch(pa.RecordBatch.from_arrays(empty, schema=table.schema))
    return bytes(sink.getvalue())


def _arrow(part: pa.Buffer) -> pa.Table:
    with pa.ipc.open_stream(part) as stream:
        return stream.read_all()
