"""Vectors that come in pieces: a file that grows, and rows that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADER_BYTES = 128


class VectorFile:
    """A `.npy` file that grows by rows; nothing but ids is held."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shape = (0, 0)
        self.dtype: np.dtype[Any] = np.dtype(np.float32)
        self.ids: list[str] = []
        self.known: set[str] = set()
        self.has_ids = True
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
        self.ids += ids or ()
        self.known.update(ids or ())

    def close(self) -> None:
        """Write the header; numpy leaves room in it for a shape that has grown."""
        told = {"descr": self.dtype.str, "fortran_order": False, "shape": self.shape}
        with self.path.open("r+b") as file:
            np.lib.format.write_array_header_1_0(file, told)

    def open(self) -> NDArray[Any]:
        """Return the rows, which stay in the file."""
        return np.memmap(self.path, self.dtype, "r", HEADER_BYTES, self.shape)


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
