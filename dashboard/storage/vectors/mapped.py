"""Large arrays that are looked at where they lie on disk, without being read whole."""

from __future__ import annotations

import math
import os
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from dashboard.tables import DataError

WANTED = "a complete array of numbers in .npy format"
HEADER_ERRORS = (TokenError, MemoryError, RecursionError)  # of a header that is no Python
UNMAPPED = (ValueError, OSError, TypeError, SyntaxError, EOFError, KeyError, OverflowError)
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


Layout = tuple[int, tuple[int, ...], np.dtype[Any], str]


def mapped(file: BinaryIO, name: str) -> npt.NDArray[Any]:
    """The array in an open `.npy` file, mapped; the file may be closed afterwards. Nothing is ever
    unpickled.

    Replace such a file by another; never write into it: that would change, or end, the array of a
    reader who has it mapped. Raises DataError for anything else, such as a file shorter than its
    header says.
    """
    place, shape, kind, order = laid_out(file, name)
    try:
        array: npt.NDArray[Any] = np.memmap(file, kind, "r", place, shape, order)  # type: ignore[call-overload]
        return array
    except UNMAPPED as error:
        raise DataError(name, f"a file that cannot be mapped ({error})", WANTED) from error


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
    except (*UNMAPPED, *HEADER_ERRORS) as error:
        raise DataError(name, f"a file that cannot be mapped ({error})", WANTED) from error


def _check_size(shape: tuple[int, ...], wanted: int, file: BinaryIO) -> None:
    """Raises ValueError where the file is shorter than its header says. Python's integers are used
    because numpy's own product overflows."""
    size = os.fstat(file.fileno()).st_size
    if min(shape, default=0) < 0 or wanted > size:
        raise ValueError(f"a header of the shape {shape} before {size:,} bytes in all")
