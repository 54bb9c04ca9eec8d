"""Reviews in PostgreSQL: what a server that is killed, full, read-only or gone does to them, what
is refused, and that its password appears nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest

from dashboard.storage.reviews import review_database, store
from dashboard.storage.reviews.reviews import VERDICT, Review, append, history, latest, state
from dashboard.tables import DataError
from tests.storage import postgres

Run = Callable[[str], None]
pytestmark = pytest.mark.slow


@pytest.fixture
def address(
    database_server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> Iterator[postgres.Server]:
    monkeypatch.setenv("DASHBOARD_REVIEWS", database_server.address())
    yield database_server
    review_database.disconnect()


@pytest.fixture
def run(address: postgres.Server) -> Run:
    """Runs a statement in the schema of the reviews, as another program would."""
    schema = os.environ["DASHBOARD_REVIEWS"].rpartition("%3D")[2]

    def execute(statement: str) -> None:
        with address.connect() as connection:
            connection.execute(f"SET search_path = {schema}")
            connection.execute(statement)

    return execute


def verdict(item: str = "i1", author: str = "Ada") -> Review:
    return Review(VERDICT, "tiny", "not", author, query_id="q1", item_id=item)


def refusal() -> str:
    with pytest.raises(DataError) as refused:
        append(verdict("i9"))
    assert postgres.PASSWORD not in repr(refused.value)
    return str(refused.value)


def test_nothing_that_was_said_can_be_changed_or_removed(run: Run) -> None:
    append(verdict())
    for change in ("UPDATE review SET value = 'not'", "DELETE FROM review", "TRUNCATE review"):
        with pytest.raises(psycopg.Error, match="kept as they were said"):
            run(change)


def test_looking_makes_no_tables(run: Run) -> None:
    assert latest("tiny", VERDICT).empty and state("tiny", VERDICT) == ("", 0)
    with pytest.raises(psycopg.Error, match="does not exist"):
        run("SELECT * FROM review")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("DROP TABLE review CASCADE", "no tables, though reviews were kept in them"),
        ("UPDATE review_version SET version = 99", "version 99 of the table of reviews"),
    ],
)
def test_tables_that_are_gone_or_later_are_said_and_left_alone(
    run: Run, spoil: str, said: str
) -> None:
    append(verdict())
    run(spoil)
    if "version" in spoil:
        review_database.disconnect()  # as after a restart
    assert said in refusal()
    with pytest.raises(DataError):
        latest("tiny", VERDICT)


def test_a_read_only_database_is_still_read(run: Run) -> None:
    append(verdict())
    run("ALTER ROLE reviewer SET default_transaction_read_only = on")
    review_database.disconnect()  # connections of before know nothing of it
    try:
        assert "found a read-only database" in refusal()
        assert latest("tiny", VERDICT)["item_id"].tolist() == ["i1"]
    finally:
        run("SET transaction_read_only = off; ALTER ROLE reviewer RESET ALL")
        review_database.disconnect()
    append(verdict("i2"))


def test_who_waits_for_another_writer_too_long_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(verdict())
    monkeypatch.setattr(review_database, "_SETTINGS", ("SET lock_timeout = '200ms'",))
    review_database.disconnect()
    with store.opened(writing=True):
        assert "found another server still writing" in refusal()
    review_database.disconnect()
    monkeypatch.undo()


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("mysql://me:hidden@host/reviews", "found an address of 'mysql'"),
        ("postgresql://me:hid/den@host:x/reviews", "found an address that cannot be read"),
        ("postgresql://me:hidden@127.0.0.1:1/reviews", "found no connection to the server"),
        ("postgresql://me:hidden@/reviews?host=/nowhere", "found no connection to the server"),
    ],
)
def test_an_address_of_no_database_is_said_without_its_password(
    monkeypatch: pytest.MonkeyPatch, named: str, said: str
) -> None:
    monkeypatch.setenv("DASHBOARD_REVIEWS", named)
    for touch in (lambda: append(verdict()), lambda: latest("tiny", VERDICT)):
        with pytest.raises(DataError) as refused:
            touch()
        assert said in str(refused.value) and "hid" not in str(refused.value)
        error = refused.value
        assert error.__suppress_context__ or not error.__context__, (
            "a traceback would show the address"
        )


def test_a_wrong_password_is_said_and_not_repeated(
    address: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASHBOARD_REVIEWS", address.address("wr0ng"))
    with pytest.raises(DataError, match="password authentication failed") as refused:
        append(verdict())
    assert "wr0ng" not in str(refused.value)


def test_a_connection_that_broke_is_made_anew(run: Run) -> None:
    append(verdict())
    run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'dashboard'"
    )
    append(verdict("i2"))
    assert latest("tiny", VERDICT)["item_id"].tolist() == ["i1", "i2"]


WRITER = """
import sys, time
from dashboard.storage.reviews.reviews import *
from dashboard.tables import DataError
author, number = sys.argv[1], 0
while True:
    review = Review(VERDICT, 'tiny', 'not', author, query_id='q1', item_id=f'i{number}')
    try:
        append(review, f'{author} {number}')
    except DataError as problem:
        print('refused', str(problem).replace('\\n', ' '), flush=True)
        time.sleep(0.02)
        continue
    print('saved', number, flush=True)
    number += 1
