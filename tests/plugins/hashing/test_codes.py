"""Codes as files hold them: packed bits, mixed kinds, and versions without vectors."""

from pathlib import Path

import numpy as np
import pytest

from dashboard.errors import DataError
from dashboard.storage.collection import Collection, open_collection
from tests.plugins.hashing.test_hashing import ITEMS, QRELS, QUERIES, SETTINGS, VECTORS, write
from tests.plugins.worlds import measure_values, write_world

METRICS = "AP(retrieved) nDCG(exp)@3"
BITS = np.array([[code > 0 for code in codes] for codes in VECTORS.values()])


def write_packed(
    folder: Path, items: np.ndarray, queries: np.ndarray, described: str = ""
) -> Collection:
    """Write a collection whose arrays are some bytes; return it."""
    made = write(folder, QRELS)
    np.save(made / "models" / "v1" / "items.npy", items)
    np.save(made / "models" / "v1" / "queries.npy", queries)
    (made / "models" / "v1" / "model.toml").write_text(described)
    return open_collection(made)


@pytest.mark.parametrize("kind", ["ubinary", "binary"])
def test_packed_bits_are_codes(tmp_path: Path, kind: str) -> None:
    """Both precisions of sentence-transformers: uint8, and int8 with 128 subtracted."""
    items, queries = np.packbits(BITS, axis=1), np.packbits(np.ones((1, 4), bool), axis=1)
    if kind == "binary":
        items, queries = ((e.astype(int) - 128).astype(np.int8) for e in (items, queries))
    opened = write_packed(tmp_path / "w", items, queries, "bits = 4\n")
    stored = opened.versions["v1"].items
    assert stored is not None and stored.dimension == 4
    assert measure_values(tmp_path / "w", METRICS) == measure_values(
        write(tmp_path / "v", QRELS), METRICS
    )
    assert any("codes of 4 bits" in each.found for each in opened.findings)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_unstated_bytes_are_refused_under_every_protocol(tmp_path: Path, kind: type) -> None:
    items = np.packbits(BITS, axis=1).view(kind)
    opened = write_packed(tmp_path / "w", items, items[:1])
    assert "which may be packed bits" in str(opened.broken["v1"])
    assert "write bits = 8 into model.toml" in str(opened.broken["v1"])
    assert not opened.versions
    for protocol in ("hashing", "trec"):
        with pytest.raises(DataError, match="packed bits"):
            measure_values(tmp_path / "w", "P@1", protocol=protocol)


def test_vectors_of_bytes_that_are_said_to_be_some(tmp_path: Path) -> None:
    numbers = np.array([[90, 3, 1, 1], [9, 3, 1, -9]] * 3, np.int8)[:5]
    opened = write_packed(tmp_path / "w", numbers, numbers[:1], "dimension = 4\n")
    assert not opened.broken and opened.versions


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ("bits = 64\n", "bits = 64; expected packed codes of 8 bytes"),
        ("bits = 3\n", "bits beyond the first 3"),
        ('bits = "4"\n', "bits = '4'"),
    ],
)
def test_wrong_numbers_of_bits(tmp_path: Path, described: str, said: str) -> None:
    items = np.packbits(BITS, axis=1)
    assert said in str(write_packed(tmp_path / "w", items, items[:1], described).broken["v1"])


@pytest.mark.parametrize("asked", [[1, -1, 1, 1], [0.5, 0.2, -0.1, 0.3], [0.5, 0.2, 0.1, 0.3]])
def test_mixed_kinds_are_refused(tmp_path: Path, asked: list[float]) -> None:
    codes = {name: [int(bit > 0) for bit in code] for name, code in VECTORS.items()}
    folder = write_world(tmp_path / "w", SETTINGS, ITEMS, QUERIES, codes, {"q1": asked}, QRELS)
    with pytest.raises(DataError, match="models/v1: found items stored as 0 and 1, queries as num"):
        measure_values(folder, "P@1")
    # outputs of a sigmoid: their signs would make all codes equal
    outputs = {name: [(bit + 1.5) / 3 for bit in code] for name, code in VECTORS.items()}
    with pytest.raises(DataError, match=r"numbers not below 0.*Subtract 0\.5"):
        measure_values(write(tmp_path / "v", QRELS, outputs), "P@1")


def test_a_file_of_results_has_no_codes(tmp_path: Path) -> None:
    """Its order counts: a c b e d has hits at 1, 2 and 4; it has no distance."""
    folder = write(tmp_path / "w", QRELS)
    (folder / "runs").mkdir()
    lines = [f"q1 Q0 {item} {rank} {9 - rank} x" for rank, item in enumerate("acbed", start=1)]
    (folder / "runs" / "v1.trec").write_text("\n".join(lines) + "\n")
    for path in (folder / "models" / "v1").iterdir():
        path.unlink()
    (folder / "models" / "v1").rmdir()
    values = measure_values(folder, "AP(retrieved) P(H<=2)")
    assert values == {"AP(retrieved)": [round((1 + 1 + 3 / 4) / 3, 9)], "P(H<=2)": [None]}


def test_precision_within_radius_2(tmp_path: Path) -> None:
    """To q1 a b c d are within 2, of which a and c are relevant; q2 (e's code) has e alone."""
    queries = "query_id,image\nq1,x.png\nq2,y.png\nq3,z.png\nq4,w.png\n"
    asked = {
        "q1": [1, 1, 1, 1, 1], "q2": [-1, -1, -1, -1, -1], "q3": [1, -1, -1, -1, 1],
        "q4": [1, 1, 1, 1, 1],
    }  # fmt: skip
    items = {name: [*code, 1] for name, code in VECTORS.items()}
    qrels = QRELS + "q2 0 e 2\nq3 0 a 2\nq4 0 b 0\n"
    folder = write_world(tmp_path / "w", SETTINGS, ITEMS, queries, items, asked, qrels)
    # distances of q3: a 3, b 2, c 2, d 1, e 1; a, its relevant one, is outside
    assert measure_values(folder, "P(H<=2) P@1") == {
        "P(H<=2)": [0.5, 1.0, 0.0, None],
        "P@1": [1.0, 1.0, 0.0, None],
    }
    near = measure_values(folder, "P(H<=2)", min_similarity="0.5")
    assert near == {"P(H<=2)": [round(2 / 3, 9), 1.0, 0.0, None]}  # distances 0 and 1


def test_nothing_within_radius_2_counts_0(tmp_path: Path) -> None:
    far = {name: [-1, -1, -1, bit] for name, bit in zip("abcde", (1, -1, 1, -1, 1), strict=True)}
    assert measure_values(write(tmp_path / "w", QRELS, far), "P(H<=2)") == {"P(H<=2)": [0.0]}
    with pytest.raises(ValueError, match="as the protocol hashing judges them"):
        measure_values(write(tmp_path / "trec", QRELS), "P(H<=2)", protocol="trec")
