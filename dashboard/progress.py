"""How far long work is: loops over large data report each part, whoever waits for them listens.

A listener may raise, which ends the work between two parts: nobody waits for it any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[str, int, int], None]
"""Is told what is done, how many parts of it are done, and how many there are."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def parts(work: str, of: Sequence[T]) -> Iterator[T]:
    """The parts of some work, one after the other; before each it is told how many are done.

    work: what is done with them, in a word, such as "searching".
    """
    for number, part in enumerate(of):
        report(work, number, len(of))
        yield part


def report(work: str, done: int, total: int) -> None:
    """Tell the listener, if there is one, how many parts of some work are done; it may raise."""
    listener = _listener.get()
    if listener is not None:
        listener(work, done, total)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let a listener hear of the work that this thread does within a block."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)
