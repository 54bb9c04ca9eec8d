"""What the routes of media remember of collections, and what they let go of."""

import gc
import weakref

import pytest

from dashboard.storage.media import lookup
from dashboard.storage.media.lookup import Lookup


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
