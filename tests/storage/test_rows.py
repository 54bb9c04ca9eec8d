"""Vectors that stay in their file are those that would be in memory, to the last bit; a file that
is written into while it is open is a sentence, and never the end of the process."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from dashboard.retrieval.gallery import Gallery
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.collection.digests import of_vectors
from dashboard.storage.vectors import rows, vectors
from dashboard.storage.vectors.vectors import Vectors, read_vectors
from dashboard.tables import DataError, Findings

IDS = tuple(f"i{n}" for n in range(300))
KINDS = {
    "float16": lambda x: x.astype("f2"),
    "float32": lambda x: x.astype("f4"),
    "float64": lambda x: x,
    "big-endian": lambda x: x.astype(">f4"),
    "of length 1": lambda x: (x / np.linalg.norm(x, axis=1, keepdims=True)).astype("f4"),
    "by column": lambda x: np.asfortranarray(x.astype("f4")),
    "int8 codes": lambda x: np.where(x > 0, 1, -1).astype("i1"),
    "int8 vectors": lambda x: np.rint(x * 30).astype("i1"),
    "codes of 0 and 1": lambda x: x > 0,
}


@pytest.fixture(params=KINDS)
def both(request, tmp_path, monkeypatch) -> tuple[Vectors, Vectors]:
    """The same vectors in memory and in their file, of which a few rows are read at a time."""
    random = np.random.default_rng(4)
    path, read = tmp_path / "items.npy", []
    np.save(path, KINDS[request.param](random.standard_normal((300, 24)) * 3))
    monkeypatch.setattr(rows, "BLOCK", 7 * 24 * 4)
    for limit in (1 << 25, 0):
        monkeypatch.setattr(vectors, "IN_MEMORY", limit)
        read.append(read_vectors(path, IDS))
    assert isinstance(read[0].unit, np.ndarray)
    assert isinstance(read[1].unit, rows.UnitRows) == (request.param != "by column")
    return read[0], read[1]


def test_rows_of_a_file_are_those_in_memory_to_the_last_bit(both):
    kept, stored = both
    places = np.random.default_rng(0).permutation(300)[:211]
    assert stored.unit[:].tobytes() == kept.unit.tobytes()
    assert stored.unit[31:97].tobytes() == kept.unit[31:97].tobytes()
    assert stored.unit[places].tobytes() == kept.unit[places].tobytes()
    assert stored.unit[places[:0]].shape == (0, 24)
    assert of_vectors(stored) == of_vectors(kept)
    some = [IDS[place] for place in places]
    for one in (some, some[::-1], list(IDS[40:90]), some[:0]):
        assert stored.rows(one).matrix.tobytes() == kept.rows(one).matrix.tobytes()
        again = stored.rows(some).rows(one[5:])
        assert again.matrix.tobytes() == kept.rows(some).rows(one[5:]).matrix.tobytes()
    assert stored.signs().matrix.tobytes() == kept.signs().matrix.tobytes()
    assert stored.packed.tobytes() == kept.packed.tobytes()
    assert stored.are_codes() == kept.are_codes()


def test_searches_in_a_file_find_what_they_find_in_memory(both, monkeypatch):
    kept, stored = both
    monkeypatch.setattr("dashboard.retrieval.nearest.PART", 64)
    asking = kept.rows(IDS[::40])
    wanted = np.arange(len(asking.ids)), np.arange(len(asking.ids)) * 3
    for side in (list(IDS), list(IDS[::-1])):
        here, there = Gallery(kept).part(side), Gallery(stored).part(side)
        assert there.search(asking, 9).equals(here.search(asking, 9))
        assert there.search(asking, 300).equals(here.search(asking, 300))
        assert there.ranked(asking, 9, wanted).equals(here.ranked(asking, 9, wanted))
        assert (there.scores(asking, *wanted) == here.scores(asking, *wanted)).all()
        near, wide = there.nearest(["i7"], 5)["i7"], here.nearest(["i7"], 5)["i7"]
        assert [name for name, _ in near] == [name for name, _ in wide]
        assert np.allclose([cosine for _, cosine in near], [cosine for _, cosine in wide])


def stored_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, np.ndarray, Vectors]:
    monkeypatch.setattr(vectors, "IN_MEMORY", 0)
    path, random = folder / "items.npy", np.random.default_rng(5)
    matrix = random.standard_normal((300, 24)).astype("f4")
    np.save(path, matrix)
    return path, matrix, read_vectors(path, IDS)


def test_a_file_replaced_by_another_is_read_on_as_it_was(tmp_path, monkeypatch):
    path, matrix, stored = stored_in(tmp_path, monkeypatch)
    before = stored.matrix
    np.save(tmp_path / "new.npy", -matrix)
    (tmp_path / "new.npy").rename(path)
    assert (stored.matrix == before).all() and (read_vectors(path, IDS).matrix == -before).all()
    path.unlink()
    assert (stored.matrix == before).all()


@pytest.mark.parametrize("how", ["cut short", "cut to nothing", "written over", "made longer"])
def test_a_file_that_is_written_into_while_it_is_open_is_a_sentence(tmp_path, monkeypatch, how):
    path, matrix, stored = stored_in(tmp_path, monkeypatch)
    gallery, asking = Gallery(stored), stored.rows(["i3"]).named(["q"])
    with path.open("r+b") as file:
        if how == "written over":
            file.seek(-400, os.SEEK_END)
            file.write(bytes(400))
        elif how == "made longer":
            file.seek(0, os.SEEK_END)
            file.write(bytes(4_096))
        else:
            file.truncate(0 if how == "cut to nothing" else path.stat().st_size // 2)
        if how == "written over":  # within the clock's tick, a file's time may stay as it was
            os.utime(path, ns=(1, path.stat().st_mtime_ns + 1))
    for ask in (
        lambda: gallery.search(asking, 3),
        lambda: gallery.ranked(asking, 3, (np.array([0]), np.array([9]))),
        lambda: gallery.fetch(["i9"]),
        lambda: stored.add_to(hashlib.sha256()),
    ):
        with pytest.raises(DataError, match="changed while it was open"):
            ask()


@pytest.mark.parametrize("rows_of_ids", [299, 301])
def test_more_or_fewer_rows_than_ids_are_refused(tmp_path, monkeypatch, rows_of_ids):
    path, _, _ = stored_in(tmp_path, monkeypatch)
    with pytest.raises(DataError, match=f"300 vectors and {rows_of_ids} ids"):
        read_vectors(path, [f"i{n}" for n in range(rows_of_ids)])


def test_a_wrong_number_is_named_by_its_row_in_the_whole_file(tmp_path, monkeypatch):
    path, matrix, _ = stored_in(tmp_path, monkeypatch)
    monkeypatch.setattr(rows, "BLOCK", 7 * 24 * 4)
    for value, found in ((np.nan, "NaN or infinity in row 222 .i222."), (0, "only zeros in row")):
        matrix[222] = value
        np.save(path, matrix)
        with pytest.raises(DataError, match=found):
            read_vectors(path, IDS)
    codes = np.where(np.random.default_rng(1).random((300, 24)) > 0.5, 1, -1).astype("i1")
    codes[223, 5] = 0
    np.save(path, codes)
    with pytest.raises(DataError, match="the value 0 in row 223 .i223. beside -1"):
        read_vectors(path, IDS)
    np.save(path, np.abs(codes))
    findings = Findings()
    read_vectors(path, IDS, findings=findings)
    assert "values of 0 and 1" in str(findings.rows)


def test_a_collection_reads_its_vectors_in_blocks(tiny, monkeypatch):
    whole = open_collection(tiny, allow_path=True)
    monkeypatch.setattr(vectors, "IN_MEMORY", 0)
    apart = open_collection(tiny, allow_path=True)
    assert isinstance(apart.models["v0.1"].items.unit, rows.UnitRows)
    assert apart.digest == whole.digest


DESCRIPTORS = Path("/proc/self/fd")


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="a system that does not list open files")
def test_files_are_closed_with_their_rows(tmp_path, monkeypatch):
    before = len(list(DESCRIPTORS.iterdir()))
    path, _, stored = stored_in(tmp_path, monkeypatch)
    del stored
    assert len(list(DESCRIPTORS.iterdir())) == before
