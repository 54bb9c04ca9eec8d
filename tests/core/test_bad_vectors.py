"""Vectors and results that cannot be used, or only look odd."""

import io
import os
import pickle
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from dashboard.errors import DataError
from dashboard.storage.collection import open_collection
from tests.core.bad_world import (
    A,
    B,
    Change,
    check_sentence,
    cut,
    fill,
    list_findings,
    list_means,
    name_cases,
    put,
    remove,
    turn,
    write_world,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_world(tmp_path)


def make_header(shape: str, blanks: int = 0) -> bytes:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}{' ' * blanks}\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + b"\0" * 320


class Harmful:
    """An object that runs a command where it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, ("touch HARMED",)


def pack(array: object) -> bytes:
    file = io.BytesIO()
    np.save(file, np.array(array, dtype=object), allow_pickle=True)
    return file.getvalue()


VECTORS = [
    ("EMB-01", fill(3, np.nan), "NaN or infinity in row 3 (v03)"),
    ("EMB-04", fill(3, 0), "only zeros in row 3 (v03)"),
    ("EMB-08", turn(np.ravel), "the shape (96,)"),
    ("EMB-10", turn(lambda array: array[:0]), "the shape (0, 8)"),
    ("EMB-11", turn(lambda array: array[:-1]), "11 vectors and 12 ids"),
    ("EMB-19", turn(lambda array: array.astype(np.complex64)), "numbers of type complex64"),
    ("EMB-20", put(A, pack([[Harmful()]])), "numbers of type object"),
    ("EMB-21", put(A, pickle.dumps({"x": 1})), "a file that is no array"),
    ("EMB-22", cut(A, -40), "a file that is 40 bytes too short for the shape (12, 8)"),
    ("EMB-24", put(A, b""), "an empty file"),
    ("EMB-25", put(A, make_header(f"({2**40}, {2**40})")), "a file that is 4,8"),
    ("EMB-27", put(A, make_header("(-3, 8)")), "the shape (-3, 8)"),
    ("EMB-28", put(A, make_header("(10, 8)", blanks=20_000)), "a file that is no array"),
    ("damaged", put(A, make_header("(10, 8")), "a file that is no array"),
    ("damaged", put(A, make_header("((" * 4_000)), "a file that is no array"),
    ("EMB-31", remove(A), "no such file"),
]
"""Vectors of the version a that cannot be used."""


@pytest.mark.parametrize(("name", "change", "words"), VECTORS, ids=name_cases(VECTORS))
def test_vectors_are_refused(folder: Path, name: str, change: Change, words: str) -> None:
    change(folder)
    opened, findings = list_findings(folder)
    assert opened is not None and list(opened.versions) == ["b", "r"]
    assert [each.level for each in findings] == ["error"]
    check_sentence(findings[0], f"{A}: {words}")
    assert len(list_means(opened, "b", "r")) == 6
    assert not Path("HARMED").exists()


def test_other_dimensions_of_another_version(folder: Path) -> None:
    """EMB-07."""
    plain = list_means(open_collection(folder), "a")
    for file in (B, "models/b/queries.npy"):
        turn(lambda array: np.hstack([array, array]), file)(folder)
    opened = open_collection(folder)
    assert not opened.broken and list_means(opened, "a") == plain
    assert len(list_means(opened, "a", "b")) == 6


def test_vectors_that_change_while_open(folder: Path) -> None:
    before = open_collection(folder)
    turn(lambda array: array[::-1])(folder)
    with pytest.raises(DataError, match=f"{A}: found a file that has changed since"):
        list_means(before, "a")
    after = open_collection(folder)
    assert after is not before and len(list_means(after, "a")) == 3


def test_rows_of_a_file_are_those_in_memory(folder: Path, monkeypatch) -> None:
    kept, places = open_collection(folder).versions["a"].items, np.array([2, 0, 2])
    there = kept.read(places).tolist()
    monkeypatch.setattr("dashboard.storage.vectors.MAX_KEPT", 0)
    assert kept.units is None
    assert kept.read(places).tolist() == there == kept.scale(0, 3)[places].tolist()


def test_files_that_this_user_may_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MED-17 and its like: the part that needs the file is broken, the rest works."""
    real = Path.open

    def refuse(path: Path, *args: str, **more: str) -> object:
        if path.name == "items.npy" and path.parent.name == "a":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *args, **more)

    monkeypatch.setattr(Path, "open", refuse)
    opened, findings = list_findings(folder)
    assert opened is not None and list(opened.broken) == ["a"]
    check_sentence(findings[0], "a/items.npy: a file that cannot be read (Permission denied)")
    assert str(folder) not in str(opened.broken["a"]) and len(list_means(opened, "b", "r")) == 6


@pytest.mark.parametrize("name", ["models", "runs"])
def test_folders_that_this_user_may_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Its versions do not go without a word."""
    real = Path.iterdir

    def refuse(path: Path) -> Iterator[Path]:
        if path.name == name:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    opened, findings = list_findings(folder)
    assert opened is None
    check_sentence(findings[0], f"{name}: a folder that cannot be read (Permission denied)")
