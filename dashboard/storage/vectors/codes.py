"""Hash codes: arrays of -1 and 1, or of 0 and 1, and the signs of real-valued outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from dashboard.tables import DataError, Findings

WANTED = "codes of -1 and 1, or of 0 and 1, throughout"
BLOCK = 1 << 14


def are_codes(matrix: npt.NDArray[np.generic]) -> bool:
    """Whether an array is stored as codes are: as bytes or as true and false."""
    return matrix.dtype.kind in "iub"


def unit_codes(
    matrix: npt.NDArray[np.generic], ids: Sequence[str], name: str, findings: Findings
) -> npt.NDArray[np.float32]:
    """Codes as rows of length 1: ±1 ÷ √bits; 0 of a file of 0 and 1 is read as -1, with a note.

    Raises DataError naming the row and id of a value that is neither, such as a 0 beside a -1.
    """
    values = matrix.astype(np.int16)
    low = -1 if (values == -1).any() else 0
    wrong = np.argwhere((values != 1) & (values != low))
    if len(wrong):
        row, place = map(int, wrong[0])
        found = f"the value {values[row, place]} in row {row} ({ids[row]})"
        raise DataError(name, found + (" beside -1" if low else ""), WANTED)
    if low == 0 and (values == 0).any():
        findings.note(name, "values of 0 and 1", "-1 and 1; each 0 was read as -1")
    signs = np.where(values == 1, np.float32(1), np.float32(-1))
    return np.asarray(signs / np.sqrt(matrix.shape[1], dtype=np.float32), dtype=np.float32)


def of_one_size(rows: npt.NDArray[np.float32]) -> bool:
    """Whether in every row all numbers have the same size and none is 0: codes of -1 and 1, also
    scaled to length 1."""
    return len(rows) > 0 and all(_of_one_size(part) for part in _parts(rows[:1], rows))


def zeros_and_ones(rows: npt.NDArray[np.float32]) -> bool:
    """Whether in every row each number is 0 or one positive value: codes of 0 and 1 as floats."""
    return all(
        bool(((part == 0) | (part == part.max(axis=1, keepdims=True))).all() and part.min() >= 0)
        for part in _parts(rows[:1], rows)
    )


def _of_one_size(part: npt.NDArray[np.float32]) -> bool:
    sizes = np.abs(part)
    return bool((sizes > 0).all() and (sizes == sizes[:, :1]).all())


def _parts(*arrays: npt.NDArray[np.float32]) -> Iterator[npt.NDArray[np.float32]]:
    """The rows of arrays, a block at a time."""
    for array in arrays:
        for start in range(0, len(array), BLOCK):
            yield array[start : start + BLOCK]


def sign_codes(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The signs of real-valued outputs as codes, rows of length 1: ±1 ÷ √bits.

    A number from 0 up is +1, as in faiss and most of the literature; in codes of 0 and 1 the 0 is
    -1.
    """
    size = np.float32(1 / np.sqrt(rows.shape[1]))
    return np.where(rows > 0 if zeros_and_ones(rows) else rows >= 0, size, -size)


def check_signs(rows: npt.NDArray[np.float32], name: str) -> None:
    """Raise DataError where the signs of all outputs of a gallery are the same, as behind a
    sigmoid: all its codes would be equal."""
    negative, positive = bool((rows < 0).any()), bool((rows > 0).any())
    if negative != positive and not zeros_and_ones(rows):
        found = f"real-valued outputs, none of which is {'above' if negative else 'below'} 0"
        wanted = "hash codes, or outputs on both sides of 0, whose signs are the codes"
        cure = "Of a sigmoid's outputs, store those minus 0.5." if positive else ""
        raise DataError(name, found, wanted, cure=cure)


def signs_in_words(rows: npt.NDArray[np.float32]) -> str:
    """How `sign_codes` reads real-valued outputs, and how many of them are 0."""
    if zeros_and_ones(rows):
        return "each 0 counts as -1"
    zeros = rows.size - np.count_nonzero(rows)
    many = f" ({zeros:,} of {rows.size:,} are 0)" if zeros else ""
    return f"their signs count, 0 as +1{many}"
