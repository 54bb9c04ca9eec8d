"""Where the build keeps what it makes, and what several steps read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from drawings.sources import Drawing, read_drawings


@dataclass(frozen=True)
class Build:
    """What the command was called with, and the folders of the work."""

    work: Path
    to: Path
    seed: int

    def __post_init__(self) -> None:
        self.pictures.mkdir(parents=True, exist_ok=True)

    @property
    def packages(self) -> Path:
        """Where the npm packages are."""
        return self.work / "packages"

    @property
    def pictures(self) -> Path:
        """Where every drawing is as a picture, `HEXCODE.webp`."""
        return self.work / "pictures"

    @cached_property
    def drawings(self) -> list[Drawing]:
        """All drawings that some collection may use, in OpenMoji's order."""
        return read_drawings(self.packages)

    def looks(self) -> dict[str, np.ndarray]:
        """What the picture encoder sees in each drawing: unit vectors of 2,560 numbers."""
        with np.load(self.work / "looks.npz") as stored:
            return dict(zip(stored["ids"].tolist(), stored["vectors"], strict=True))
