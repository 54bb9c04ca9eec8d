"""What is made once is kept in a bounded folder: what was used longest ago goes first."""

from __future__ import annotations

import io
import os
import resource
import signal
import time
from pathlib import Path

import pytest
from PIL import Image

from dashboard.storage.cache import disk_cache
from dashboard.storage.media import uploads
from dashboard.storage.media.decoding.posters import poster_of
from dashboard.storage.media.hashes import picture_hash
from dashboard.storage.media.safe_open import open_inside


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
    assert disk_cache.recall("ab12.webp") is None
    disk_cache.keep("ab12.webp", b"made")
    assert disk_cache.recall("ab12.webp") == b"made"
    assert names(folder) == ["ab12.webp"]


def test_what_was_used_longest_ago_goes_first(folder: Path) -> None:
    for number in range(10):  # 100 kB each: together the limit
        disk_cache.keep(f"{number}0.webp", bytes(100_000))
        used(folder, f"{number}0.webp", 20 - number)
    assert len(names(folder)) == 10, "nothing goes before the limit is passed"
    disk_cache.recall("00.webp")
    disk_cache.keep("a0.webp", bytes(100_000))
    assert names(folder) == sorted(["00.webp", *(f"{n}0.webp" for n in range(3, 10)), "a0.webp"])
    assert sum(path.stat().st_size for path in folder.glob("*/*")) <= 900_000


def test_the_folder_never_holds_much_more_than_its_limit(folder: Path) -> None:
    largest = 0
    for number in range(100):
        disk_cache.keep(f"{number:02}.webp", bytes(40_000))
        largest = max(largest, sum(path.stat().st_size for path in folder.glob("*/*")))
    assert 900_000 <= largest <= 1_050_000


def test_a_folder_that_cannot_be_written_is_said_and_does_no_harm(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.write_text("not a folder")
    disk_cache.keep("ab.webp", b"made")
    assert disk_cache.recall("ab.webp") is None
    assert "cannot be kept in the cache folder" in caplog.text


@pytest.mark.parametrize(("said", "bytes_"), [("", 10**9), ("25", 25 * 10**6), ("x", 10**9)])
def test_the_operator_sets_the_limit_in_megabytes(
    monkeypatch: pytest.MonkeyPatch, said: str, bytes_: int
) -> None:
    monkeypatch.setenv("DASHBOARD_CACHE_MB", said)
    assert disk_cache.largest() == bytes_


def test_a_full_disk_leaves_nothing_behind_and_is_logged_once(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, resource.RLIM_INFINITY))
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        for number in range(5):
            assert not disk_cache.keep(f"ab{number}.webp", bytes(90_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        signal.signal(signal.SIGXFSZ, before)
    assert names(folder) == []
    assert caplog.text.count("cannot be kept in the cache folder") == 1
    assert disk_cache.keep("ab1.webp", b"made"), "once there is room it is kept again"


def test_what_others_left_unfinished_is_swept_and_what_they_write_stays(folder: Path) -> None:
    (folder / "ab").mkdir(parents=True)
    for name, hours_ago in (("tmp12ab", 2), ("unfinished-3c", 2), ("unfinished-now", 0)):
        (folder / "ab" / name).write_bytes(bytes(94_000))
        when = time.time() - 3_600 * hours_ago
        os.utime(folder / "ab" / name, (when, when))
    disk_cache.keep("ab12.webp", b"made")
    assert names(folder) == ["ab12.webp", "unfinished-now"]


BROKEN = (b"", b"<!DOCTYPE html><p>Not found", b"RIFF\xff\xff\0\0WEBPVP8 cut off", bytes(900))


@pytest.mark.parametrize("broken", BROKEN)
def test_a_kept_poster_that_is_none_is_made_again(folder: Path, broken: bytes) -> None:
    encoded = io.BytesIO()
    Image.linear_gradient("L").save(encoded, "PNG")
    (folder.parent / "a.png").write_bytes(encoded.getvalue())
    with open_inside(folder.parent, "", "a.png") as opened:
        made = poster_of(opened)
        [path] = folder.glob("*/*.webp")
        path.write_bytes(broken)
        assert poster_of(opened) == made == path.read_bytes()


@pytest.mark.parametrize("broken", BROKEN)
def test_a_kept_fingerprint_that_is_none_is_made_again(folder: Path, broken: bytes) -> None:
    for shades, hidden in (
        (Image.linear_gradient("L").rotate(90), 32),
        (Image.new("L", (9, 9)), 0),
    ):
        encoded = io.BytesIO()
        shades.save(encoded, "PNG")
        made = picture_hash(encoded.getvalue())
        assert len(made) == hidden
        for path in folder.glob("*/*.hash"):
            path.write_bytes(broken)
        assert picture_hash(encoded.getvalue()) == made


@pytest.mark.parametrize("broken", BROKEN)
def test_a_damaged_upload_is_none(folder: Path, broken: bytes) -> None:
    encoded = io.BytesIO()
    Image.new("RGB", (9, 9), "red").save(encoded, "PNG")
    fingerprint = uploads.keep(encoded.getvalue())
    assert uploads.is_kept(fingerprint)
    [path] = folder.glob("*/*.upload")
    path.write_bytes(broken)
    assert uploads.kept_picture(fingerprint) is None
    assert not uploads.is_kept(fingerprint)
