"""A result is computed once for all who ask, and forgotten when newer ones take its place."""

import gc
import subprocess
import sys
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Event, current_thread

import numpy as np
import pytest

from dashboard.experiment import memory
from dashboard.experiment.memory import HandedOn, forget, remembered
from dashboard.progress import heard_by, parts
from dashboard.retrieval.gallery import Gallery
from dashboard.storage.vectors import rows
from dashboard.storage.vectors.vectors import Vectors, unit_rows
from dashboard.tables import Findings


def test_equal_arguments_are_computed_once():
    calls = []

    @remembered(8)
    def square(number):
        calls.append(number)
        return number**2

    assert [square(3), square(3.0), square(4)] == [9, 9, 16]
    assert calls == [3, 4]


def test_the_least_recently_used_result_goes_first():
    calls = []

    @remembered(2)
    def same(number):
        calls.append(number)
        return number

    for number in (1, 2, 1, 3, 1, 2):
        same(number)
    assert calls == [1, 2, 3, 2]


def test_two_who_ask_at_once_wait_for_one_computation():
    calls, together, may_end = [], Barrier(3), Event()

    @remembered(8)
    def slow(number):
        calls.append(number)
        assert may_end.wait(10)
        return [number]

    def ask():
        together.wait(10)
        return slow(1)

    with ThreadPoolExecutor(2) as readers:
        answers = [readers.submit(ask) for _ in range(2)]
        together.wait(10)
        may_end.set()
        first, second = (answer.result(10) for answer in answers)
    assert first is second
    assert calls == [1]


def test_an_error_is_not_remembered_and_whoever_waits_tries_again():
    calls = []

    @remembered(8)
    def late(number):
        calls.append(number)
        if len(calls) == 1:
            raise OSError("not yet")
        return number

    with pytest.raises(OSError, match="not yet"):
        late(1)
    assert late(1) == 1


def test_a_result_of_some_seconds_is_computed_anew_after_them(monkeypatch):
    calls = []

    @remembered(8, seconds=0.0)
    def now():
        calls.append(1)

    now()
    now()
    assert len(calls) == 2


def test_what_is_forgotten_is_computed_anew():
    calls = []

    @remembered(8)
    def once():
        calls.append(1)

    once()
    forget()
    once()
    assert len(calls) == 2


def test_a_key_says_what_a_result_depends_on():
    calls = []

    @remembered(8, key=lambda name, table: (name,))
    def rows(name, table):
        calls.append(name)
        return len(table)

    assert [rows("a", [1, 2]), rows("a", [1, 2, 3]), rows("b", [1])] == [2, 2, 1]
    assert calls == ["a", "b"]


