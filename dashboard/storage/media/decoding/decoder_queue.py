"""One queue before the decoders, whatever they decode for: posters, uploads, fingerprints, covers.

A decoded picture takes four bytes a pixel or more, however small its file is. Large ones are
decoded one at a time, small ones beside them; those who ask (a collection's posters, the uploads)
take turns, so that nobody waits for all the pictures of another.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

AT_ONCE = 2
LARGE = 2_000_000  # pixels; of pictures above that one is decoded at a time


class _Queue:
    def __init__(self) -> None:
        self._waiting: dict[str, deque[int]] = {}
        """Tickets by who asks; who was served last stands last."""
        self._pixels: dict[int, int] = {}
        self._inside: set[int] = set()
        self._changed = threading.Condition()
        self._tickets = 0

    @contextmanager
    def turn(self, whose: str, pixels: int) -> Iterator[None]:
        """Wait until a picture of so many pixels may be decoded. whose: a name that all have in
        common who take turns as one."""
        with self._changed:
            self._tickets = mine = self._tickets + 1
            self._pixels[mine] = pixels
            self._waiting.setdefault(whose, deque()).append(mine)
            try:
                self._changed.wait_for(lambda: self._next() == mine)
                self._inside.add(mine)
            except BaseException:
                del self._pixels[mine]
                raise
            finally:
                mates = self._waiting.pop(whose)
                mates.remove(mine)
                if mates:
                    self._waiting[whose] = mates
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._inside.remove(mine)
                del self._pixels[mine]
                self._changed.notify_all()

    def _next(self) -> int | None:
        """The ticket whose turn it is: the first, of those who wait longest, that fits in."""
        firsts = (tickets[0] for tickets in self._waiting.values())
        return next((ticket for ticket in firsts if self._fits(ticket)), None)

    def _fits(self, ticket: int) -> bool:
        large = [each for each in self._inside if self._pixels[each] > LARGE]
        return len(self._inside) < AT_ONCE and not (large and self._pixels[ticket] > LARGE)


turn = _Queue().turn
