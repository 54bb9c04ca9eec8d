"""What has been computed is remembered until newer results take its place; the app and the command
line share this one memory, and it knows neither.

Its keys are the arguments, compared and not hashed as content: an `Experiment` is equal to another
where their numbers are. Results are shared between sessions; nobody changes one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from threading import Condition
from typing import Any, ParamSpec, TypeVar, cast

from cachetools import Cache, LRUCache, TTLCache, cached

P = ParamSpec("P")
R = TypeVar("R")

Announcing = Callable[[str], AbstractContextManager[Any]]

_memories: list[Any] = []
_announcing: list[Announcing] = [lambda work: nullcontext()]


def remembered(
    entries: int, *, seconds: float | None = None, work: str = ""
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Remembers a function's newest results, at most `entries`, each for at most some seconds.

    Callers who ask for the same at once wait for one computation. An error is not remembered.
    work: what is announced while a result is computed, where that takes long.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        results: Cache[Any, R] = (
            LRUCache(entries) if seconds is None else TTLCache(entries, seconds)
        )
        remembering = cached(results, condition=Condition())(_announced(function, work))
        _memories.append(remembering)
        return cast(Callable[P, R], remembering)

    return decorate


def _announced(function: Callable[P, R], work: str) -> Callable[P, R]:
    if not work:
        return function

    @wraps(function)
    def computing(*arguments: P.args, **named: P.kwargs) -> R:
        with _announcing[0](work):
            return function(*arguments, **named)

    return computing


def announce_by(announcing: Announcing) -> None:
    """Sets how long work is announced: a context for its duration. At first nothing is said."""
    _announcing[0] = announcing


def forget() -> None:
    """Forgets all results, of all functions."""
    for memory in _memories:
        with memory.cache_condition:
            memory.cache.clear()
