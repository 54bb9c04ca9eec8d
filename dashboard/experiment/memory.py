"""Remembers computed results until newer ones take their place, for the app and the command line;
those that last, in the cache folder, too.

The keys are the arguments of a function: equal experiments have equal numbers. Results are shared
between sessions, so nobody may change one.

Who asks for what is being computed waits for it. A listener, such as a page that draws how far the
work is, raises when its reader has left: the work ends there, unless somebody else waits for it.
"""

from __future__ import annotations

import ctypes
import gc
import inspect
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from threading import Condition
from typing import Any, Generic, ParamSpec, TypeVar, cast

from cachetools import Cache, LRUCache, TTLCache, keys

from dashboard import progress
from dashboard.experiment import lasting
from dashboard.progress import Listener

P = ParamSpec("P")
R = TypeVar("R")

Announcing = Callable[[str], AbstractContextManager[Listener]]
"""Announces work while a block runs; gives the listener that draws how far it is."""

ASIDE = 10.0
"""Seconds after which what pages have made meanwhile is set aside, too, where nothing is computed
any more: weak references of tables that are remembered, and what sessions hold."""
TRIM = 10.0
"""Seconds after which memory that is free is given back, which takes some 5 ms."""
SWEEP = 60.0
"""Seconds after which garbage is looked for in all that was set aside, too: of runs that went on
meanwhile, some 2 MB a minute with fifty readers."""
LOOK = 0.25
"""Seconds after which whoever waits for another's work looks whether its own reader has left."""


@contextmanager
def silently(work: str) -> Iterator[Listener]:
    """Announces nothing."""
    yield lambda part, done, total: None


_swept, _trimmed, _aside = [time.monotonic()], [time.monotonic()], [time.monotonic()]
_memories: list[Any] = []
_announcing: list[Announcing] = [silently]


@dataclass(eq=False)
class _Work:
    """One computation that runs: how many others wait for it, and how far it is."""

    waiting: int = 0
    ended: bool = False
    part: tuple[str, int, int] = ("", 0, 0)


@dataclass(eq=False)
class _Reader:
    """Who asks, in one thread: what is computed for it, innermost last, and what its listener
    raised when it left while others waited."""

    listener: Listener
    works: list[_Work] = field(default_factory=list)
    left: BaseException | None = None

    def hear(self, part: str, done: int, total: int) -> None:
        """Draw how far the work is; raises where the reader has left and nobody else waits."""
        for work in self.works:
            work.part = (part, done, total)
        if self.left is None:
            try:
                self.listener(part, done, total)
            except BaseException as left:
                self.left = left
        self.end_if_alone()

    def end_if_alone(self) -> None:
        """Raise what the listener raised, unless others wait for what is computed."""
        if self.left is not None and not any(work.waiting for work in self.works):
            raise self.left


_reader: ContextVar[_Reader | None] = ContextVar("reader", default=None)
_run: ContextVar[dict[Any, Any] | None] = ContextVar("run", default=None)
_runs: set[int] = set()


