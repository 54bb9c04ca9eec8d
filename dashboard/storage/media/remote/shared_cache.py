"""A cache of cachetools behind a lock: requests are answered by several threads."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Generic, TypeVar

from cachetools import Cache

Value = TypeVar("Value")


class SharedCache(Generic[Value]):
    """The values of a cache, which limits their number and their age, for several threads."""

    def __init__(self, values: Cache[Hashable, Value]) -> None:
        self._values = values
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Value | None:
        """The value; None where there is none, or it is too old."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: Hashable, value: Value) -> None:
        """Add or replace a value."""
        with self._lock:
            self._values[key] = value

    def drop(self, key: Hashable) -> None:
        """Remove a value, if it is there."""
        with self._lock:
            self._values.pop(key, None)

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()
