"""Large tables are read once for each state of their files, and nothing tells whether they were."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from dashboard.storage.cache import by_file
from dashboard.storage.collection import collection_tables
from dashboard.storage.collection.collection import Collection, open_collection
from tests.storage.tiny import make_collection

TABLES = ("items", "keywords", "vocabulary", "queries", "query_keywords", "qrels", "findings")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A collection whose tables count as large, and as written long ago."""
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(collection_tables, "LARGE", 1)
    monkeypatch.setattr(by_file, "SETTLED", -100.0)
    return make_collection(tmp_path / "tiny")


@pytest.fixture
def opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[Collection, bool]]:
    """Opens it; says whether its files were read."""
    calls: list[Path] = []
    real = collection_tables._read
    monkeypatch.setattr(
        collection_tables, "_read", lambda folder, *of: calls.append(folder) or real(folder, *of)
    )

    def opening() -> tuple[Collection, bool]:
        calls.clear()
        return open_collection(folder, allow_path=True), bool(calls)

    return opening


def test_what_the_cache_folder_has_is_the_same_to_the_last_cell(folder: Path, opened) -> None:
    (folder / "qrels.txt").write_text("q1 0 v00 2\nq2 0 v01 1\nq2 0 gone 1\n")
    (first, read), (second, again) = opened(), opened()
    assert (read, again) == (True, False)
    assert first.digest == second.digest and first.digests == second.digests
    assert first.settings == second.settings and len(first.findings)
    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(first, name), getattr(second, name), obj=name)


@pytest.mark.parametrize("name", ["items.csv", "collection.toml", "vocabulary.toml", "qrels.txt"])
def test_a_file_that_changes_is_read(folder: Path, opened, name: str) -> None:
    before, _ = opened()
    path = folder / name
    if name == "items.csv":
        path.write_text(path.read_text() + "v04,,video,one more\n")
    elif name == "qrels.txt":
        path.write_text("q1 0 v00 2\n")
    else:
        path.write_text(path.read_text().replace("Four", "Five").replace('"car"', '"auto"'))
    after, read = opened()
    assert read and after.digest != before.digest


def test_a_damaged_file_is_thrown_away(tmp_path: Path, opened) -> None:
    before, _ = opened()
    for path in (tmp_path / "cache").rglob("*.result"):
        path.write_bytes(path.read_bytes()[:-9])
    after, read = opened()
    assert read and after.digest == before.digest
    assert not opened()[1], "and is written anew"


def test_a_refused_file_and_one_written_a_moment_ago_are_read_each_time(
    folder: Path, opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels = folder / "qrels.txt"
    qrels.write_text("q1 0 v00 much\n")
    assert [opened()[1], opened()[1]] == [True, True]
    assert "qrels" in opened()[0].refused
    qrels.unlink()
    monkeypatch.setattr(by_file, "SETTLED", 100.0)
    assert [opened()[1], opened()[1]] == [True, True]
