"""Parquet files: the same tables as from CSV, and no few bytes that stand for billions."""

from __future__ import annotations

import tracemalloc
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dashboard.storage.files import parquet
from dashboard.storage.files.parquet import read_parquet
from dashboard.storage.runs.runs import read_run
from dashboard.storage.vectors import vectors
from dashboard.storage.vectors.vectors import read_matrix
from dashboard.tables import DataError


def refused(path: Path, match: str) -> None:
    """Reading a small file ends with one sentence, and without the memory that it asks for."""
    assert path.stat().st_size < 1_000_000
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    with pytest.raises(DataError, match=match):
        read_parquet(path, path.name)
    taken = tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() - before
    tracemalloc.stop()
    assert taken < 50_000_000


def test_one_long_text_that_stands_in_every_cell_is_refused(tmp_path: Path) -> None:
    folded = pa.DictionaryArray.from_arrays(pa.array([0] * 30_000, pa.int32()), ["x" * 100_000])
    pq.write_table(
        pa.table({"item_id": folded.cast(pa.dictionary(pa.int32(), pa.string()))}),
        tmp_path / "a.parquet",
    )
    refused(tmp_path / "a.parquet", "3,000,000,000 bytes once unfolded")


def test_more_cells_than_anybody_has_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    monkeypatch.setattr(parquet, "MOST_CELLS", 1_000)
    pq.write_table(pa.table({"a": pa.nulls(501), "b": pa.nulls(501)}), path)
    refused(path, "1,002 cells")
    pq.write_table(pa.table({"a": [[0] * 1_001]}), path)
    refused(path, "1,001 cells")
    pq.write_table(pa.table({"a": ["x"] * 500, "b": ["y"] * 500}), path)
    assert read_parquet(path, "a").shape == (500, 2)


def test_lists_of_more_numbers_than_vectors_may_have_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.parquet"
    pq.write_table(pa.table({"v": [[0.5] * 200] * 10}), path)
    assert read_matrix(path).shape == (10, 200)
    monkeypatch.setattr(vectors, "LARGEST", 8 * 1_999)
    with pytest.raises(DataError, match="2,000 cells"):
        read_matrix(path)


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float32()), pa.list_(pa.float64(), 2), pa.large_list(pa.int8())]
)
def test_lists_of_every_kind_are_vectors(kind: pa.DataType, tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    pq.write_table(pa.table({"v": pa.array([[1, 2], [3, 4], [5, 6]], kind)}), path)
    assert read_matrix(path).tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[1.0, 2.0], None], r"0 numbers in row 1 \(b\)"),
        ([[1.0, 2.0], [1.0, None]], r"1 numbers in row 1 \(b\)"),
        ([[], []], r"0 numbers in row 0 \(a\)"),
        ([["x", "y"], ["z", "u"]], "lists of something else"),
    ],
)
def test_what_is_no_vector_is_named(rows: list, said: str, tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    pq.write_table(pa.table({"id": ["a", "b"], "v": rows}), path)
    with pytest.raises(DataError, match=said):
        read_matrix(path)


def test_texts_are_the_same_folded_or_not(tmp_path: Path) -> None:
    cells = {"query_id": ["q", "q", "q"], "item_id": ["007", "NA", "é"], "score": [0.5, 0.25, 0.1]}
    for number, table in enumerate(
        (
            pa.table(cells),
            pa.table(cells | {"item_id": pa.array(cells["item_id"]).dictionary_encode()}),
        )
    ):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(table, path, use_dictionary=number == 1)
        assert read_run(path)["item_id"].tolist() == ["007", "NA", "é"]
    assert np.allclose(read_run(path)["score"], [0.5, 0.25, 0.1])


def test_one_long_text_in_lists_is_refused_too(tmp_path: Path) -> None:
    rows = pa.array([["x" * 100_000] * 10] * 3, pa.list_(pa.string()))
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"words": pa.chunked_array([rows] * 1_000)}), path)
    refused(path, "3,000,000,000 bytes once unfolded")


def test_cells_of_every_type_are_texts(tmp_path: Path) -> None:
    cells = {
        "number": pa.array([7]),
        "folded": pa.array([7]).dictionary_encode(),
        "bytes": pa.array([b"item"]),
        "day": pa.array([date(2024, 5, 1)]),
        "price": pa.array([Decimal("1.50")]),
        "words": pa.array([["a", "b"]]),
        "of": pa.array([{"a": "b"}]),
        "none": pa.nulls(1),
    }
    pq.write_table(pa.table(cells), tmp_path / "a.parquet")
    found = read_parquet(tmp_path / "a.parquet", "a").iloc[0].tolist()
    assert found == ["7", "7", "item", '"2024-05-01"', '"1.50"', "a; b", '{"a": "b"}', ""]


def test_a_file_damaged_anywhere_is_read_or_refused_in_a_sentence(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    cells = {"query_id": ["q"] * 60, "item_id": [f"d{n % 50}" for n in range(60)]}
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(cells), path)
    whole, refusals = path.read_bytes(), 0
    for _ in range(40):
        spoilt = bytearray(whole)
        for place in random.integers(0, len(whole) // 2, 3):
            spoilt[place] = random.integers(0, 256)
        path.write_bytes(spoilt)
        try:
            assert len(read_parquet(path, path.name)) == 60
        except DataError:
            refusals += 1
    assert refusals > 5
