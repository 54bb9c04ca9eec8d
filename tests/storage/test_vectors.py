"""Vectors of a model version: used, repaired with a note, or the version is left out and says
why."""

from __future__ import annotations

import io
import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.storage.collection.collection import open_collection
from dashboard.storage.vectors.vectors import read_ids, read_matrix, read_vectors
from dashboard.tables import DataError, Findings

FILE = "models/v0.1/items.npy"
Change = Callable[[Path, np.ndarray], object]


class Payload:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch PWNED",)


def save(change: Callable[[np.ndarray], np.ndarray]) -> Change:
    return lambda path, x: np.save(path, change(x))


def set_cell(value: float, column: int | slice = 2) -> Change:
    def change(x: np.ndarray) -> np.ndarray:
        x[3, column] = value
        return x

    return save(change)


def header(shape: tuple[int, ...], padding: int = 0) -> bytes:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * padding + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def write(make: Callable[[bytes], bytes]) -> Change:
    return lambda path, x: path.write_bytes(make(path.read_bytes()))


def objects(path: Path, x: np.ndarray) -> None:
    np.save(path, np.array([Payload(), 1], dtype=object), allow_pickle=True)


def signalling(x: np.ndarray) -> np.ndarray:
    """Bytes that were something else: a NaN that numpy warns of where it is read as a number."""
    x.view("<u4")[3, 2] = 0x7F800001
    return x


REFUSED: dict[str, tuple[Change, str]] = {
    "a row of NaN": (set_cell(np.nan, slice(None)), "NaN or infinity in row 3 (v03)"),
    "a cell of NaN": (set_cell(np.nan), "row 3 (v03)"),
    "a NaN that signals": (save(signalling), "NaN or infinity in row 3 (v03)"),
    "infinity": (set_cell(np.inf), "row 3 (v03)"),
    "zeros": (set_cell(0, slice(None)), "only zeros in row 3 (v03)"),
    "another width": (save(lambda x: np.ones((4, 16), "f4")), "query vectors of 8 dimensions"),
    "one dimension": (save(np.ravel), "the shape (32,)"),
    "frames": (save(lambda x: np.stack([x] * 3, 1)), "the shape (4, 3, 8)"),
    "no rows": (save(lambda x: x[:0]), "no vectors"),
    "a row too few": (save(lambda x: x[:-1]), "3 vectors and 4 ids"),
    "a row too many": (save(lambda x: np.vstack([x, x[:1]])), "5 vectors and 4 ids"),
    "complex numbers": (save(lambda x: x.astype("c8")), "type <c8"),
    "whole numbers": (save(lambda x: x.astype("i4")), "type <i4"),
    "objects": (objects, "type |O"),
    "a pickle": (write(lambda b: pickle.dumps({"x": 1})), "not .npy"),
    "cut off": (write(lambda b: b[:-40]), "40 bytes too few"),
    "too long": (write(lambda b: b + b"\0"), "1 bytes too many"),
    "empty": (write(lambda b: b""), "an empty file"),
    "a giant's header": (write(lambda b: header((10**10, 512)) + b"\0" * 1000), "shape"),
    "an overflowing shape": (write(lambda b: header((2**40, 2**40)) + b"\0" * 320), "shape"),
    "a negative shape": (write(lambda b: header((-4, 8)) + b"\0" * 128), "no vectors"),
    "a long header": (write(lambda b: header((10, 8), 20_000) + b"\0" * 320), "a header of"),
    "a broken header": (write(lambda b: b"\x93NUMPY\x01\x00\x04\x00{{{\n"), "damaged header"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_vectors_that_cannot_be_used_leave_the_version_out(tiny: Path, case: str) -> None:
    change, said = REFUSED[case]
    change(tiny / FILE, np.load(tiny / FILE))
    collection = open_collection(tiny, allow_path=True)
    assert list(collection.models) == ["v0.2"]
    assert said in str(collection.broken["v0.1"])
    assert "v0.1" in collection.broken["v0.1"].file
    assert not Path("PWNED").exists()
    errors = collection.findings[collection.findings["level"] == "error"]
    assert len(errors) == 1


ACCEPTED: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str, float]] = {
    "double precision": (lambda x: x.astype("f8"), "", 1e-7),
    "half precision": (lambda x: x.astype("f2"), "float16", 2e-3),
    "column by column": (np.asfortranarray, "", 0),
    "big-endian": (lambda x: x.astype(">f4"), "", 0),
    "not unit": (
        lambda x: x * np.linspace(1, 100, 4, dtype="f4")[:, None],
        "length 1 to 100",
        1e-6,
    ),
    "denormal": (lambda x: (x * np.float32(1e-40)).astype("f4"), "length", 1e-4),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_other_widths_and_lengths_become_unit_float32(tiny: Path, case: str) -> None:
    change, said, off = ACCEPTED[case]
    clean = np.load(tiny / FILE)
    np.save(tiny / FILE, change(clean))
    collection = open_collection(tiny, allow_path=True)
    matrix = collection.models["v0.1"].items.matrix
    assert matrix.dtype == np.float32
    assert not matrix.flags.writeable
    np.testing.assert_allclose(matrix, clean, atol=max(off, 1e-6))
    assert collection.findings["found"].str.contains(said).any()


def test_versions_of_different_width_stand_side_by_side(tiny: Path) -> None:
    for stem, rows in (("items", 4), ("queries", 3)):
        np.save(tiny / f"models/v0.2/{stem}.npy", np.eye(rows, 16, dtype="f4"))
    (tiny / "models/v0.2/model.toml").write_text('encoder = "none"\n')
    models = open_collection(tiny, allow_path=True).models
    assert [model.dimension for model in models.values()] == [8, 16]


def test_vectors_join_by_id_whatever_their_order(tiny: Path) -> None:
    clean = open_collection(tiny, allow_path=True).digests["models/v0.1"]
    order = [2, 0, 3, 1]
    matrix, ids = np.load(tiny / FILE), (tiny / FILE).with_suffix(".txt")
    np.save(tiny / FILE, matrix[order])
    ids.write_text("\n".join(f"v0{i}.mp4" for i in order))
    assert open_collection(tiny, allow_path=True).digests["models/v0.1"] == clean


def test_ids_with_blanks_marks_and_windows_line_ends(tiny: Path) -> None:
    clean = open_collection(tiny, allow_path=True).digests["models/v0.1"]
    ids = (tiny / FILE).with_suffix(".txt")
    ids.write_bytes(("\ufeff" + ids.read_text().replace("\n", " \r\n") + "\r\n\r\n").encode())
    collection = open_collection(tiny, allow_path=True)
    assert collection.digests["models/v0.1"] == clean
    assert collection.findings["found"].str.contains("blanks around ids").any()


@pytest.mark.parametrize("text", ["a\nb", "a\nb\n", "b\na\n", " a\nb\n", "a\r\nb\r\n", "a\n\nb\n"])
@pytest.mark.parametrize("likely", [(), ("a", "b"), ("b", "a"), (" a", "b"), ("a\nb",), ("a", "")])
def test_the_ids_that_are_likely_change_nothing(tmp_path: Path, text: str, likely) -> None:
    (tmp_path / "items.txt").write_bytes(text.encode())
    noted, noted_without = Findings(), Findings()
    found = read_ids(tmp_path / "items.txt", "items.txt", noted, likely)
    assert found == read_ids(tmp_path / "items.txt", "items.txt", noted_without)
    assert noted.rows == noted_without.rows


def test_an_id_twice_is_refused_with_both_lines(tiny: Path) -> None:
    ids = (tiny / FILE).with_suffix(".txt")
    ids.write_text("v00\nv01\nv01\nv03\n")
    problem = open_collection(tiny, allow_path=True).broken["v0.1"]
    assert (problem.file, problem.line) == ("models/v0.1/items.txt", 3)
    assert "lines 2 and 3" in problem.found


def test_fewer_query_vectors_than_ids_are_refused(tiny: Path) -> None:
    path = tiny / "models/v0.1/queries.npy"
    np.save(path, np.load(path)[:2])
    assert "2 vectors and 3 ids" in str(open_collection(tiny, allow_path=True).broken["v0.1"])


def test_queries_and_items_without_a_vector_are_counted(tiny: Path) -> None:
    for stem, name in (("queries", "q1"), ("items", "v00")):
        path = tiny / f"models/v0.1/{stem}.txt"
        path.write_text(path.read_text().replace(name, "other"))
    collection = open_collection(tiny, allow_path=True)
    text = "\n".join(collection.findings["found"])
    assert "no vector for 1 of 3 queries (q1)" in text
    assert "no vector for 1 of 4 items (v00)" in text
    assert text.count("1 vector for unknown ids (other)") == 2


@pytest.mark.parametrize("missing", ["items.npy", "items.txt", "queries.txt"])
def test_a_missing_file_of_a_version_is_named(tiny: Path, missing: str) -> None:
    (tiny / "models/v0.1" / missing).unlink()
    problem = open_collection(tiny, allow_path=True).broken["v0.1"]
    assert problem.file == f"models/v0.1/{missing}"
    assert "no such file" in problem.found


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "items.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w") as file,
    ):
        file.write(header((4096, 512)))
        file.write(b"\0" * (4096 * 512 * 4))
    with pytest.raises(DataError, match="unpack to"):
        read_matrix(path)


