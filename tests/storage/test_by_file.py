"""What follows from a large file is computed once for each of its states, and never for another."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.cache import by_file
from dashboard.storage.collection import digests
from dashboard.storage.vectors import vectors
from dashboard.storage.vectors.vectors import read_vectors
from dashboard.tables import DataError

IDS = tuple(f"i{n}" for n in range(50))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of vectors that counts as large, and as written long ago."""
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(vectors, "IN_MEMORY", 10)
    monkeypatch.setattr(by_file, "SETTLED", -100.0)
    write(tmp_path / "items.npy", 0)
    return tmp_path / "items.npy"


def write(path: Path, seed: int, kind: str = "f4") -> None:
    np.save(path, np.random.default_rng(seed).standard_normal((50, 8)).astype(kind))


def digest(path: Path, ids: tuple[str, ...] = IDS) -> str:
    return digests.of_vectors(read_vectors(path, ids))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is computed from files."""
    calls: list[str] = []
    for name, owner in (("_lengths", vectors), ("add_to", vectors.Vectors)):
        real = getattr(owner, name)
        monkeypatch.setattr(
            owner, name, lambda *a, real=real, name=name: calls.append(name) or real(*a)
        )
    return calls


def test_a_file_is_read_once_and_gives_the_same_bits(path: Path, computed: list[str]) -> None:
    before, first = digest(path), read_vectors(path, IDS).matrix
    assert computed == ["_lengths", "add_to"]
    assert digest(path) == before and read_vectors(path, IDS).matrix.tobytes() == first.tobytes()
    assert computed == ["_lengths", "add_to"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASHBOARD_CACHE_MB", "0")
        patch.setenv("DASHBOARD_CACHE", str(path.parent / "none"))
        assert digest(path) == before


def test_a_file_written_again_replaced_or_under_other_ids_has_another(path: Path) -> None:
    found = [digest(path)]
    facts = path.stat()
    write(path, 1)
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # even with its old time
    found.append(digest(path))
    write(path.with_name("new.npy"), 2)
    path.with_name("new.npy").replace(path)
    found += [digest(path), digest(path, IDS[::-1])]
    write(path, 2, "f8")
    found.append(digest(path))
    assert len(set(found)) == len(found)


def test_of_a_file_written_a_moment_ago_nothing_is_written_down(
    path: Path, computed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_file, "SETTLED", 2.0)
    for _ in range(2):
        digest(path)
    assert computed == ["_lengths", "add_to"] * 2


def test_what_cannot_be_used_is_refused_each_time(path: Path) -> None:
    rows = np.ones((50, 8), dtype="f4")
    rows[7] = np.nan
    np.save(path, rows)
    for _ in range(2):
        with pytest.raises(DataError, match=r"row 7 \(i7\)"):
            read_vectors(path, IDS)
