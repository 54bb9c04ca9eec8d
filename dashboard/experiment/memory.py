"""Remembers computed results until newer ones take their place, for the app and the command line;
those that last, in the cache folder, too.

The keys are the arguments of a function: equal experiments have equal numbers. Results are shared
between sessions, so nobody may change one.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from threading import Condition
from typing import Any, ParamSpec, TypeVar, cast

from cachetools import Cache, LRUCache, TTLCache, cached, keys

from dashboard.experiment import lasting

P = ParamSpec("P")
R = TypeVar("R")

Announcing = Callable[[str], AbstractContextManager[Any]]

SWEEP = 300.0
"""Seconds after which garbage is looked for in all that is remembered, too."""

_swept = [time.monotonic()]
_memories: list[Any] = []
_announcing: list[Announcing] = [lambda work: nullcontext()]


def remembered(
    entries: int,
    *,
    seconds: float | None = None,
    work: str = "",
    key: Callable[..., tuple[Hashable, ...]] = keys.hashkey,
    lasts: bool = False,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Remembers a function's newest results, at most `entries`, each for at most some seconds.

    Callers with equal arguments at the same time wait for one computation. An error is not
    remembered.

    work: what is announced while a result is computed, where that takes long.
    key: computes from the arguments what the result depends on; without it, the arguments.
    lasts: whether a result is written into the cache folder, too, and read from there after a
    restart: for what is dearer to compute than to read.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        results: Cache[Any, R] = (
            LRUCache(entries) if seconds is None else TTLCache(entries, seconds)
        )
        computing = _computing(function, work)
        if lasts:
            computing = lasting.read_or_computed(function, computing)
        remembering = cached(results, key=key, condition=Condition())(computing)
        _memories.append(remembering)
        return cast(Callable[P, R], remembering)

    return decorate


def _computing(function: Callable[P, R], work: str) -> Callable[P, R]:
    @wraps(function)
    def computing(*arguments: P.args, **named: P.kwargs) -> R:
        with _announcing[0](work) if work else nullcontext():
            result = function(*arguments, **named)
        _set_aside()
        return result

    return computing


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


def announce_by(announcing: Announcing) -> None:
    """Sets the context in which long work runs, such as a spinner; at first there is none."""
    _announcing[0] = announcing


def forget() -> None:
    """Forgets all results, of all functions."""
    for memory in _memories:
        with memory.cache_condition:
            memory.cache.clear()
