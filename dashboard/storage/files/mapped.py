"""Large arrays that are looked at where they lie on disk, without being read whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.tables import DataError


def mapped_array(path: Path, name: str = "") -> npt.NDArray[Any]:
    """The array in a `.npy` file, mapped; nothing is ever unpickled.

    Raises DataError for anything else, such as a file shorter than its header says.
    """
    name = name or path.name
    if not path.is_file():
        raise DataError(name, "no such file", "a .npy file with one vector a row")
    with path.open("rb") as file:
        if file.read(6) != np.lib.format.MAGIC_PREFIX:
            raise DataError(name, "no array", "an array in .npy format")
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except (ValueError, OSError, TypeError, SyntaxError, EOFError) as error:
        wanted = "a complete array of numbers in .npy format"
        raise DataError(name, f"a file that cannot be mapped ({error})", wanted) from error
