"""A computed result comes back from its file exactly, or is thrown away."""

from __future__ import annotations

import logging
import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run

import numpy as np
import pandas as pd
import pytest

from dashboard.storage.cache import disk_cache, results

TABLE = pd.DataFrame(
    {
        "run": pd.array(["v0.2", "ä\0\n", None], dtype="str"),
        "cutoff": pd.array([10, None, 3], dtype="Int64"),
        "value": [0.1 + 0.2, np.nan, -0.0],
        "scored": np.array([1, 2, 3], dtype="int64"),
        "group": pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"]),
        "by": pd.Categorical(["x", None, "x"], ordered=True),
        "kept": [True, False, True],
    },
    index=[4, 7, 9],
)
TABLE.attrs["not_run"] = {"q1": "no vector"}
VALUES = [
    None, True, 3, 0.1, float("inf"), "ä\0", (), (1.5, None), [1, [2]], {"a": {"b": ()}},
    {1: "one"}, frozenset({"x", "y"}), TABLE, TABLE.iloc[:0], TABLE[["value"]].reset_index(),
    np.arange(6, dtype="<f4").reshape(2, 3), {"v0.2": TABLE},
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path))
    return tmp_path / "posters"


def only_file(folder: Path) -> Path:
    [path] = folder.glob("*/*.result")
    return path


def assert_same(one: object, other: object) -> None:
    assert type(one) is type(other)
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True, check_freq=True)
        assert one.attrs == other.attrs
        for column in one.select_dtypes("float64"):
            assert one[column].to_numpy().tobytes() == other[column].to_numpy().tobytes()
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype and one.shape == other.shape
        assert one.tobytes() == other.tobytes()
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            assert_same(one[key], other[key])
    else:
        assert one == other


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_a_result_comes_back_exactly(number: int) -> None:
    assert results.load("it") is None
    assert results.save("it", VALUES[number])
    [again] = results.load("it")
    assert_same(VALUES[number], again)


@pytest.mark.parametrize(
    "value", [{1, 2}, np.float64(1), object(), TABLE.assign(x=[1, "a", None]), np.array(["a"])]
)
def test_what_has_no_exact_form_is_not_written(folder: Path, value: object) -> None:
    assert not results.save("it", value)
    assert not list(folder.glob("*/*"))


def flip(place: int):
    def flipped(content: bytes) -> bytes:
        return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]

    return flipped


DAMAGE = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "longer": lambda content: content + b"\0",
    "a page of an error": lambda content: b"<!DOCTYPE html>",
    "a bit of the table flipped": flip(-100),
    "a bit of the checksum flipped": flip(20),
    "a bit of the head flipped": flip(55),
}


@pytest.mark.parametrize("damage", list(DAMAGE))
def test_a_damaged_file_is_thrown_away(folder: Path, damage: str) -> None:
    results.save("it", TABLE)
    path = only_file(folder)
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert results.load("it") is None
    assert not path.exists()
    assert results.save("it", TABLE)
    assert results.load("it") is not None


def test_a_file_of_another_result_under_this_name_is_thrown_away(folder: Path) -> None:
    results.save("one", TABLE)
    mine = only_file(folder)
    content = mine.read_bytes()
    mine.unlink()
    results.save("other", TABLE)
    its = only_file(folder)
    its.write_bytes(content)
    assert results.load("other") is None
    assert not its.exists()


def test_a_whole_file_that_cannot_be_read_is_thrown_away(folder: Path) -> None:
    """As one of a version that wrote in another way and forgot to say so."""
    tree = b'[{"table": 0, "attrs": {"dict": []}}, [4]]'
    results.save("it", 1)
    path = only_file(folder)
    disk_cache.keep(path.name, len(tree).to_bytes(8, "little") + tree + b"what")
    assert results.load("it") is None
    assert not path.exists()


def test_a_file_that_was_written_in_another_way_is_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results.save("it", 1)
    monkeypatch.setattr(results, "FORM", "another")
    assert results.load("it") is None


def test_nothing_is_written_or_read_where_the_operator_sets_the_limit_to_0(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results.save("it", 1)
    monkeypatch.setenv("DASHBOARD_CACHE_MB", "0")
    assert not results.save("other", 1) and len(list(folder.glob("*/*"))) == 1
    assert results.load("it") is None


def test_the_folder_stays_within_its_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHBOARD_CACHE_MB", "1")
    for number in range(20):
        results.save(f"{number}", np.zeros(20_000))
    assert sum(path.stat().st_size for path in folder.glob("*/*")) <= 1_050_000
    assert results.load("19") is not None


def test_a_folder_that_cannot_be_written_is_logged_once(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.write_text("not a folder")
    with caplog.at_level(logging.WARNING):
        for number in range(3):
            assert not results.save(f"{number}", TABLE)
            assert results.load(f"{number}") is None
    assert caplog.text.count("cannot be kept in the cache folder") == 1


def test_readers_never_see_a_half_written_file(folder: Path) -> None:
    """Eight threads write and read one name; what they read is whole, and nothing is lost."""

    def write_and_read(number: int) -> bool:
        results.save("it", TABLE)
        return results.load("it") is not None

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(write_and_read, range(80)))
    assert [path.suffix for path in folder.glob("*/*")] == [".result"]


def test_another_process_reads_what_this_one_wrote_and_the_folder_is_the_owners(
    folder: Path,
) -> None:
    results.save("it", TABLE)
    program = "from dashboard.storage.cache import results; print(results.load('it')[0].shape)"
    seen = run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ})
    assert seen.stdout == f"{TABLE.shape}\n", seen.stderr
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert disk_cache.folder() == folder
