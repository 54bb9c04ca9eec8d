"""TREC's lines in the form in which nearly all files have them, read a few megabytes at a time.

One blank between fields, UTF-8, one line end, no header. Whatever looks otherwise is left to
trec.py, which knows every form and says what is wrong.
"""

from __future__ import annotations

import codecs
import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from dashboard import ids
from dashboard.storage.files.contents import GZIP, UTF16

PIECE = 1 << 21
ODDITIES = (b"\0", b"\t", b"\r")
MARKS = (codecs.BOM_UTF8, *UTF16, GZIP)


class Irregular(Exception):
    """Lines that do not have one blank between all of the fields."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of TREC lines, those with few different texts as a name and how often in a row.

    queries, tags: the text of each stretch of rows, equal ones may follow each other;
    lengths: how many rows each stretch of `queries` has; items, values: one for each row.
    """

    queries: pa.ChunkedArray
    lengths: npt.NDArray[np.int64]
    items: pa.ChunkedArray
    values: npt.NDArray[np.float64]
    tags: pa.ChunkedArray


def read_columns(file: BinaryIO, fields: Sequence[str], value: str) -> Columns:
    """The columns of a file, parsed on two cores. Raises Irregular."""
    workers = min(2, os.cpu_count() or 1)
    parsed: list[Columns] = []
    waiting: deque[Future[Columns]] = deque()
    # the same few megabytes are filled again and again: fresh ones cost more than the reading
    free: SimpleQueue[bytearray] = SimpleQueue()
    for _ in range(workers + 1):
        free.put(bytearray(PIECE))

    def parse_and_free(room: bytearray, size: int) -> Columns:
        try:
            return parse(room, size, fields, value)
        finally:
            free.put(room)

    with ThreadPoolExecutor(workers) as pool:
        for room, size in _pieces(file, free):
            waiting.append(pool.submit(parse_and_free, room, size))
            while waiting and waiting[0].done():
                parsed.append(waiting.popleft().result())
        parsed += [each.result() for each in waiting]
    if not parsed:
        raise Irregular
    return joined(parsed)


def read_plain(path: Path, fields: Sequence[str], value: str) -> Columns:
    """The columns of a file on disk that has the plain form. Raises Irregular or OSError."""
    with path.open("rb") as file:
        if file.read(3).startswith(MARKS):
            raise Irregular
        file.seek(0)
        return read_columns(file, fields, value)


def joined(parts: Sequence[Columns]) -> Columns:
    """Columns that follow each other as one."""
    return Columns(
        _chunks([part.queries for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        pa.chunked_array([_chunks([part.items for part in parts]).combine_chunks()]),
        np.concatenate([part.values for part in parts]),
        _chunks([part.tags for part in parts]),
    )


def _chunks(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks])


def _pieces(file: BinaryIO, free: SimpleQueue[bytearray]) -> Iterator[tuple[bytearray, int]]:
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
    if any(data.find(oddity, 0, size) >= 0 for oddity in ODDITIES):
        raise Irregular
    text = pa.string()
    wanted = {"query": text, "item": pa.large_string(), value: pa.float64()}
    if "tag" in fields:
        wanted["tag"] = text
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(pa.py_buffer(data).slice(0, size)),
            read_options=pyarrow.csv.ReadOptions(
                column_names=list(fields), block_size=size, use_threads=False
            ),
            parse_options=pyarrow.csv.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=list(wanted), column_types=wanted, null_values=[]
            ),
        )
    except pa.ArrowInvalid as error:
        raise Irregular from error
    if any(pc.any(pc.equal(table[column], "")).as_py() for column in ("query", "item")):
        raise Irregular
    begins = ids.stretches(table["query"])
    tags = pa.chunked_array([[]], text)
    if "tag" in fields:
        tags = table["tag"].take(ids.stretches(table["tag"]))
    return Columns(
        queries=table["query"].take(begins),
        lengths=np.diff(np.append(begins, len(table))),
        items=table["item"],
        values=table[value].to_numpy(),
        tags=tags,
    )
