"""Hash codes: arrays of -1 and 1, or of 0 and 1, that are read as such and as nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dashboard.storage.findings import Findings
from dashboard.tables import DataError

WANTED = "codes of -1 and 1, or of 0 and 1, throughout"


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
