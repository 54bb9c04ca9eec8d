"""Ten items at angles in a plane."""

from pathlib import Path

import numpy as np
import pytest

from tests.plugins.worlds import write_world

ANGLES = {f"a{n}": float(n) for n in range(5)} | {f"b{n}": 86.0 + n for n in range(5)}


def point(angle: float) -> list[float]:
    return [float(np.cos(np.radians(angle - 45))), float(np.sin(np.radians(angle - 45)))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    items = "".join(f"{name}\n" for name in ANGLES)
    return write_world(
        tmp_path / "plane",
        "",
        f"item_id\n{items}",
        "query_id,text,item_id\nq1,between,\nq2,low,\nq3,,a0\n",
        {name: [3 * each for each in point(angle)] for name, angle in ANGLES.items()},
        {"q1": point(44.2), "q2": point(1.2)},
        "q1 0 b0 1\nq2 0 a1 1\nq3 0 a1 1\n",
    )
