"""Hash codes: arrays of -1 and 1, or of 0 and 1, and the signs of real-valued outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.storage.vectors.rows import Rows, blocks
from dashboard.tables import DataError, Findings

PACKED = "Unpack packed bits first: np.unpackbits(codes, axis=1).astype('int8')."
WANTED = "codes of -1 and 1, or of 0 and 1, throughout"


def are_codes(rows: Rows) -> bool:
    """Whether an array is stored as codes are: as bytes or as true and false."""
    return rows.dtype.kind in "iub" and not are_quantised(rows)


def are_quantised(rows: Rows) -> bool:
    """Whether an array of int8 holds vectors in numbers of one byte: most of the first ones are
    neither -1 nor 0 nor 1. Their cosine is that of what they stand for, whatever the scale was."""
    if rows.dtype != np.int8 or not len(rows):
        return False
    _, first = next(blocks(rows))
    return float((np.abs(_wide(first)) > 1).mean()) > 0.5


def check_codes(rows: Rows, ids: Sequence[str], name: str, findings: Findings) -> None:
    """Add a note where codes are 0 and 1: 0 is read as -1.

    Raises DataError naming the row and id of a value that is neither, such as a 0 beside a -1.
    """
    low = -1 if any((_wide(block) == -1).any() for _, block in blocks(rows)) else 0
    zeros = False
    for start, block in blocks(rows):
        values = _wide(block)
        wrong = np.argwhere((values != 1) & (values != low))
        if len(wrong):
            row, place = map(int, wrong[0])
            found = f"the value {values[row, place]} in row {start + row} ({ids[start + row]})"
            cure = PACKED if rows.dtype == np.uint8 else ""
            raise DataError(name, found + (" beside -1" if low else ""), WANTED, cure=cure)
        zeros |= low == 0 and bool((values == 0).any())
    if zeros:
        findings.note(name, "values of 0 and 1", "-1 and 1; each 0 was read as -1")


def _wide(block: npt.NDArray[np.generic]) -> npt.NDArray[np.int16]:
    return block.astype(np.int16)


def of_one_size(rows: Rows) -> bool:
    """Whether in every row all numbers have the same size and none is 0: codes of -1 and 1, also
    scaled to length 1."""
    return len(rows) > 0 and all(_of_one_size(part) for part in _parts(rows))


def zeros_and_ones(rows: Rows) -> bool:
    """Whether in every row each number is 0 or one positive value: codes of 0 and 1 as floats."""
    return all(
        bool(((part == 0) | (part == part.max(axis=1, keepdims=True))).all() and part.min() >= 0)
        for part in _parts(rows)
    )


def _of_one_size(part: npt.NDArray[Any]) -> bool:
    sizes = np.abs(part)
    return bool((sizes > 0).all() and (sizes == sizes[:, :1]).all())


def _parts(rows: Rows) -> Iterator[npt.NDArray[Any]]:
    """The first row, which mostly tells already, and all rows, a block at a time."""
    yield from (part for part in (rows[:1],) if len(part))
    yield from (block for _, block in blocks(rows))


def zero_is_positive(rows: Rows) -> bool:
    """Whether the sign of a 0 among real-valued outputs is +1, as in faiss and most of the
    literature; in codes of 0 and 1 the 0 is -1."""
    return not zeros_and_ones(rows)


def check_signs(rows: Rows, name: str) -> None:
    """Raise DataError where the signs of all outputs of a gallery are the same, as behind a
    sigmoid: all its codes would be equal."""
    negative = positive = False
    for part in _parts(rows):
        negative, positive = negative or bool((part < 0).any()), positive or bool((part > 0).any())
        if negative and positive:
            return
    if negative != positive and not zeros_and_ones(rows):
        found = f"real-valued outputs, none of which is {'above' if negative else 'below'} 0"
        wanted = "hash codes, or outputs on both sides of 0, whose signs are the codes"
        cure = "Of a sigmoid's outputs, store those minus 0.5." if positive else ""
        raise DataError(name, found, wanted, cure=cure)


def signs_in_words(rows: Rows) -> str:
    """How the signs of real-valued outputs are read, and how many of them are 0."""
    if zeros_and_ones(rows):
        return "each 0 counts as -1"
    size = len(rows) * rows.shape[1]
    zeros = size - sum(np.count_nonzero(block) for _, block in blocks(rows))
    many = f" ({zeros:,} of {size:,} are 0)" if zeros else ""
    return f"their signs count, 0 as +1{many}"
