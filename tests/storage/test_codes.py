"""Hash codes in files: what is accepted, what is refused, and what is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.collection import open_collection
from dashboard.storage.files.vectors import read_vectors
from dashboard.storage.findings import Findings
from dashboard.tables import DataError

SIGNS = np.array([[1, -1, 1], [-1, -1, 1]])


def read(folder: Path, array: np.ndarray, findings: Findings | None = None):
    np.save(folder / "codes.npy", array)
    return read_vectors(folder / "codes.npy", ["a", "b"], findings=findings)


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (SIGNS.astype("int8"), 0),
        ((SIGNS > 0).astype("int8"), 1),
        ((SIGNS > 0).astype("uint8"), 1),
        (SIGNS > 0, 1),
    ],
)
def test_codes_are_signs_or_bits(tmp_path: Path, array: np.ndarray, said: int) -> None:
    findings = Findings()
    found = read(tmp_path, array, findings)
    assert found.codes
    assert (np.sign(found.matrix) == SIGNS).all()
    assert np.allclose(np.linalg.norm(found.matrix, axis=1), 1)
    assert found.packed.tolist() == [[0b10100000], [0b00100000]]
    assert len(findings.rows) == said
    assert found.rows(["b"]).codes


@pytest.mark.parametrize(
    ("value", "dtype", "sentence"),
    [
        (0, "int8", r"the value 0 in row 1 \(b\) beside -1"),
        (2, "int8", r"the value 2 in row 1 \(b\) beside -1"),
        (-2, "int8", r"the value -2 in row 1 \(b\)"),
        (255, "uint8", r"the value 255 in row 1 \(b\)"),
    ],
)
def test_other_values_are_refused_with_row_and_id(
    tmp_path: Path, value: int, dtype: str, sentence: str
) -> None:
    codes = SIGNS if dtype == "int8" else SIGNS > 0
    codes = codes.astype(dtype)
    codes[1, 2] = value
    with pytest.raises(DataError, match=sentence):
        read(tmp_path, codes)


def test_a_model_is_of_codes_where_items_and_queries_are(tiny: Path) -> None:
    folder = tiny / "models" / "v0.2"
    shapes = {stem: np.load(folder / f"{stem}.npy").shape for stem in ("items", "queries")}
    for stem, shape in shapes.items():
        np.save(folder / f"{stem}.npy", np.ones(shape, dtype="int8"))
    model = open_collection(tiny, allow_path=True).models["v0.2"]
    assert (model.codes, model.dimension) == (True, shapes["items"][1])
    np.save(folder / "queries.npy", np.ones(shapes["queries"], dtype="float32"))
    broken = open_collection(tiny, allow_path=True).broken["v0.2"]
    assert "vectors of floats" in str(broken)
