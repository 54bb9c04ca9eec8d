"""Vectors that come in pieces: a file that grows, without the rows that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.errors import list_names
from dashboard.plugins.importers.pieces import Vectors
from dashboard.plugins.importers.source import Source
from dashboard.storage.new_versions import BLOCK

HEADER_BYTES = 128


class VectorFile:
    """A `.npy` file that grows by rows; nothing but ids is held."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shape = (0, 0)
        self.dtype: np.dtype[Any] = np.dtype(np.float32)
        self.ids: dict[str, None] = {}
        self.files: dict[str, None] = {}

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def has_ids(self) -> bool:
        """Whether each row has an id."""
        return len(self.ids) == len(self)

    @property
    def file(self) -> str:
        """The files that the rows are from, for messages."""
        return list_names(self.files)

    def add(self, piece: Vectors, source: Source) -> None:
        """Add the rows of a piece; those that nothing can be computed from are said."""
        if why := self._find_fault(piece):
            source.say(piece.file, *why)
            return
        self.files[piece.file] = None
        for at in range(0, len(piece.rows), BLOCK):
            rows = np.asarray(piece.rows[at : at + BLOCK])
            rows = rows.view(np.uint8) if rows.dtype.kind == "b" else rows
            given = None if piece.ids is None else piece.ids[at : at + BLOCK]
            ids = None if given is None else [name.strip() for name in given]
            bad = self._find_bad_rows(rows, ids)
            for what, places in bad.items():
                names = [ids[place] if ids else str(at + place) for place in places]
                wanted = "a finite vector for each id; left out"
                source.count(piece.file, names, f"vectors that {what}", wanted)
            if bad and ids is None:
                wanted = "finite vectors, or a file of ids; all are left out"
                source.say(piece.file, "no ids", wanted)
                return
            if bad and ids:
                out = {place for places in bad.values() for place in places}
                kept = [place for place in range(len(rows)) if place not in out]
                rows, ids = rows[kept], [ids[place] for place in kept]
            self.append(rows, ids)

    def _find_fault(self, piece: Vectors) -> tuple[str, str] | None:
        """Return why some rows cannot be those of a version, and what was expected."""
        rows, ids = piece.rows, piece.ids
        if rows.ndim != 2 or not rows.shape[1] or rows.dtype.kind not in "fiub":
            found = f"numbers of the shape {rows.shape} and type {rows.dtype}"
            return found, "float32, (rows, dimension); left out"
        if len(self) and self.shape[1] != rows.shape[1]:
            found = f"vectors of {rows.shape[1]} dimensions"
            return found, f"{self.shape[1]}, as before; left out"
        if ids is not None and len(ids) != len(rows):
            found = f"{len(rows):,} vectors and {len(ids):,} ids"
            return found, "one id for each vector; left out"
        return None

    def _find_bad_rows(self, rows: NDArray[Any], ids: Sequence[str] | None) -> dict[str, list[int]]:
        """Return the places of rows that cannot be used, by what is wrong with them."""
        bad: dict[str, list[int]] = {}
        if rows.dtype.kind == "f":
            with np.errstate(invalid="ignore", over="ignore"):
                lengths = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
            bad["are not finite"] = np.flatnonzero(~np.isfinite(lengths)).tolist()
            bad["are all zeros"] = np.flatnonzero(lengths == 0).tolist()
        first: dict[str, int] = {}
        bad["come again or have no id"] = [
            place
            for place, name in enumerate(ids or ())
            if not name or name in self.ids or first.setdefault(name, place) != place
        ]
        return {what: places for what, places in bad.items() if places}

    def append(self, rows: NDArray[Any], ids: Sequence[str] | None) -> None:
        """Add rows of the same width; they take the type of the first ones."""
        if not self.path.exists():
            self.dtype = rows.dtype.newbyteorder("=")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(bytes(HEADER_BYTES))
        with self.path.open("ab") as file:
            file.write(np.ascontiguousarray(rows, self.dtype).data)
        self.shape = (len(self) + len(rows), rows.shape[1])
        self.ids |= dict.fromkeys(ids or ())

    def close(self) -> None:
        """Write the header; numpy leaves room in it for a shape that has grown."""
        told = {"descr": self.dtype.str, "fortran_order": False, "shape": self.shape}
        with self.path.open("r+b") as file:
            np.lib.format.write_array_header_1_0(file, told)

    def open(self) -> NDArray[Any]:
        """Return the rows, which stay in the file."""
        return np.memmap(self.path, self.dtype, "r", HEADER_BYTES, self.shape)
