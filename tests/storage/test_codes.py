"""Hash codes in files: what is accepted, what is refused, and what is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.storage.vectors.vectors import read_vectors
from dashboard.tables import DataError, Findings

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


def test_other_vectors_of_int8_are_those_that_they_stand_for(tmp_path: Path) -> None:
    quantised = np.array([[127, -3, 40], [-1, 0, 90]], dtype="int8")
    findings = Findings()
    found = read(tmp_path, quantised, findings)
    assert not found.codes
    floats = read(tmp_path, quantised.astype("float32") / 127)
    assert np.allclose(found.matrix, floats.matrix, atol=1e-7)
    assert "int8 beyond" in str(findings.rows) and "unpackbits" in str(findings.rows)


def test_packed_bits_are_told_how_to_unpack(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="unpackbits"):
        read(tmp_path, np.array([[200, 17, 3], [255, 0, 9]], dtype="uint8"))


def test_a_model_is_of_codes_where_items_and_queries_are(tiny: Path) -> None:
    folder = tiny / "models" / "v0.2"
    shapes = {stem: np.load(folder / f"{stem}.npy").shape for stem in ("items", "queries")}
    for stem, shape in shapes.items():
        np.save(folder / f"{stem}.npy", np.ones(shape, dtype="int8"))
    model = open_collection(tiny, allow_path=True).models["v0.2"]
    assert (model.codes, model.dimension) == (True, shapes["items"][1])
    outputs = np.linspace(-1, 1, np.prod(shapes["queries"]), dtype="float32")
    np.save(folder / "queries.npy", outputs.reshape(shapes["queries"]))
    broken = open_collection(tiny, allow_path=True).broken["v0.2"]
    assert "vectors of floats" in str(broken)


TANH = np.array([[0.9, -0.2, 0.0], [-0.1, -0.8, 0.3], [0.4, 0.5, -0.6], [0.2, -0.7, 0.1]])
"""Outputs of the tiny collection's four items; a 0 is among them."""


def of_outputs(tiny: Path, items: np.ndarray, protocols: str = '["hashing"]') -> Collection:
    """The tiny collection with outputs of one version's items; its queries' are those of three."""
    settings = (tiny / "collection.toml").read_text().replace('["alfa"]', protocols)
    (tiny / "collection.toml").write_text(settings)
    (tiny / "models" / "v0.2" / "model.toml").write_text('encoder = "none"\n')
    np.save(tiny / "models" / "v0.2" / "items.npy", items)
    np.save(tiny / "models" / "v0.2" / "queries.npy", items[:3])
    return open_collection(tiny, allow_path=True)


def said(collection: Collection, version: str = "v0.2") -> str:
    of = collection.findings[collection.findings["file"].str.startswith(f"models/{version}/")]
    return " ".join(of["level"] + " " + of["found"] + " " + of["wanted"])


def test_under_hashing_the_signs_of_real_valued_outputs_count_and_it_is_said(tiny: Path) -> None:
    opened = of_outputs(tiny, TANH, '["hashing", "alfa"]')
    model, signs = opened.models["v0.2"], opened.under("hashing").models["v0.2"]
    assert (model.codes, signs.codes) == (False, True)
    wanted = np.where(TANH >= 0, 1, -1)  # of 0 the positive one, as in faiss
    assert (np.sign(signs.items.matrix) == wanted).all()
    assert (np.sign(signs.queries.matrix) == wanted[:3]).all()
    assert "warning real-valued vectors of 3 numbers" in said(opened)
    assert "their signs count, 0 as +1 (1 of 12 are 0)" in said(opened)
    assert opened.by_signs("hashing") == opened.under("hashing").by_signs("hashing")
    assert opened.by_signs("hashing") == ("v0.1", "v0.2")
    assert opened.under("alfa") is opened, "other protocols see the vectors as they are"
    assert opened.by_signs("alfa") == ()


@pytest.mark.parametrize("values", [(1.0, -1.0), (0.5, -0.5), (1.0, 0.0)])
def test_floats_of_two_values_are_the_codes_that_they_look_like(
    tiny: Path, values: tuple[float, float]
) -> None:
    signs = np.where(TANH >= 0, 1, -1)
    opened = of_outputs(tiny, np.where(signs > 0, *values))
    model = opened.under("hashing").models["v0.2"]
    assert model.codes
    assert (np.sign(model.items.matrix) == signs).all()
    assert (np.sign(model.queries.matrix) == signs[:3]).all()
    words = "each 0 counts as -1" if 0.0 in values else "floats of -1 and 1"
    assert words in said(opened)


def test_floats_of_two_values_are_codes_only_where_items_and_queries_are(tiny: Path) -> None:
    of_outputs(tiny, TANH, '["alfa"]')
    np.save(tiny / "models" / "v0.2" / "queries.npy", np.array([[1.0, -1, 1]] * 3))
    opened = open_collection(tiny, allow_path=True)
    assert not opened.broken
    assert not opened.models["v0.2"].codes


@pytest.mark.parametrize("protocols", ['["hashing"]', '["hashing", "alfa"]'])
def test_outputs_of_one_sign_are_refused_under_hashing(tiny: Path, protocols: str) -> None:
    opened = of_outputs(tiny, 1 / (1 + np.exp(-TANH)), protocols)
    hashing = opened.under("hashing")
    assert "v0.2" not in hashing.models
    assert "none of which is below 0" in str(hashing.broken["v0.2"])
    assert "minus 0.5" in str(hashing.broken["v0.2"])
    assert "error real-valued outputs" in said(opened)
    assert ("v0.2" in opened.models) == ("alfa" in protocols)
