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
    listener = _listener.get()
    for number, part in enumerate(of):
        if listener is not None:
            listener(work, number, len(of))
        yield part


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let a listener hear of the work that this thread does within a block."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)