def remembered(
    entries: int,
    *,
    seconds: float | None = None,
    work: str = "",
    key: Callable[..., tuple[Hashable, ...]] = keys.hashkey,
    lasts: bool = False,
    size: Callable[[Any], float] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Remembers a function's newest results, at most `entries`, each for at most some seconds.

    Callers with equal arguments at the same time wait for one computation. An error is not
    remembered.

    work: what is announced while a result is computed, where that takes long; `{name}` stands for
    an argument.
    key: computes from the arguments what the result depends on; without it, the arguments.
    lasts: whether a result is written into the cache folder, too, and read from there after a
    restart: for what is dearer to compute than to read.
    size: of a result; `entries` is then the most of all sizes together, and a larger result is not
    remembered.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        results: Cache[Any, R] = (
            LRUCache(entries, size) if seconds is None else TTLCache(entries, seconds)
        )
        computing = lasting.read_or_computed(function) if lasts else function
        changed, running = Condition(), dict[Any, _Work]()
        looks = {"hits": 0, "misses": 0}
        signature = inspect.signature(function)

        def named_work(*arguments: P.args, **named: P.kwargs) -> str:
            if "{" not in work:
                return work
            return work.format_map(signature.bind(*arguments, **named).arguments)

        @wraps(function)
        def remembering(*arguments: P.args, **named: P.kwargs) -> R:
            of = key(*arguments, **named)
            while True:
                with changed:
                    with suppress(KeyError):
                        result = results[of]
                        looks["hits"] += 1
                        return result
                    other = running.get(of)
                    if other is None:
                        mine = running[of] = _Work()
                        looks["misses"] += 1
                        break
                    other.waiting += 1
                _wait(other, changed, named_work(*arguments, **named))
            try:
                with _working(mine, named_work(*arguments, **named)):
                    result = computing(*arguments, **named)
                    with changed, suppress(ValueError):  # larger than all that may be remembered
                        results[of] = result
            finally:
                with changed:
                    mine.ended = True
                    del running[of]
                    changed.notify_all()
            _set_aside()
            return result

        memory = cast(Any, remembering)
        memory.cache, memory.cache_condition, memory.looks = results, changed, looks
        _memories.append(memory)
        return cast(Callable[P, R], remembering)

    return decorate


def each_remembered(
    entries: float, size: Callable[[Any], float], *, lasts: bool = True
) -> Callable[[lasting.Parts[R]], lasting.Parts[R]]:
    """Remembers what a function gives for parts, its last argument, each alone, and computes
    together what is missing. entries, size, lasts: as above.

    Callers at the same time do not wait for each other.
    """

    def decorate(function: lasting.Parts[R]) -> lasting.Parts[R]:
        results: Cache[Any, R] = LRUCache(entries, size)
        computing = lasting.read_each_or_computed(function) if lasts else function
        changed = Condition()
        looks = {"hits": 0, "misses": 0}

        @wraps(function)
        def remembering(*arguments: Any) -> list[R]:
            *of, parts = arguments
            with changed:
                there = {part: results.get((*of, part)) for part in parts}
            missing = tuple(part for part, result in there.items() if result is None)
            looks["hits"] += len(there) - len(missing)
            looks["misses"] += len(missing)
            found = dict(zip(missing, computing(*of, missing) if missing else (), strict=True))
            with changed:
                for part, result in found.items():
                    with suppress(ValueError):  # larger than all that may be remembered
                        results[*of, part] = result
            return [found[part] if part in found else cast(R, there[part]) for part in parts]

        memory = cast(Any, remembering)
        memory.cache, memory.cache_condition, memory.looks = results, changed, looks
        _memories.append(memory)
        return remembering

    return decorate


class HandedOn(Generic[R]):
    """What one computation leaves for another one until that takes it; of several the newest, whose
    sizes together are at most `entries`."""

    def __init__(self, entries: float, size: Callable[[R], float]) -> None:
        self.cache: Cache[Any, R] = LRUCache(entries, size)
        self.cache_condition = Condition()
        self.looks = {"hits": 0, "misses": 0}
        _memories.append(self)

    def leave(self, result: R, *of: Hashable) -> None:
        """Leave a result for who asks with the same `of`; not if it is larger than all may be."""
        with self.cache_condition, suppress(ValueError):
            self.cache[of] = result

    def take(self, *of: Hashable) -> R | None:
        """The result, which is gone then; None where there is none."""
        with self.cache_condition:
            there = self.cache.pop(of, None)
            self.looks["misses" if there is None else "hits"] += 1
            return there


@contextmanager
def page_run() -> Iterator[None]:
    """The run of a page, in which what is `constant_in_a_run` is looked up once."""
    with run_of_looks() as mine:
        _runs.add(mine)
        try:
            yield
        finally:
            _runs.discard(mine)
            if time.monotonic() - _aside[0] > ASIDE:
                gc.collect()
                _set_aside()


@contextmanager
def run_of_looks() -> Iterator[int]:
    """A run for which nobody waits, in which what is `constant_in_a_run` is looked up once. Gives
    its number."""
    mine: dict[Any, Any] = {}
    before = _run.set(mine)
    try:
        yield id(mine)
    finally:
        _run.reset(before)


def pages_run() -> bool:
    """Whether the run of some page goes on, of any reader."""
    return bool(_runs)


def constant_in_a_run(function: Callable[P, R]) -> Callable[P, R]:
    """Looks up a function's result once in the run of a page, and each time outside of one."""

    @wraps(function)
    def looking(*arguments: P.args, **named: P.kwargs) -> R:
        results = _run.get()
        if results is None:
            return function(*arguments, **named)
        key: Hashable = (function, arguments, *named.items())
        if key not in results:
            results[key] = function(*arguments, **named)
        return cast(R, results[key])

    return looking


@contextmanager
def _working(mine: _Work, work: str) -> Iterator[None]:
    """Work for this thread's reader: announced by the first that has a name."""
    reader = _reader.get()
    if reader is None and not work:
        yield
        return
    with _asking(work) if reader is None else nullcontext(reader) as reader:
        reader.works.append(mine)
        try:
            yield
        finally:
            reader.works.remove(mine)
        reader.end_if_alone()


@contextmanager
def _asking(work: str) -> Iterator[_Reader]:
    with _announcing[0](work) as listener:
        reader = _Reader(listener)
        before = _reader.set(reader)
        try:
            with progress.heard_by(reader.hear):
                yield reader
        finally:
            _reader.reset(before)


def _wait(other: _Work, changed: Condition, work: str) -> None:
    """Wait until another's work has ended, and see how far it is."""
    reader = _reader.get()
    try:
        with _asking(work) if reader is None and work else nullcontext(reader) as reader:
            while True:
                with changed:
                    if changed.wait_for(lambda: other.ended, LOOK):
                        return
                if reader is not None:
                    reader.hear(*other.part)
    finally:
        with changed:
            other.waiting -= 1


def _set_aside() -> None:
    """Let Python's garbage collector pass over what is remembered, which stays.

    Streamlit collects after every run of a script; over the tables and models in memory this takes
    a third of a step from query to query. What is no longer needed goes at the next sweep.
    """
    if time.monotonic() - _swept[0] > SWEEP:
        _swept[0] = time.monotonic()
        gc.unfreeze()
        gc.collect()
    gc.freeze()
    _aside[0] = time.monotonic()
    if time.monotonic() - _trimmed[0] > TRIM:
        _trimmed[0] = time.monotonic()
        _give_back()


def _give_back() -> None:
    """Give memory that is free back to the system, where the C library can: it keeps what lies
    between parts that are in use, a third of a server that has measured a million items."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def hits_and_misses() -> tuple[int, int]:
    """How often a result was remembered, and how often it was computed or read from its file."""
    looks = [memory.looks for memory in _memories]
    return sum(look["hits"] for look in looks), sum(look["misses"] for look in looks)


def is_remembered(function: Callable[..., Any], *arguments: Hashable) -> bool:
    """Whether the result of a function that is `remembered` by its arguments is there."""
    memory = cast(Any, function)
    with memory.cache_condition:
        return keys.hashkey(*arguments) in memory.cache


def announce_by(announcing: Announcing) -> None:
    """Sets how long work is announced, such as by a bar on a page; at first it is silent."""
    _announcing[0] = announcing


def forget() -> None:
    """Forgets all results, of all functions."""
    for memory in _memories:
        with memory.cache_condition:
            memory.cache.clear()
