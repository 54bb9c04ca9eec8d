"""A store that the first edition wrote is read, and one of version 3 is brought up."""

import contextlib
import sqlite3
from pathlib import Path

import pytest

from dashboard.plugins.reviews.figures import find_judged
from dashboard.plugins.reviews.judging_lists import find_list, read_lists
from dashboard.plugins.reviews.verdicts import keep_last, list_history, read_state, undo_last
from dashboard.storage.collection import open_collection
from tests.plugins.worlds import open_world

DUMP = Path(__file__).with_name("first_edition.sql")
MISSING = ("cause", "against", "assignment")
"""Columns that a store of version 3 has not."""


@pytest.fixture
def old(store: Path, graded: Path) -> Path:
    """A store of the first edition; the folder of its collection."""
    store.parent.mkdir()
    with contextlib.closing(sqlite3.connect(store)) as file:
        file.execute("PRAGMA journal_mode = WAL")
        file.executescript(DUMP.read_text())
    return graded


def test_rows_that_count(old: Path) -> None:
    """Bob took back what he said of a, and undid what he said of d."""
    rows = list_history("graded")
    assert [row.number for row in rows] == list(range(1, 15))
    kept = {(row.kind, row.author, *row.pair, row.value) for row in keep_last(rows)}
    assert kept == {
        ("verdict", "Ada", "q1", "a", "relevant"), ("verdict", "Ada", "q1", "b", "not"),
        ("verdict", "Bob", "q1", "b", "relevant"), ("verdict", "Cyd", "q1", "b", "relevant"),
        ("verdict", "Ada", "q1", "c", "not"), ("verdict", "Bob", "q1", "c", "relevant"),
        ("decision", "Eve", "q1", "c", "2"), ("verdict", "Ada", "q2", "a", "unsure"),
        ("preference", "Ada", "q1", "", "better"), ("rating", "Ada", "q1", "", "4"),
    }  # fmt: skip
    assert [row.list_id for row in rows[-2:]] == ["abc", "l1"]


def test_numbers_with_its_corrections(old: Path) -> None:
    """P@2: of v1 q1 has a, b and q2 d, a; of v2 q1 has c, b. Then b and c count, too."""
    means = {}
    for labels in ("given", "corrected"):
        measured = open_world(old, labels=labels).measure(("v1", "v2"), "P@2")
        means[labels] = [row["mean"] for each in measured for row in each.list_means()]
    assert means == {"given": [0.5, 0.0], "corrected": [0.75, 0.5]}


def test_lists(old: Path) -> None:
    newest, first = read_lists(opened := open_collection(old))
    assert (newest.title, newest.pairs, newest.closed) == ("Sampled", (("q1", "c"),), False)
    assert (first.title, first.author, first.closed) == ("Pilot", "Eve", True)
    assert first.pairs == (("q1", ""), ("q2", ""))
    found = find_judged([made := find_list(opened)], list_history("graded"))[made.id]
    assert "Cyd" not in found and found["Ada"] == {("q1", "c")}


def test_undo_goes_on_where_it_ended(old: Path) -> None:
    """Bob has withdrawn d and a: what he said last is of c. Ada's verdicts are not her rating."""
    undone = [undo_last(old, author) for author in ("Ada", "Ada", "Bob")]
    assert [each and each.pair for each in undone] == [("q2", "a"), ("q1", "c"), ("q1", "c")]


def test_collection_that_was_moved_or_has_another_folder(old: Path, store: Path) -> None:
    """The recorded folder is gone: the collection was moved. Then its name is another one's."""
    assert read_state(old)[0] == "graded"
    with contextlib.closing(sqlite3.connect(store)) as file, file:
        row = "INSERT INTO known VALUES (NULL, ?, ?, '', '[]', '')"
        file.execute(row, ("team (2)", str(old)))
    assert read_state(old)[0] == "team (2)"
    other = old.parent / "more" / "graded"
    other.mkdir(parents=True)
    assert read_state(other)[::2] == ("graded", 14)


def test_version_3(store: Path, graded: Path) -> None:
    store.parent.mkdir()
    tables = ("audit", "share_link", "visit", "assignment")
    with contextlib.closing(sqlite3.connect(store)) as file:
        file.executescript(DUMP.read_text())
        for name in tables:
            file.execute(f"DROP TABLE {name}")
        for name in MISSING:
            file.execute(f"ALTER TABLE review DROP COLUMN {name}")
        file.execute("PRAGMA user_version = 3")
    rows = list_history("graded")
    assert len(rows) == 14 and rows[1].cause == ""
    assert read_lists(open_collection(graded)) == []
    with contextlib.closing(sqlite3.connect(store)) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (6,)
        assert file.execute("SELECT count(*) FROM assignment").fetchone() == (0,)
