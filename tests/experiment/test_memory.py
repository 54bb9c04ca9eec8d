"""A result is computed once for all who ask, and forgotten when newer ones take its place."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from dashboard.experiment import memory
from dashboard.experiment.memory import forget, remembered


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
