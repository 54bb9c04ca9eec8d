"""Reads a file on another host in blocks, of which the last ones are kept: players and posters come
back to the same places, such as the table of contents of a clip."""

from __future__ import annotations

import io
import time
from math import inf
from typing import Any

from cachetools import LRUCache

from dashboard.storage.media.remote.client import give_up, part_of
from dashboard.storage.media.remote.facts import FACTS, Facts
from dashboard.storage.media.remote.shared_cache import SharedCache
from dashboard.storage.media.remote.web import CHANGED
from dashboard.storage.media.safe_open import Unusable

BLOCK = 256 * 1024  # bytes
BLOCKS: SharedCache[bytes] = SharedCache(LRUCache(256))  # 64 MB


class RemoteFile(io.RawIOBase):
    """A remote file in the state that its facts tell of, open for reading."""

    def __init__(self, address: str, facts: Facts) -> None:
        super().__init__()
        self._address, self._facts, self._size, self._at = address, facts, facts.size, 0
        self._until = inf

    def hurry(self, seconds: float) -> None:
        """From now on all reading together may take so many seconds, then it is Unusable."""
        self._until = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def readinto(self, wanted: Any) -> int:
        """Fills as much of the buffer as one block has; raises Unusable where the host fails."""
        view = memoryview(wanted).cast("B")
        number, within = divmod(self._at, BLOCK)
        if self._at >= self._size or not len(view):
            return 0
        part = self._block(number)[within : within + len(view)]
        if not part:
            raise Unusable(CHANGED)
        view[: len(part)] = part
        self._at += len(part)
        return len(part)

    def read(self, size: int = -1) -> bytes:
        """All that was asked for, not only what one block has; fewer bytes at the end."""
        left = self._size - self._at if size is None or size < 0 else size
        pieces = []
        while left > 0:
            piece = super().read(min(left, BLOCK))
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def _block(self, number: int) -> bytes:
        key = (self._facts.version, number)
        known = BLOCKS.get(key)
        if known is not None:
            return known
        if time.monotonic() > self._until:
            raise give_up(self._address)
        start, end = number * BLOCK, min((number + 1) * BLOCK, self._size)
        found = self._fetched(start, end)
        if len(found) == end - start:
            BLOCKS.put(key, found)
            return found
        for place in range(0, self._size, BLOCK):  # a host that sends no parts sent all of it
            BLOCKS.put((self._facts.version, place // BLOCK), found[place : place + BLOCK])
        return found[start:end]

    def _fetched(self, start: int, end: int) -> bytes:
        """A part of the file, or all of it; where it changed, its facts are asked for again."""
        try:
            found = part_of(self._address, range(start, end), self._size, self._facts.state)
            if len(found) not in (end - start, self._size):
                raise Unusable(CHANGED)
        except Unusable as word:
            if str(word) in (CHANGED, "missing"):
                FACTS.drop(self._address)
            raise
        return found
