"""TREC's lines in the form in which nearly all files have them, read a few megabytes at a time.

One blank between fields, UTF-8, one line end, no header, no comment. Whatever looks otherwise is
left to trec.py, which knows every form and says what is wrong.
"""

from __future__ import annotations

import codecs
import io
import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from dashboard import ids
from dashboard.storage.files.contents import GZIP, UTF16

PIECE = 1 << 21
WORKERS = min(2, os.cpu_count() or 1)
ODDITIES = (b"\0", b"\t", b"\r")
COMMENT = b"#"
GRADE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+|nan|inf|infinity)", re.ASCII | re.IGNORECASE)
"""How a grade is written: trec_eval reads whole numbers, so that 1e1 would be 1 there."""
MARKS = (codecs.BOM_UTF8, *UTF16, GZIP)


class Irregular(Exception):
    """Lines that do not have one blank between all of the fields."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of TREC lines, those with few different texts as a name and how often in a row.

    queries, tags: the text of each stretch of rows, equal ones may follow each other;
    lengths: how many rows each stretch of `queries` has; items, their keys, values: one a row;
    distinct: whether no two items of one stretch share a key.
    """

    queries: pa.ChunkedArray
    lengths: npt.NDArray[np.int64]
    items: pa.ChunkedArray
    keys: ids.Keys
    values: npt.NDArray[np.float64]
    tags: pa.ChunkedArray
    distinct: bool


class _Whole:
    """The columns of all pieces in arrays of numpy's own, each piece copied behind the one before.

    numpy asks for large pages of memory, one for 512 small ones of Arrow's; and what a piece took
    is free for the next one.
    """

    def __init__(self, size: int) -> None:
        self._unread = size
        self._rows = self._bytes = 0
        self._ends, self._held = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint8)
        self._keys, self._values = np.empty(0, dtype=np.uint64), np.empty(0)
        self._queries: list[pa.ChunkedArray] = []
        self._lengths: list[npt.NDArray[np.int64]] = []
        self._tags: list[pa.ChunkedArray] = []
        self._distinct = True

    def add(self, part: Columns, size: int) -> None:
        """Take over the columns of the next piece, of so many bytes of the file."""
        share = max(1.0, self._unread / size)
        self._unread -= size
        self._queries.append(part.queries)
        self._lengths.append(part.lengths)
        self._tags.append(part.tags)
        self._distinct &= part.distinct
        here = slice(self._rows, self._rows + len(part.values))
        self._values = _room(self._values, here, share)
        self._values[here] = part.values
        self._keys = _room(self._keys, here, share)
        self._keys[here] = part.keys
        self._add_items(part.items, share)

    def _add_items(self, items: pa.ChunkedArray, share: float) -> None:
        for chunk in items.chunks:
            ends, held = ids.laid_out(chunk)
            place = slice(self._rows + 1, self._rows + len(ends))
            self._ends = _room(self._ends, place, share)
            np.add(ends[1:], self._bytes - ends[0], out=self._ends[place])
            there = slice(self._bytes, int(self._ends[place.stop - 1]))
            self._held = _room(self._held, there, share)
            self._held[there] = held[ends[0] : ends[-1]]
            self._rows, self._bytes = place.stop - 1, there.stop

    def columns(self) -> Columns:
        """All of them. Raises Irregular where there was no piece."""
        if not self._queries:
            raise Irregular
        keys = self._keys[: self._rows]
        return Columns(
            _chunks(self._queries),
            np.concatenate(self._lengths),
            ids.column(self._ends[: self._rows + 1], self._held, keys),
            keys,
            self._values[: self._rows],
            _chunks(self._tags),
            self._distinct,
        )


