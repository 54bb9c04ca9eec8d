"""Copies of the store of reviews: whole, written under load, read back into either store, refused
where they would replace reviews."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from dashboard.storage.reviews import review_database
from dashboard.storage.reviews.copies import backup, restore, verify
from dashboard.storage.reviews.reviews import VERDICT, Review, append, history
from dashboard.tables import DataError

pytestmark = pytest.mark.usefixtures("review_store")


def verdict(item: str, note: str = "") -> Review:
    return Review(VERDICT, "tiny", "not", "Ada", query_id="q1", item_id=item, note=note)


def states(path: Path | None = None) -> dict[str, str]:
    return {row["check"]: row["state"] for row in verify(path)}


@pytest.mark.parametrize("to", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def test_a_copy_is_read_back_into_either_store(
    tmp_path: Path, to: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    numbers = [append(verdict(f"i{n}", "a\nnote 🚲"), once=f"click {n}") for n in range(20)]
    before = history("tiny", VERDICT)
    assert backup(tmp_path / "copy.sqlite") == 20
    assert set(states(tmp_path / "copy.sqlite").values()) == {"ok"}
    fresh = str(tmp_path / "fresh")
    if to == "postgresql":
        fresh = request.getfixturevalue("database_server").address()
    monkeypatch.setenv("DASHBOARD_REVIEWS", fresh)
    assert restore(tmp_path / "copy.sqlite") == 20
    assert history("tiny", VERDICT).equals(before)
    assert append(verdict("i3"), once="click 3") == numbers[3], "what was saved stays saved once"
    assert append(verdict("new")) > max(numbers)
    with pytest.raises(DataError, match="found 21 reviews; wanted an empty store"):
        restore(tmp_path / "copy.sqlite")
    assert len(history("tiny", VERDICT)) == 21
    assert [path.name for path in tmp_path.glob("*copy*")] == ["copy.sqlite"]


def test_a_copy_that_is_made_during_saves_is_one_moment(tmp_path: Path) -> None:
    acknowledged = [append(verdict("first"))]
    with ThreadPoolExecutor(2) as pool:
        saving = pool.submit(lambda: [append(verdict(f"i{n}")) for n in range(40)])
        copied = []
        for number in range(3):
            acknowledged_before = len(history("tiny", VERDICT))
            copied.append(backup(tmp_path / f"{number}.sqlite"))
            assert copied[-1] >= acknowledged_before
        acknowledged += saving.result()
    for number, rows in enumerate(copied):
        with closing(sqlite3.connect(tmp_path / f"{number}.sqlite")) as file:
            saved = [row for (row,) in file.execute("SELECT number FROM review ORDER BY number")]
        assert saved == acknowledged[:rows], "without a gap"


def test_a_copy_replaces_nothing(tmp_path: Path) -> None:
    append(verdict("i1"))
    (tmp_path / "other.txt").write_text("mine")
    with pytest.raises(DataError, match="found a file; wanted a new one"):
        backup(tmp_path / "other.txt")
    assert (tmp_path / "other.txt").read_text() == "mine"
    with pytest.raises(DataError, match="No such file or directory"):
        backup(tmp_path / "nowhere" / "copy.sqlite")


def test_where_nothing_was_saved_there_is_nothing_to_copy(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no reviews; wanted a store to copy"):
        backup(tmp_path / "copy.sqlite")
    assert verify() == [{"check": "store", "state": "ok", "found": "no reviews yet"}]
    with pytest.raises(DataError, match="found no such file"):
        restore(tmp_path / "copy.sqlite")


def test_a_damaged_copy_is_not_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(70):
        append(verdict(f"i{number}", "a note of some length"))
    path = tmp_path / "copy.sqlite"
    backup(path)
    damaged = bytearray(path.read_bytes())
    damaged[4096 * 2 : 4096 * 2 + 300] = bytes(300)
    path.write_bytes(damaged)
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "fresh"))
    with pytest.raises(DataError, match=r"copy\.sqlite: found"):
        restore(path)
    assert not history("tiny", VERDICT).size


def test_what_another_program_wrote_is_reported(review_store: str) -> None:
    append(verdict("i1"))
    assert set(states().values()) == {"ok"}
    spoil = (
        "INSERT INTO review (kind, collection, query_id, list_id, item_id, run, value, note,"
        " author, time, cause, against, assignment) VALUES"
        " ('verdict', 'tiny', 'q1', '', 'i1', '', 'perhaps', '', 'Eve', '', '', '', '')"
    )
    if review_store.startswith("postgresql"):
        address = review_database.address()
        assert address is not None
        with review_database._engine(address).begin() as connection:
            connection.exec_driver_sql(spoil)
            connection.exec_driver_sql("ALTER TABLE review DISABLE TRIGGER never_changed")
    else:
        with closing(sqlite3.connect(Path(review_store) / "reviews.sqlite")) as file:
            file.execute(spoil)
            file.execute("DROP TRIGGER never_changed")
            file.commit()
    assert {check: state for check, state in states().items() if state != "ok"} == {
        "triggers": "missing",
        "reviews": "odd",
    }
