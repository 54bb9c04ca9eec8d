"""The file of reviews on disks that are full or read-only, and where it is empty, damaged or gone:
the reason is named, what is there stays readable, and no empty file takes its place."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.storage.collection.collection import open_collection
from dashboard.storage.reviews import review_file
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.reviews import VERDICT, Review, append, latest, state
from dashboard.tables import REVIEWS, DataError
from tests.storage.tiny import make_collection


@pytest.fixture(autouse=True)
def kept_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    return tmp_path / "said" / "reviews.sqlite"


@pytest.fixture
def small_disk(kept_in: Path) -> Iterator[Path]:
    """A disk of one megabyte below the reviews, where this machine lets us mount one."""
    kept_in.parent.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(kept_in.parent)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield kept_in.parent
    subprocess.run(["umount", "-l", str(kept_in.parent)], check=True)


def verdict(item: str = "i1", note: str = "") -> Review:
    return Review(VERDICT, "tiny", "not", "Ada", query_id="q1", item_id=item, note=note)


def items() -> list[str]:
    return latest("tiny", VERDICT)["item_id"].tolist()


def refusal() -> str:
    with pytest.raises(DataError) as refused:
        append(verdict("i9", "x" * 2_000))
    return str(refused.value)


def remount(disk: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(disk)], check=True)


def test_on_a_full_disk_the_reason_is_named_and_verdicts_stay_readable(small_disk: Path) -> None:
    append(verdict())
    with (small_disk / "other").open("wb", buffering=0) as other, pytest.raises(OSError):
        while True:
            other.write(bytes(4_096))
    assert "found a full disk" in refusal() and "written" in refusal()
    assert items() == ["i1"]
    (small_disk / "other").unlink()
    append(verdict("i2"))
    assert items() == ["i1", "i2"], "once there is room it works without a restart"


def test_a_full_disk_gets_no_file_that_is_half_made(small_disk: Path) -> None:
    remount(small_disk, "size=8k")
    assert "found a full disk" in refusal()
    assert not (small_disk / "reviews.sqlite").exists()
    remount(small_disk, "size=1m")
    append(verdict())
    assert items() == ["i1"]


def test_on_a_read_only_disk_verdicts_stay_readable(small_disk: Path) -> None:
    append(verdict())
    remount(small_disk, "ro")
    assert "found a read-only disk" in refusal()
    assert items() == ["i1"]


@pytest.mark.slow
def test_words_that_a_killed_process_left_beside_the_file_are_read_too(small_disk: Path) -> None:
    script = (
        "import os; from dashboard.storage.reviews import review_file, review_tables\n"
        "from dashboard.storage.reviews.reviews import *\n"
        "append(Review(VERDICT, 'tiny', 'not', 'Bob', query_id='q1', item_id='i0'))\n"
        "held = review_file.opened(writing=False); read = held.__enter__()\n"
        "read.execute(review_tables.REVIEW.select()).all()\n"
        "append(Review(VERDICT, 'tiny', 'not', 'Bob', query_id='q1', item_id='i1'))\n"
        "os.kill(os.getpid(), 9)"
    )
    died = subprocess.run([sys.executable, "-c", script], env=os.environ)
    assert died.returncode == -signal.SIGKILL
    assert (small_disk / "reviews.sqlite-wal").stat().st_size
    remount(small_disk, "ro")
    assert items() == ["i0", "i1"]


def test_a_collection_is_known_again_on_a_read_only_disk(small_disk: Path, tmp_path: Path) -> None:
    folder = make_collection(tmp_path / "data" / "tiny")
    append(verdict())
    remount(small_disk, "ro")
    assert key_of(open_collection(folder, allow_path=True)) == "tiny"


def test_a_file_that_another_program_locks_is_said_and_is_read_meanwhile(
    kept_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(verdict())
    monkeypatch.setattr(review_file, "_PATIENCE", 0.1)
    with contextlib.closing(sqlite3.connect(kept_in, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "found another process still writing" in refusal()
        assert items() == ["i1"]
        other.execute("ROLLBACK")
    append(verdict("i2"))
    assert items() == ["i1", "i2"], "nothing of what was refused"


def test_an_empty_file_is_said_and_left_as_it_is(kept_in: Path) -> None:
    append(verdict())
    kept_in.write_bytes(b"")
    assert "found an empty file" in refusal() and "put a whole copy in its place" in refusal()
    with pytest.raises(DataError, match="found an empty file"):
        items()
    assert kept_in.stat().st_size == 0


@pytest.mark.parametrize("at", [0, 4096, 4096 * 3])
def test_a_damaged_file_is_said_and_left_as_it_is(kept_in: Path, at: int) -> None:
    for number in range(70):
        append(verdict(f"i{number}", "a note of some length"))
    damaged = bytearray(kept_in.read_bytes())
    damaged[at : at + 200] = os.urandom(200)
    kept_in.write_bytes(damaged)
    said = refusal()
    assert "damaged" in said or "malformed" in said or "not a database" in said
    assert "left as it is" in said
    with pytest.raises(DataError):
        items()
    assert kept_in.read_bytes() == damaged


@pytest.mark.parametrize("restarted", [False, True])
def test_a_file_that_is_gone_is_said_and_not_made_anew(
    kept_in: Path, restarted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(verdict())
    elsewhere = kept_in.rename(kept_in.with_name("elsewhere"))
    if restarted:
        monkeypatch.setattr(review_file, "_SEEN", {})
    assert "no such file, though reviews were kept in it" in refusal()
    with pytest.raises(DataError, match="no such file, though"):
        items()
    assert not kept_in.exists()
    elsewhere.rename(kept_in)
    assert items() == ["i1"]


def test_a_file_that_another_thread_makes_meanwhile_is_not_said_to_be_gone(
    kept_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = Path.exists

    def made_after_the_look(path: Path, **options: bool) -> bool:
        there = looked(path, **options)
        if path == kept_in and not there:
            with monkeypatch.context() as undone:
                undone.setattr(Path, "exists", looked)
                append(verdict("i2"))
        return there

    monkeypatch.setattr(Path, "exists", made_after_the_look)
    append(verdict("i1"))
    assert sorted(items()) == ["i1", "i2"]


def test_a_folder_that_is_gone_while_the_dashboard_runs_is_said(kept_in: Path) -> None:
    append(verdict())
    kept_in.parent.rename(kept_in.parent.with_name("unmounted"))
    assert "no such file, though reviews were kept in it" in refusal()
    assert not kept_in.parent.exists()


def test_a_file_that_is_taken_away_while_it_is_written_is_said(kept_in: Path) -> None:
    append(verdict())
    with pytest.raises(DataError, match="taken away while"), review_file.opened(writing=True):
        kept_in.rename(kept_in.with_name("elsewhere"))
    assert not kept_in.exists()


def test_a_limit_of_the_file_size_loses_nothing(kept_in: Path) -> None:
    append(verdict())
    script = (
        "import resource, signal; from dashboard.storage.reviews.reviews import *\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, 4_096))\n"
        "append(Review(VERDICT, 'tiny', 'not', 'Bob', query_id='q1', item_id='i1'))"
    )
    done = subprocess.run([sys.executable, "-c", script], env=os.environ, capture_output=True)
    assert b"DataError: reviews.sqlite: found " in done.stderr
    assert items() == ["i1"]
    with sqlite3.connect(kept_in) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    file.close()


@pytest.mark.parametrize("made", ["", "CREATE TABLE bookmarks (address TEXT)"])
def test_another_database_in_its_place_is_said_and_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path))
    path = tmp_path / "reviews.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as stranger:
        stranger.execute(made or "PRAGMA user_version = 0")
        stranger.execute("VACUUM")
    before = path.read_bytes()
    for writing in (False, True):
        with (
            pytest.raises(DataError, match="a database without the table of reviews"),
            review_file.opened(writing=writing),
        ):
            pass
    assert path.read_bytes() == before


def test_a_word_whose_bytes_were_damaged_is_said(kept_in: Path) -> None:
    append(verdict(note="QZQZQZQZ"))
    with contextlib.closing(sqlite3.connect(kept_in)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = kept_in.read_bytes()
    assert content.count(b"QZQZQZQZ") == 1
    kept_in.write_bytes(content.replace(b"QZQZQZQZ", b"\xff\xfe\xff\xfeQZQZ"))
    with pytest.raises(DataError, match="Could not decode to UTF-8"):
        items()


def test_looking_makes_no_file(kept_in: Path) -> None:
    found = latest("tiny", VERDICT)
    assert found.empty and list(found.columns) == list(REVIEWS.columns)
    assert not kept_in.parent.exists()


def test_a_file_that_is_begun_anew_has_another_state(kept_in: Path) -> None:
    first = append(verdict())
    before = state("tiny", VERDICT)
    kept_in.parent.rename(kept_in.parent.with_name("old"))  # to begin anew, as it is told to
    review_file._SEEN.clear()
    append(verdict())
    assert state("tiny", VERDICT)[1] == first and state("tiny", VERDICT) != before


def test_nothing_that_was_said_can_be_changed_or_removed(kept_in: Path) -> None:
    append(verdict())
    with sqlite3.connect(kept_in) as file:
        for change in ("UPDATE review SET value = 'not'", "DELETE FROM review"):
            with pytest.raises(sqlite3.IntegrityError, match="kept as they were said"):
                file.execute(change)
    file.close()


@pytest.mark.parametrize("spoilt", [b"no database at all, but text" * 50, b"SQLite format 3\0 cut"])
def test_a_file_that_is_no_database_is_said_and_left_as_it_is(kept_in: Path, spoilt: bytes) -> None:
    kept_in.parent.mkdir()
    kept_in.write_bytes(spoilt)
    for touch in (lambda: latest("tiny", VERDICT), lambda: append(verdict())):
        with pytest.raises(DataError, match="reviews.sqlite: found file is not a database"):
            touch()
    assert kept_in.read_bytes() == spoilt


def test_a_file_of_a_later_version_is_left_alone(kept_in: Path) -> None:
    append(verdict())
    with sqlite3.connect(kept_in) as file:
        file.execute("PRAGMA user_version = 99")
    file.close()
    with pytest.raises(DataError, match="found version 99 of the table of reviews"):
        append(verdict())


def test_a_folder_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "file" / "below"))
    with pytest.raises(DataError, match="Not a directory.*DASHBOARD_REVIEWS names its folder"):
        append(verdict())
