"""What was lately found out about other hosts, kept for a while and bounded in number."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Known(Generic[Found]):
    """The last `most` things found out; those used last stay longest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[Hashable, tuple[float, Found]] = OrderedDict()
        self._one_at_a_time = threading.Lock()

    def recall(self, name: Hashable) -> Found | None:
        """What was found out, unless it is too long ago."""
        with self._one_at_a_time:
            until, found = self._found.get(name, (0.0, None))
            if until <= time.monotonic():
                return None
            self._found.move_to_end(name)
            return found

    def keep(self, name: Hashable, found: Found, seconds: float = float("inf")) -> None:
        """Remember it for so many seconds."""
        with self._one_at_a_time:
            self._found[name] = (time.monotonic() + seconds, found)
            self._found.move_to_end(name)
            while len(self._found) > self._most:
                self._found.popitem(last=False)

    def drop(self, name: Hashable) -> None:
        """Forget one thing."""
        with self._one_at_a_time:
            self._found.pop(name, None)

    def forget(self) -> None:
        """Forget everything."""
        with self._one_at_a_time:
            self._found.clear()