def test_an_archive_of_two_arrays_is_refused_by_their_names(tmp_path: Path) -> None:
    np.savez(tmp_path / "items.npz", a=np.eye(2), b=np.eye(3))
    with pytest.raises(DataError, match=r"a\.npy, b\.npy"):
        read_matrix(tmp_path / "items.npz")
    np.savez(tmp_path / "one.npz", a=np.eye(2))
    assert read_matrix(tmp_path / "one.npz").shape == (2, 2)


def test_parquet_of_unequal_vectors_names_the_item(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    pd.DataFrame({"id": ["v00", "v01"], "vec": [[1.0, 2.0], [1.0]]}).to_parquet(path)
    with pytest.raises(DataError, match=r"1 numbers in row 1 \(v01\)"):
        read_matrix(path)


@pytest.mark.parametrize("tail", [b"", b"\xff\xff\xff\x7fPAR1"])
def test_damaged_parquet_is_one_plain_sentence(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "items.parquet"
    path.write_bytes(b"PAR1" + bytes(range(256)) + tail)
    with pytest.raises(DataError, match="a damaged Parquet file"):
        read_matrix(path)


def test_a_file_cut_anywhere_is_refused_and_never_crashes(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.eye(4, dtype="f4"))
    whole, path = buffer.getvalue(), tmp_path / "x.npy"
    for length in range(0, len(whole) - 1, 7):
        path.write_bytes(whole[:length])
        with pytest.raises(DataError):
            read_matrix(path)
    path.write_bytes(whole)
    assert read_vectors(path, ["a", "b", "c", "d"]).ids == ("a", "b", "c", "d")