def _room(array: npt.NDArray[Any], place: slice, share: float) -> npt.NDArray[Any]:
    """The array, or a larger one with its values, that has the place: room for `share` times as
    many as go there now, if the rest of the file is like this piece."""
    if place.stop <= len(array):
        return array
    needed = place.start + int((place.stop - place.start) * share * 1.02)
    larger = np.empty(max(needed, 3 * len(array) // 2), dtype=array.dtype)
    larger[: place.start] = array[: place.start]
    return larger


def read_columns(file: io.BufferedIOBase, fields: Sequence[str], value: str) -> Columns:
    """The columns of a file, parsed on two cores. Raises Irregular."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    whole = _Whole(size)
    waiting: deque[Future[tuple[Columns, int]]] = deque()
    # the same few megabytes are filled again and again: fresh ones cost more than the reading
    free: SimpleQueue[bytearray] = SimpleQueue()
    for _ in range(WORKERS + 1):
        free.put(bytearray(min(PIECE, size + 1)))

    def parse_and_free(room: bytearray, size: int) -> tuple[Columns, int]:
        try:
            return parse(room, size, fields, value), size
        finally:
            free.put(room)

    for room, filled in _pieces(file, free):
        waiting.append(_workers().submit(parse_and_free, room, filled))
        while waiting and waiting[0].done():
            whole.add(*waiting.popleft().result())
    for each in waiting:
        whole.add(*each.result())
    return whole.columns()


@cache
def _workers() -> ThreadPoolExecutor:
    """Threads that stay: what Arrow keeps of a thread's memory is lost with the thread."""
    return ThreadPoolExecutor(WORKERS, thread_name_prefix="pieces")


def read_plain(path: Path, fields: Sequence[str], value: str) -> Columns:
    """The columns of a file on disk that has the plain form. Raises Irregular or OSError."""
    with path.open("rb") as file:
        if file.read(3).startswith(MARKS):
            raise Irregular
        file.seek(0)
        columns = read_columns(file, fields, value)
    if _has_comment(columns.queries):
        raise Irregular
    return columns


def _chunks(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks])


def _pieces(
    file: io.BufferedIOBase, free: SimpleQueue[bytearray]
) -> Iterator[tuple[bytearray, int]]:
    """Whole lines in a room that was free, and how many of its bytes they are."""
    rest = b""
    while True:
        room = free.get()
        if len(rest) >= len(room):
            room.extend(bytes(len(rest) + PIECE - len(room)))
        room[: len(rest)] = rest
        with memoryview(room) as view:
            got = file.readinto(view[len(rest) :])
        size = len(rest) + got
        end = room.rfind(b"\n", 0, size) + 1 if got else size
        rest = bytes(room[end:size])
        if end:
            yield room, end
        else:
            free.put(room)
        if not got:
            return


def parse(data: bytearray, size: int, fields: Sequence[str], value: str) -> Columns:
    """The columns query, item, value and tag (if there is one) of the whole lines in the first
    `size` bytes; or Irregular."""
    table = _table(data, size, fields, value)
    begins = ids.stretches(table["query"])
    queries = table["query"].take(begins)
    if _has_empty(queries) or _has_empty(table["item"]):
        raise Irregular
    tags = pa.chunked_array([[]], pa.string())
    if "tag" in fields:
        tags = table["tag"].take(ids.stretches(table["tag"]))
    lengths, keys = np.diff(np.append(begins, len(table))), ids.keys(table["item"])
    stretch = np.repeat(np.arange(len(lengths)), lengths)
    return Columns(
        queries=queries,
        lengths=lengths,
        items=table["item"],
        keys=keys,
        values=_numbers(table[value]),
        tags=tags,
        distinct=not ids.repeated(ids.pairs(stretch, keys, len(lengths))),
    )


def _table(data: bytearray, size: int, fields: Sequence[str], value: str) -> pa.Table:
    if any(data.find(oddity, 0, size) >= 0 for oddity in ODDITIES):
        raise Irregular
    # grades are few different texts, each of which is looked at once
    number = pa.float64() if value == "score" else pa.dictionary(pa.int32(), pa.string())
    wanted = {"query": pa.string(), "item": pa.string(), value: number}
    if "tag" in fields:
        wanted["tag"] = pa.string()
    try:
        return pyarrow.csv.read_csv(
            pa.BufferReader(pa.py_buffer(data).slice(0, size)),
            read_options=pyarrow.csv.ReadOptions(
                column_names=list(fields), block_size=size, use_threads=False
            ),
            parse_options=pyarrow.csv.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=list(wanted),
                column_types=wanted,
                null_values=[],
                check_utf8=not _ascii(data, size),
            ),
        )
    except pa.ArrowInvalid as error:
        raise Irregular from error


def _ascii(data: bytearray, size: int) -> bool:
    """Whether no byte is above 127, and so nothing is left to check of UTF-8."""
    return size > 0 and bool(np.frombuffer(data, dtype=np.uint8, count=size).max() < 128)


def _numbers(column: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """The values of a column of scores, or of grades. Raises Irregular for a text that is none."""
    if not pa.types.is_dictionary(column.type):
        return np.asarray(column.to_numpy())
    found = column.combine_chunks()
    texts = found.dictionary.to_pylist()
    if not all(map(GRADE.fullmatch, texts)):
        raise Irregular
    values = np.array([float(text) for text in texts])
    return np.asarray(values[found.indices.to_numpy()])


def _has_comment(queries: pa.ChunkedArray) -> bool:
    """Whether a line begins with the sign of a comment, of which there is something to say."""
    return bool(pc.any(pc.starts_with(queries, COMMENT.decode())).as_py())


def _has_empty(column: pa.ChunkedArray) -> bool:
    return bool(pc.min(pc.binary_length(column)).as_py() == 0)
