"""What the routes of media remember of collections, and what they let go of."""

import gc
import weakref

import pandas as pd
import pytest

from dashboard.storage.media import lookup
from dashboard.storage.media.lookup import Lookup, RowsById, rows_of


class Opened:
    """Stands for a collection with all its vectors."""


class Clock:
    now = 0.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(lookup, "time", found)
    return found


@pytest.fixture
def opened():
    """Every collection that was opened: its name and whether it is still held."""
    return []


@pytest.fixture
def found(opened, clock):
    def open_one(name):
        one = Opened()
        opened.append((name, weakref.ref(one)))
        return one

    return Lookup(open_one, lambda collection: {"x": {"row": 1}})


def alive(opened):
    gc.collect()
    return [name for name, one in opened if one() is not None]


def test_a_collection_is_opened_once_in_a_burst_and_again_later(found, opened, clock):
    for clock.now in (0.0, 5.0, 9.9, 10.1, 20.0):
        assert found.find("c", "x")[1] == {"row": 1}
    assert [name for name, _ in opened] == ["c", "c"]
    assert alive(opened) == ["c"]


def test_what_is_out_of_date_is_let_go_of_when_another_is_opened(found, opened, clock):
    for name in ("a", "b", "c"):
        found.find(name, "x")
    clock.now = 11.0
    found.find("d", "x")
    assert alive(opened) == ["d"]


def test_few_are_held_at_once_the_newest(found, opened):
    names = [f"c{number}" for number in range(20)]
    for name in names:
        found.find(name, "x")
    assert alive(opened) == names[-8:]


def test_nothing_is_held_of_a_collection_that_cannot_be_opened_any_more(found, opened, clock):
    found.find("c", "x")

    def gone(name):
        raise LookupError(name)

    clock.now, found._open = 11.0, gone
    with pytest.raises(LookupError):
        found.find("c", "x")
    assert alive(opened) == []


def test_one_row_by_its_id_is_the_row_among_all():
    table = pd.DataFrame({"id": pd.Series(["a", "b"], dtype="str"), "n": [1, 2], "x": ["", None]})
    rows, every = RowsById(table, "id"), rows_of(table, "id")
    assert len(rows) == 2 and list(rows) == list(every)
    assert dict(rows["a"]) == every["a"] and repr(dict(rows["b"])) == repr(every["b"])
    assert [type(value) for value in rows["a"].values()] == [str, int, str]
    with pytest.raises(LookupError):
        rows["c"]


def test_rows_are_made_again_only_for_another_collection(clock):
    ones, made = [Opened()], []

    def rows(collection):
        made.append(collection)
        return {"x": {"row": 1}}

    found = Lookup(lambda name: ones[-1], rows)
    for clock.now in (0.0, 11.0, 22.0):
        found.find("c", "x")
    ones.append(Opened())
    clock.now = 33.0
    found.find("c", "x")
    assert made == ones
