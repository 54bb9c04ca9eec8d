"""Vectors that come in pieces: a file that grows, and rows that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.plugins.importers.pieces import Unsure

HEADER_BYTES = 128
MIN_BITS = 8
"""Columns of 0 and 1 that are a code."""


class VectorFile:
    """A `.npy` file that grows by rows; nothing but ids is held.

    Attributes:
        is_code: Whether its numbers are those of codes: -1, 0 and 1, or packed bits.
        is_binary: Whether all are 0 or 1, in so many columns that they are a code.
        is_packed: Whether a byte holds eight bits of a code.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shape = (0, 0)
        self.dtype: np.dtype[Any] = np.dtype(np.float32)
        self.ids: list[str] = []
        self.known: set[str] = set()
        self.has_ids = True
        self.is_code = True
        self.is_binary = True
        self.is_packed = False
        self.files: dict[str, None] = {}

    def append(self, rows: NDArray[Any], ids: Sequence[str] | None) -> None:
        """Add rows of the same width; they take the type of the first ones."""
        if not self.path.exists():
            self.dtype = rows.dtype.newbyteorder("=")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(bytes(HEADER_BYTES))
        with self.path.open("ab") as file:
            file.write(np.ascontiguousarray(rows, self.dtype).data)
        self.shape = (self.shape[0] + len(rows), rows.shape[1])
        self.has_ids = self.has_ids and ids is not None
        few = rows[:64]
        self.is_code = self.is_packed or (self.is_code and bool(np.isin(few, (-1, 0, 1)).all()))
        self.is_binary = (
            self.is_binary and rows.shape[1] >= MIN_BITS and bool(((rows == 0) | (rows == 1)).all())
        )
        self.ids += ids or ()
        self.known.update(ids or ())

    def close(self) -> None:
        """Write the header: its length is fixed, so that rows could be written before it."""
        told = f"{{'descr': '{self.dtype.str}', 'fortran_order': False, 'shape': {self.shape}, }}"
        length = HEADER_BYTES - 10
        head = b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little")
        with self.path.open("r+b") as file:
            file.write(head + told.encode().ljust(length - 1) + b"\n")

    def read(self) -> Iterator[NDArray[Any]]:
        """Yield the rows in blocks."""
        rows = np.memmap(self.path, self.dtype, "r", HEADER_BYTES, self.shape)
        for first in range(0, len(rows), 1 << 14):
            yield np.asarray(rows[first : first + (1 << 14)])

    def read_codes(self, rows: NDArray[Any], file: str, codes: str) -> NDArray[Any]:
        """Return rows of bytes as the caller says; refuse those that may be packed bits or not.

        Args:
            rows: Rows of a piece.
            file: File that they are from.
            codes: "packed", "none", or "" for nothing that the caller says.

        Raises:
            Unsure: If they are bytes, and nothing is said.
        """
        if rows.dtype.itemsize > 1 or rows.dtype.kind not in "iub" or rows.ndim != 2:
            self.is_binary = self.is_binary and codes != "none"
            return rows
        if codes == "none":
            self.is_binary = False
            return rows.astype(np.float32)
        if rows.dtype.kind != "b" and not np.isin(rows, (-1, 0, 1)).all():
            if not codes:
                bits = 8 * rows.shape[1]
                found = f"bytes, which may be codes of {bits} bits, eight in a byte"
                lines = ["--codes packed", "--codes none  # vectors of whole numbers"]
                raise Unsure(file, found, "a statement of what they are", lines)
            self.is_packed = True
        return rows.view(np.uint8) if rows.dtype.kind == "b" else rows


def find_fault(
    own: VectorFile, rows: NDArray[Any], ids: Sequence[str] | None
) -> tuple[str, str] | None:
    """Return why some rows cannot be those of a version, and what was expected."""
    if rows.ndim != 2 or not rows.shape[1]:
        return f"the shape {rows.shape}", "(rows, dimension); left out"
    if rows.dtype.kind not in "fiu":
        return f"numbers of type {rows.dtype}", "float32; left out"
    if own.shape[0] and own.shape[1] != rows.shape[1]:
        return f"vectors of {rows.shape[1]} dimensions", f"{own.shape[1]}, as before; left out"
    if own.shape[0] and own.has_ids != (ids is not None):
        return "vectors with ids and without for one version", "ids; left out"
    if ids is not None and len(ids) != len(rows):
        return f"{len(rows):,} vectors and {len(ids):,} ids", "one id for each vector; left out"
    return None


def find_bad_rows(
    rows: NDArray[Any], ids: Sequence[str] | None, known: set[str]
) -> dict[str, list[int]]:
    """Return the places of rows that cannot be used, by what is wrong with them."""
    bad: dict[str, list[int]] = {}
    if rows.dtype.kind == "f":
        with np.errstate(invalid="ignore", over="ignore"):
            lengths = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        bad["are not finite"] = np.flatnonzero(~np.isfinite(lengths)).tolist()
        bad["are all zeros"] = np.flatnonzero(lengths == 0).tolist()
    if ids is not None and (len(set(ids)) < len(ids) or not known.isdisjoint(ids) or "" in ids):
        seen = {*known, ""}
        again = [at for at, name in enumerate(ids) if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
        bad["come again or have no id"] = again
    return {what: places for what, places in bad.items() if places}
