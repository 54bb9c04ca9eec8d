"""What is made once is kept in a bounded folder: what was used longest ago goes first."""

from __future__ import annotations

import io
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

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
    size = 100_000 - disk_cache.CHECK  # with its checksum 100 kB each: together the limit
    for number in range(10):
        disk_cache.keep(f"{number}0.webp", bytes(size))
        used(folder, f"{number}0.webp", 20 - number)
    assert len(names(folder)) == 10, "nothing goes before the limit is passed"
    disk_cache.recall("00.webp")
    disk_cache.keep("a0.webp", bytes(size))
    assert names(folder) == sorted(["00.webp", *(f"{n}0.webp" for n in range(3, 10)), "a0.webp"])
    assert sum(path.stat().st_size for path in folder.glob("*/*")) <= 900_000


def test_the_folder_never_holds_much_more_than_its_limit(folder: Path) -> None:
    largest = 0
    for number in range(100):
        disk_cache.keep(f"{number:02}.webp", bytes(40_000))
        largest = max(largest, sum(path.stat().st_size for path in folder.glob("*/*")))
    assert 900_000 <= largest <= 1_000_000


WRITING = """
import sys
from dashboard.storage.cache import disk_cache
for number in range(400):
    disk_cache.keep(f"{number % 90 + 10}{sys.argv[1]}{number}.webp", bytes(5_000))
"""


@pytest.mark.slow
def test_nor_does_it_when_several_processes_write(folder: Path) -> None:
    processes = [Popen([sys.executable, "-c", WRITING, str(number)]) for number in range(4)]
    largest = 0
    while any(process.poll() is None for process in processes):
        largest = max(largest, sum(size for _, size, _ in disk_cache._files(folder)))
    assert [process.returncode for process in processes] == [0] * 4
    assert 900_000 <= largest <= 1_080_000  # of each what it writes between two looks


def test_what_all_else_would_have_to_go_for_is_not_kept(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk_cache.keep("ab.upload", b"a picture")
    assert not disk_cache.keep("cd.index", bytes(1_000_000))
    assert not disk_cache.keep("ef.index", bytes(1_000_000))
    assert names(folder) == ["ab.upload"]
    assert caplog.text.count("a file of 1 MB is not kept") == 1


def test_with_no_room_nothing_is_read_or_written_and_nothing_goes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk_cache.keep("ab.hash", b"made")
    monkeypatch.setenv("DASHBOARD_CACHE_MB", "0")
    assert disk_cache.recall("ab.hash") is None and not disk_cache.is_kept("ab.hash")
    assert not disk_cache.keep("cd.hash", b"made")
    assert names(folder) == ["ab.hash"]


def test_what_was_used_in_the_future_goes_first(folder: Path) -> None:
    """Nobody knows when it was used: the clock was set back."""
    for number in range(9):
        disk_cache.keep(f"{number}0.webp", bytes(100_000))
    for number in (0, 1):
        used(folder, f"{number}0.webp", -24)
    assert disk_cache.recall("00.webp") is not None, "used now"
    disk_cache.keep("a0.webp", bytes(100_000))
    assert "10.webp" not in names(folder) and {"00.webp", "a0.webp"} <= set(names(folder))


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "longer": lambda content: content + b"\0",
    "zeros": lambda content: bytes(len(content)),
    "a bit of the checksum flipped": lambda content: flipped(content, 5),
    "a bit of the content flipped": lambda content: flipped(content, -5),
    "as it was without a checksum": lambda content: content[disk_cache.CHECK :],
    "a pickle": lambda content: pickle.dumps(content),
}


@pytest.mark.parametrize("damage", list(DAMAGE))
def test_a_damaged_file_is_thrown_away(folder: Path, damage: str) -> None:
    disk_cache.keep("ab.hash", bytes(32))
    [path] = folder.glob("*/*")
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert disk_cache.recall("ab.hash") is None
    assert not path.exists()
    assert disk_cache.keep("ab.hash", b"made") and disk_cache.recall("ab.hash") == b"made"


def test_a_file_under_the_name_of_another_is_thrown_away(folder: Path) -> None:
    disk_cache.keep("ab1.hash", bytes(32))
    (folder / "ab" / "ab1.hash").rename(folder / "ab" / "ab2.hash")
    assert disk_cache.recall("ab2.hash") is None and names(folder) == []


PLANTED: dict[str, Callable[[Path, Path], None]] = {
    "a link": lambda path, other: path.symlink_to(other),
    "a link to what never ends": lambda path, other: path.symlink_to("/dev/zero"),
    "a link to nothing": lambda path, other: path.symlink_to(other.parent / "none"),
    "a pipe": lambda path, other: os.mkfifo(path),
    "a folder": lambda path, other: path.mkdir(),
}


@pytest.mark.parametrize("planted", list(PLANTED))
def test_what_is_no_file_is_neither_read_nor_followed(folder: Path, planted: str) -> None:
    disk_cache.keep("ab.hash", b"made")
    path, other = folder / "ab" / "ab.hash", folder.parent / "other"
    path.rename(other)
    PLANTED[planted](path, other)
    assert not disk_cache.is_kept("ab.hash")
    before = len(list(Path("/proc/self/fd").iterdir()))
    assert disk_cache.recall("ab.hash") is None
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert not path.is_symlink() and not path.exists() and other.exists()
    assert disk_cache.keep("ab.hash", b"made") and disk_cache.recall("ab.hash") == b"made"


def test_what_others_put_into_the_folder_stays(folder: Path) -> None:
    """Behind a link, in folders of other names, and under names that are not ours."""
    theirs = folder.parent / "theirs"
    for place in (theirs / "ef.webp", folder / "2024" / "a.webp", folder / "cd" / "a.webp"):
        place.parent.mkdir(parents=True)
        place.write_bytes(bytes(2_000_000))
    (folder / "ef").symlink_to(theirs)
    disk_cache.keep("ab.hash", b"made")
    disk_cache.shrink(folder, 0)
    left = {path.name for path in folder.rglob("*") if path.is_file()}
    assert left == {"a.webp"} and (theirs / "ef.webp").exists()
    assert (folder / "2024" / "a.webp").exists() and (folder / "cd" / "a.webp").exists()


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
        assert poster_of(opened) == made == path.read_bytes()[disk_cache.CHECK :]


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