"""


def writer(author: str) -> subprocess.Popen[str]:
    """A process that saves one review after another, each until it is acknowledged."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, author], env=os.environ, stdout=subprocess.PIPE, text=True
    )


def until_saved(writer: subprocess.Popen[str], number: int) -> list[str]:
    """What a writer tells until it has saved so many more."""
    assert writer.stdout is not None
    lines: list[str] = []
    while sum(line.startswith("saved") for line in lines) < number:
        lines.append(writer.stdout.readline())
        assert lines[-1], "the writer ended by itself"
    return lines


def rest(writer: subprocess.Popen[str]) -> list[str]:
    """What a killed writer told before it died."""
    assert writer.stdout is not None
    with writer.stdout:
        lines = writer.stdout.read().splitlines()
    writer.wait(30)
    return lines


def test_killed_during_saves_the_server_loses_nothing_and_doubles_nothing(
    address: postgres.Server,
) -> None:
    """Ten kills -9 of the whole server while two processes save."""
    writers, heard = {name: writer(name) for name in ("Ada", "Bob")}, []
    try:
        for _ in range(10):
            for each in writers.values():
                heard += until_saved(each, 2)
            address.kill()
            address.start()
    finally:
        for each in writers.values():
            each.kill()
    for each in writers.values():
        heard += rest(each)
    acknowledged = sum(line.startswith("saved") for line in heard)
    kept = history("tiny", VERDICT)
    print(f"acknowledged {acknowledged}, kept {len(kept)}")
    assert acknowledged >= 40
    # a writer that is killed may have saved one more than it could tell
    assert acknowledged <= len(kept) <= acknowledged + len(writers)
    for author in writers:
        items = kept.loc[kept["author"] == author, "item_id"].tolist()
        assert items == [f"i{number}" for number in range(len(items))], "in order, each once"
    refused = {line for line in heard if line.startswith("refused")}
    assert all("reviews at" in line and postgres.PASSWORD not in line for line in refused)


@pytest.mark.usefixtures("review_store")
def test_killed_during_saves_the_dashboard_loses_nothing_that_was_acknowledged() -> None:
    """Five kills -9, with a file and with a database."""
    acknowledged = 0
    for name in (f"w{number}" for number in range(5)):
        each = writer(name)
        lines = until_saved(each, 4)
        each.kill()
        lines += rest(each)
        mine = sum(line.startswith("saved") for line in lines)
        acknowledged += mine
        items = latest("tiny", VERDICT, author=name)["item_id"].tolist()
        assert items[:mine] == [f"i{number}" for number in range(mine)] and len(items) <= mine + 1
    print(f"acknowledged {acknowledged}, kept {len(history('tiny', VERDICT))}")
    assert acknowledged >= 20


def test_what_another_server_saves_is_there_at_once(address: postgres.Server) -> None:
    append(verdict())
    before = state("tiny", VERDICT)
    script = (
        "from dashboard.storage.reviews.reviews import *\n"
        "append(Review(VERDICT, 'tiny', 'relevant', 'Bob', query_id='q1', item_id='i1'))"
    )
    assert subprocess.run([sys.executable, "-c", script], env=os.environ).returncode == 0
    began = time.monotonic()
    assert state("tiny", VERDICT) != before
    assert latest("tiny", VERDICT)["author"].tolist() == ["Ada", "Bob"]
    assert time.monotonic() - began < 2
