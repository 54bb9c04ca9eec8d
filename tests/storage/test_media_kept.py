"""What is made once is kept in a bounded folder: what was used longest ago goes first."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from dashboard.storage.media import kept


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path))
    monkeypatch.setenv("DASHBOARD_CACHE_MB", "1")
    return tmp_path / "posters"


def used(folder: Path, name: str, hours_ago: float) -> None:
    when = time.time() - 3_600 * hours_ago
    os.utime(folder / name[:2] / name, (when, when))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*/*"))


def test_what_is_kept_comes_back_and_nothing_else(folder: Path) -> None:
    assert kept.recall("ab12.webp") is None
    kept.keep("ab12.webp", b"made")
    assert kept.recall("ab12.webp") == b"made"
    assert names(folder) == ["ab12.webp"]


def test_what_was_used_longest_ago_goes_first(folder: Path) -> None:
    for number in range(10):  # 100 kB each: together the limit
        kept.keep(f"{number}0.webp", bytes(100_000))
        used(folder, f"{number}0.webp", 20 - number)
    assert len(names(folder)) == 10, "nothing goes before the limit is passed"
    kept.recall("00.webp")
    kept.keep("a0.webp", bytes(100_000))
    assert names(folder) == sorted(["00.webp", *(f"{n}0.webp" for n in range(3, 10)), "a0.webp"])
    assert sum(path.stat().st_size for path in folder.glob("*/*")) <= 900_000


def test_the_folder_never_holds_much_more_than_its_limit(folder: Path) -> None:
    largest = 0
    for number in range(100):
        kept.keep(f"{number:02}.webp", bytes(40_000))
        largest = max(largest, sum(path.stat().st_size for path in folder.glob("*/*")))
    assert 900_000 <= largest <= 1_050_000


def test_a_folder_that_cannot_be_written_is_said_and_does_no_harm(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.write_text("not a folder")
    kept.keep("ab.webp", b"made")
    assert kept.recall("ab.webp") is None
    assert "cannot be kept in the cache folder" in caplog.text


@pytest.mark.parametrize(("said", "bytes_"), [("", 10**9), ("25", 25 * 10**6), ("x", 10**9)])
def test_the_operator_sets_the_limit_in_megabytes(
    monkeypatch: pytest.MonkeyPatch, said: str, bytes_: int
) -> None:
    monkeypatch.setenv("DASHBOARD_CACHE_MB", said)
    assert kept.largest() == bytes_
