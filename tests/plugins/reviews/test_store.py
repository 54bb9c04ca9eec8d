"""The store: made once, whole; read and refused in sentences; nothing acknowledged is lost."""

import contextlib
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dashboard.errors import DataError
from dashboard.plugins.reviews import store as stores
from dashboard.plugins.reviews.verdicts import list_history

ROOT = Path(__file__).parents[3]
SAVER = """
import sys
from pathlib import Path
from dashboard.plugins.reviews.verdicts import Verdict, save_verdict
from dashboard.storage.collection import open_collection

opened = open_collection(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    once = f"{sys.argv[2]}-{number}"
    made = Verdict(author=sys.argv[2], query_id="q1", item_id="a", value="not", note=once)
    save_verdict(opened, made, once)
    print(once, flush=True)
"""
Say = Callable[..., int]


def list_items(**about: str) -> list[str]:
    return [row.item_id for row in list_history("graded", **about)]


def refuse(say: Say) -> str:
    with pytest.raises(DataError) as refused:
        say("eva", "q1", "d", "not", note="x" * 2_000)
    return str(refused.value)


def test_saved_in_the_tables_of_the_first_edition(store: Path, say: Say) -> None:
    assert say("eva", "q1", "a", "not", cause="label", note="a dog", run="v1") == 1
    with contextlib.closing(sqlite3.connect(store)) as file:
        file.row_factory = sqlite3.Row
        row = dict(file.execute("SELECT * FROM review").fetchone())
        assert file.execute("PRAGMA user_version").fetchone()[0] == 6
        assert file.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    with stores.open_store(writing=True) as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    assert row["collection"] == "graded" and row["cause"] == "label" and row["note"] == "a dog"


def check_rows_are_kept() -> None:
    for change in ("UPDATE review SET value = 'x'", "DELETE FROM review"):
        with (
            pytest.raises(DataError, match="kept as they were said"),
            stores.open_store(writing=True) as connection,
        ):
            connection.exec_driver_sql(change)


@pytest.mark.usefixtures("each_store")
def test_rows_are_kept(say: Say) -> None:
    say("eva", "q1", "a", "not")
    check_rows_are_kept()


@pytest.mark.parametrize("each_store", ["database"], indirect=True)
@pytest.mark.usefixtures("each_store")
def test_older_database_keeps_its_rows_then(say: Say) -> None:
    """A database of version 5 took changes; it is brought up when it is read."""
    say("eva", "q1", "a", "not")
    with stores.open_store(writing=True) as connection:
        connection.exec_driver_sql("DROP FUNCTION keep_reviews CASCADE")
        connection.exec_driver_sql("UPDATE review_version SET version = 5")
    assert list_items() == ["a"]
    check_rows_are_kept()


@pytest.mark.usefixtures("each_store")
def test_six_processes_save_at_once(graded: Path) -> None:
    words = [sys.executable, "-c", SAVER, str(graded)]
    savers = [subprocess.Popen([*words, f"p{n}", "20"], cwd=ROOT) for n in range(6)]
    assert [each.wait(60) for each in savers] == [0] * 6
    rows = list_history("graded")
    assert sorted(row.number for row in rows) == list(range(1, 121))
    assert len([row for row in rows if row.author == "p3"]) == 20


@pytest.mark.usefixtures("each_store")
def test_threads_of_one_process(say: Say) -> None:
    """A server saves in a thread for each reader; all have the one connection in turn."""
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda n: say(f"p{n % 8}", "q1", "a", "not"), range(80)))
    assert sorted(numbers) == list(range(1, 81))


@pytest.mark.usefixtures("store")
def test_killed_savers_lose_nothing(graded: Path) -> None:
    """What a process has acknowledged before SIGKILL is stored, and nothing twice."""
    told = list[str]()
    for name, number in (("p1", 1), ("p2", 13), ("p3", 40)):
        words = [sys.executable, "-c", SAVER, str(graded), name, "1000"]
        with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as one:
            told += [one.stdout.readline().strip() for _ in range(number)]
            one.kill()
            told += one.stdout.read().rpartition("\n")[0].splitlines()
    notes = Counter(row.note for row in list_history("graded"))
    assert {*told} <= notes.keys() and {*notes.values()} == {1}


def test_locked_file(store: Path, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "PATIENCE", 0.1)
    say("eva", "q1", "a", "not")
    with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "found another process still writing" in refuse(say)
        assert list_items() == ["a"]
        other.execute("ROLLBACK")
    say("eva", "q1", "b", "not")
    assert list_items() == ["a", "b"]


@pytest.fixture
def small_disk(store: Path) -> Iterator[Path]:
    """A disk of one megabyte below the store, where one can be mounted."""
    store.parent.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(store.parent)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield store.parent
    subprocess.run(["umount", "-l", str(store.parent)], check=True)