def test_the_garbage_collector_passes_over_what_is_remembered_until_the_next_sweep(monkeypatch):
    @remembered(8)
    def table(number):
        return [{} for _ in range(1_000)]

    clock = [0.0]
    monkeypatch.setattr(memory.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(memory, "_swept", [0.0])
    gc.unfreeze()
    kept = table(1)
    assert gc.get_freeze_count() > 1_000

    held = set()
    gone = weakref.finalize(held, lambda: None)
    loop = [held]
    loop.append(loop)
    table(2)
    del loop, held, kept
    gc.collect()
    assert gone.alive, "frozen: not looked at"
    clock[0] = memory.SWEEP + 1
    table(3)
    assert not gone.alive
    gc.unfreeze()


def test_what_pages_make_is_set_aside_now_and_then_though_nothing_is_computed(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(memory.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(memory, "_swept", [0.0])
    monkeypatch.setattr(memory, "_aside", [0.0])
    gc.unfreeze()
    made = [{} for _ in range(1_000)]
    for seconds, frozen in ((memory.ASIDE, False), (memory.ASIDE + 1, True)):
        clock[0] = seconds
        with memory.page_run():
            pass
        assert (gc.get_freeze_count() > len(made)) == frozen
    held = set()
    gone = weakref.finalize(held, lambda: None)
    loop = [held]
    loop.append(loop)
    clock[0] += memory.ASIDE + 1
    with memory.page_run():
        pass
    del loop, held
    gc.collect()
    assert gone.alive, "frozen: not looked at"
    clock[0] += memory.SWEEP + 1
    with memory.page_run():
        pass
    assert not gone.alive
    gc.unfreeze()


class Left(BaseException):
    """What a page raises whose reader has left."""


class Pages:
    """Pages of readers in threads of their own, who may leave, and what their bars drew."""

    def __init__(self, monkeypatch):
        self.gone, self.drawn = set(), []
        monkeypatch.setattr(memory, "LOOK", 0.01)
        monkeypatch.setattr(memory, "_announcing", [self.announce])

    @contextmanager
    def announce(self, work):
        me = current_thread().name

        def draw(part, done, total):
            self.drawn.append((work, part, done, total))
            if me in self.gone:
                raise Left

        yield draw

    def leave(self, thread):
        self.gone.add(thread)


@pytest.fixture
def pages(monkeypatch):
    return Pages(monkeypatch)


class Slow:
    """A computation in ten parts, each of which waits until it is let go on."""

    def __init__(self):
        self.calls, self.done, self.go_on = [], [], Event()
        self.began = Event()

        @remembered(8, work="Counting …")
        def count(number):
            self.calls.append(current_thread().name)
            for part in parts("adding", range(10)):
                self.began.set()
                if part == 1:
                    assert self.go_on.wait(10)
                self.done.append(part)
            return number

        self.count = count


def reader(name, function, *arguments):
    """A reader whose page asks for something; gives its future."""

    def run():
        current_thread().name = name
        try:
            return function(*arguments)
        except Left:
            return "left"

    return ThreadPoolExecutor(1).submit(run)


def until(condition):
    ends = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.002)


def test_long_work_is_drawn_part_by_part(pages):
    slow = Slow()
    slow.go_on.set()
    assert slow.count(1) == 1
    assert pages.drawn == [("Counting …", "adding", done, 10) for done in range(10)]
    assert slow.count(1) == 1 and len(pages.drawn) == 10


def test_work_ends_when_its_only_reader_has_left_and_is_begun_anew_later(pages):
    slow = Slow()
    answer = reader("one", slow.count, 1)
    slow.began.wait(10)
    pages.leave("one")
    slow.go_on.set()
    assert answer.result(10) == "left"
    assert len(slow.done) < 4
    assert reader("two", slow.count, 1).result(10) == 1
    assert slow.calls == ["one", "two"]


def test_work_goes_on_for_whoever_waits_when_the_reader_it_was_begun_for_has_left(pages):
    slow = Slow()
    one = reader("one", slow.count, 1)
    slow.began.wait(10)
    two = reader("two", slow.count, 1)
    until(lambda: len(pages.drawn) > 3)  # the second page draws how far the first one's work is
    pages.leave("one")
    slow.go_on.set()
    assert two.result(10) == 1
    assert one.result(10) == "left", "its page ends where the work for the other has ended"
    assert slow.calls == ["one"] and slow.done == list(range(10))


def test_work_ends_when_both_readers_have_left(pages):
    slow = Slow()
    one = reader("one", slow.count, 1)
    slow.began.wait(10)
    two = reader("two", slow.count, 1)
    until(lambda: len(pages.drawn) > 3)
    pages.leave("one")
    pages.leave("two")
    assert two.result(10) == "left", "who only waits leaves at once"
    slow.go_on.set()
    assert one.result(10) == "left"
    assert len(slow.done) < 4


def test_work_inside_other_work_is_ended_with_it_and_goes_on_for_who_waits_for_either(pages):
    inner = Slow()

    @remembered(8, work="Comparing …")
    def compare(number):
        return inner.count(number) + 1

    one = reader("one", compare, 1)
    inner.began.wait(10)
    two = reader("two", compare, 1)  # waits for the outer work, which itself does the inner one
    until(lambda: len(pages.drawn) > 3)
    pages.leave("one")
    inner.go_on.set()
    assert two.result(10) == 2 and one.result(10) == "left"
    assert inner.calls == ["one"]

    inner.began.clear()
    inner.go_on.clear()
    three = reader("one", compare, 2)  # has left already
    assert three.result(10) == "left"
    assert compare(1) == 2 and reader("four", inner.count, 1).result(10) == 1


def test_a_reader_that_left_is_no_error_and_nothing_of_it_is_remembered(pages, caplog):
    slow = Slow()
    pages.leave("one")
    assert reader("one", slow.count, 1).result(10) == "left"
    assert not slow.count.cache and not caplog.records


def test_parts_without_a_listener_are_parts_and_listeners_of_blocks_go_with_them():
    heard = []
    with heard_by(lambda *told: heard.append(told)):
        assert list(parts("adding", "ab")) == ["a", "b"]
    assert heard == [("adding", 0, 2), ("adding", 1, 2)]
    assert list(parts("adding", "ab")) == ["a", "b"] and len(heard) == 2


def test_results_are_remembered_by_their_size():
    calls = []

    @remembered(10, size=len)
    def letters(number):
        calls.append(number)
        return "x" * number

    for number in (4, 5, 4, 11, 11, 6, 4, 5):
        letters(number)
    assert calls == [4, 5, 11, 11, 6, 5], "one too large is not remembered; the newest ones fit"


def test_what_is_handed_on_is_taken_once_and_the_oldest_goes_first():
    handed = HandedOn[list](5, len)
    handed.leave([1, 2], "a", 1)
    handed.leave([3, 4], "b", 1)
    handed.leave([5, 6], "c", 1)  # six in all
    handed.leave([7] * 6, "d", 1)  # more than there may be
    assert [handed.take(name, 1) for name in "abcd"] == [None, [3, 4], [5, 6], None]
    assert handed.take("b", 1) is None
    handed.leave([1], "a", 1)
    forget()
    assert handed.take("a", 1) is None


def test_what_is_constant_is_looked_up_once_in_the_run_of_a_page():
    calls = []

    @memory.constant_in_a_run
    def look(name, *, deep=False):
        calls.append(name)
        return len(calls)

    assert [look("a"), look("a")] == [1, 2], "outside of a run nothing is constant"
    with memory.page_run():
        assert [look("a"), look("a"), look("b"), look("a")] == [3, 3, 4, 3]
        assert [look("a", deep=True), look("a", deep=False), look("a", deep=True)] == [5, 6, 5]
    with pytest.raises(KeyError), memory.page_run():
        assert look("a") == 7, "the next run looks anew"
        raise KeyError
    assert look("a") == 8


def test_exact_ranks_can_be_left_between_two_queries_and_two_blocks(monkeypatch):
    """Of a large gallery hundreds of queries are multiplied at once, which takes seconds."""
    random, ids = np.random.default_rng(0), tuple(map(str, range(40)))
    gallery = Gallery(Vectors(ids, unit_rows(random.random((40, 8)), ids, "items", Findings())))
    wanted = np.arange(40), np.arange(40)
    heard = []
    monkeypatch.setattr(rows, "BLOCK", 8 * 4 * 10)
    with heard_by(lambda *told: heard.append(told)):
        gallery.ranked(gallery.vectors, 3, wanted)
    assert heard.count(("counting ranks", 0, 40)) == 4 + 1
    assert [done for _, done, _ in heard[4:]] == list(range(40))


def test_memory_that_is_free_goes_back_to_the_system():
    """In a process of its own: parts of 100 kB, which the C library keeps below the last one."""
    script = """
import re, sys
from pathlib import Path
from dashboard.experiment import memory

def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

memory.TRIM = float(sys.argv[1])
parts = [bytes(100_000) for _ in range(2_000)]
last, parts = parts[-1], None
before = resident()
memory.remembered(1)(lambda: 1)()
print(before - resident())
"""
    words = [sys.executable, "-c", script]
    given, kept = (
        float(subprocess.run([*words, seconds], capture_output=True, check=True).stdout)
        for seconds in ("0", "1000")
    )
    assert given > 80 and kept < 20
