"""The builder's pure rooms and the tiny drives on the path."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "data"
for folder in (HERE, DATA, DATA / "driving" / "build"):
    sys.path.insert(0, str(folder))

from driving.labelling.scenes import Place  # noqa: E402


@pytest.fixture
def town() -> Place:
    """A town with one junction, far from where the tiny drives are."""
    return Place("urban", frozenset({"n1"}), np.zeros((0, 2)))
