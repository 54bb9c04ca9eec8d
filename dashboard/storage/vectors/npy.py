"""Arrays in `.npy` files: where their numbers lie, so that they can be read a block at a time."""

from __future__ import annotations

import math
import os
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np

from dashboard.storage.vectors.rows import FileColumns, FileRows, Numbers
from dashboard.tables import DataError

WANTED = "a complete array of numbers in .npy format"
HEADER_ERRORS = (TokenError, MemoryError, RecursionError)  # of a header that is no Python
UNREAD = (ValueError, OSError, TypeError, SyntaxError, EOFError, KeyError, OverflowError)
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


Layout = tuple[int, tuple[int, ...], np.dtype[Any], str]


def table_in(file: BinaryIO, name: str) -> FileRows | FileColumns | Numbers:
    """The array in an open `.npy` file, to be read when it is indexed; the file may be closed
    afterwards. Of an array that is no table there are the shape and the type, and zeros.

    Nothing is ever unpickled. Raises DataError for anything else, such as a file shorter than its
    header says, and later where the file has been written into since it was opened.
    """
    start, shape, kind, order = laid_out(file, name)
    if len(shape) != 2:
        return np.broadcast_to(np.zeros((), dtype=kind), shape)
    if order == "C":
        return FileRows.of(file, name, start, (shape[0], shape[1]), kind)
    return FileRows.of(file, name, start, (shape[1], shape[0]), kind).T


def laid_out(file: BinaryIO, name: str) -> Layout:
    """Where the numbers of an open `.npy` file begin, their shape, their type, and their order: C
    or F. Raises DataError as above."""
    file.seek(0)
    if file.read(6) != np.lib.format.MAGIC_PREFIX:
        raise DataError(name, "no array", "an array in .npy format")
    file.seek(0)
    try:
        shape, by_column, kind = HEADERS[np.lib.format.read_magic(file)](file)
        if kind.hasobject:
            raise DataError(name, "pickled objects", f"{WANTED}; nothing is unpickled")
        _check_size(shape, file.tell() + math.prod(shape) * kind.itemsize, file)
        return file.tell(), shape, kind, "F" if by_column else "C"
    except (*UNREAD, *HEADER_ERRORS) as error:
        raise DataError(name, f"no complete array ({error})", WANTED) from error


def _check_size(shape: tuple[int, ...], wanted: int, file: BinaryIO) -> None:
    """Raises ValueError where the file is shorter than its header says. Python's integers are used
    because numpy's own product overflows."""
    size = os.fstat(file.fileno()).st_size
    if any(type(n) is not int or n < 0 for n in shape) or wanted > size:
        raise ValueError(f"a header of the shape {shape} before {size:,} bytes in all")