def test_full_disk(small_disk: Path, say: Say) -> None:
    say("eva", "q1", "a", "not")
    with (small_disk / "other").open("wb", buffering=0) as other, pytest.raises(OSError):
        while True:
            other.write(bytes(4_096))
    with pytest.raises(DataError, match="found a full disk"):
        for _ in range(200):  # until the pages that the file has already are full
            say("eva", "q1", "d", "not", note="x" * 2_000)
    kept = list_items()
    (small_disk / "other").unlink()
    say("eva", "q1", "b", "not")
    assert list_items() == [*kept, "b"]


def test_read_only_disk(small_disk: Path, say: Say) -> None:
    """A new process reads a copy in memory; this one forgets its connection to be like it."""
    say("eva", "q1", "a", "not")
    remount = ["mount", "-o", "remount,ro", str(small_disk)]
    opened = stores._OPENED.pop(stores._key(small_disk / "reviews.sqlite"))
    opened[0].dispose()
    subprocess.run(remount, check=True)
    assert list_items() == ["a"]
    assert "found a read-only disk" in refuse(say)


def test_folder_that_cannot_be_made(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "file" / "said"))
    with pytest.raises(DataError, match="Not a directory"):
        say("eva", "q1", "a", "not")


def test_files_of_others_are_left(store: Path, say: Say) -> None:
    store.parent.mkdir()
    with contextlib.closing(sqlite3.connect(store)) as file:
        file.execute("CREATE TABLE theirs (x)")
    assert "a database without the table of reviews" in refuse(say)
    for content, sentence in (
        (b"", "an empty file"),
        (b"x" * 9_000, "a damaged file (file is not a database)"),
    ):
        store.write_bytes(content)
        assert sentence in refuse(say)
        assert store.read_bytes() == content


def test_page_with_other_bytes(store: Path, say: Say) -> None:
    """Bytes that changed on the disk are found when a process opens the file."""
    for number in range(200):
        say("eva", "q1", "a", "not", note=f"{number} " * 100)
    stores._OPENED.pop(stores._key(store))[0].dispose()
    whole = bytearray(store.read_bytes())
    whole[40_960:41_160] = bytes(range(200))
    store.write_bytes(whole)
    assert "found a damaged file" in refuse(say)


def test_missing_file_is_no_new_one(store: Path, say: Say) -> None:
    say("eva", "q1", "a", "not")
    aside = store.rename(store.with_name("aside"))
    assert "though reviews were kept in it" in refuse(say)
    aside.rename(store)
    assert list_items() == ["a"]


def test_file_in_place_of_another_is_read(store: Path, say: Say, tmp_path: Path) -> None:
    say("eva", "q1", "a", "not")
    stores.back_up(tmp_path / "copy")
    say("eva", "q1", "b", "not")
    for beside in store.parent.glob("reviews.sqlite-*"):
        beside.unlink()
    (tmp_path / "copy").replace(store)
    assert list_items() == ["a"]


@pytest.mark.parametrize(
    ("version", "sentence"),
    [(7, "found version 7 of the tables of reviews; expected version 3 to 6. Update"), (2, "2 of")],
)
def test_versions_of_others(store: Path, say: Say, version: int, sentence: str) -> None:
    """A newer program may come while the file is open, or before it is opened."""
    say("eva", "q1", "a", "not")
    with contextlib.closing(sqlite3.connect(store)) as file:
        file.execute(f"PRAGMA user_version = {version}")
    assert sentence in refuse(say)
    stores._OPENED.pop(stores._key(store))[0].dispose()
    assert sentence in refuse(say)


def test_backup(store: Path, say: Say, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no reviews"):
        stores.back_up(tmp_path / "copy")
    say("eva", "q1", "a", "not")
    say("eva", "q1", "b", "not")
    assert stores.back_up(tmp_path / "copy") == 2
    with pytest.raises(DataError, match="found a file; expected a new one"):
        stores.back_up(tmp_path / "copy")
    with contextlib.closing(sqlite3.connect(tmp_path / "copy")) as copy:
        assert copy.execute("SELECT item_id FROM review").fetchall() == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        (
            "postgresql+psycopg://me:p%40ss@127.0.0.1:1/reviews",
            "reviews at 127.0.0.1/reviews: found",
        ),
        ("postgresql://me:s3cr@t/word@host/reviews", "an address that cannot be read"),
        ("mysql://me:s3cret@host/x", "an address of 'mysql'"),
    ],
)
def test_addresses_keep_their_password(
    monkeypatch: pytest.MonkeyPatch, address: str, sentence: str
) -> None:
    """No server is there, or the address is no good: no sentence holds the password."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", address)
    for ask in (lambda: list_history("graded"), lambda: stores.back_up(Path("copy"))):
        with pytest.raises(DataError) as refused:
            ask()
        assert "s3cr" not in str(refused.value)
    with pytest.raises(DataError, match=sentence):
        list_history("graded")
