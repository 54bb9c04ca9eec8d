"""What other hosts say of files, remembered for a minute."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from cachetools import TLRUCache

from dashboard.storage.media.remote.client import info_of, not_silent
from dashboard.storage.media.remote.shared_cache import SharedCache
from dashboard.storage.media.safe_open import LARGEST, Unusable

_REMEMBERED, _WRONG = 60.0, 30.0  # seconds
_UNSTAMPED = 600  # seconds for which a file without ETag and date counts as unchanged
_STAMPS = ("generation", "ETag", "etag", "Last-Modified", "LastModified", "updated", "mtime")


@dataclass(frozen=True)
class Facts:
    """What a host says of a file: its size in bytes, when it was changed, what it is known by here
    and by its host (empty: by nothing that a question may name)."""

    size: int
    modified: float | None
    version: str
    state: str


def expires(address: Hashable, facts: Facts | str, now: float) -> float:
    """When an answer is too old; a word for what went wrong is so earlier."""
    return now + (_WRONG if isinstance(facts, str) else _REMEMBERED)


FACTS: SharedCache[Facts | str] = SharedCache(TLRUCache(20_000, ttu=expires))


def facts_of(address: str) -> Facts:
    """What the host says of a file, at most a minute ago; raises Unusable."""
    not_silent(address)
    known = remembered(address)
    if known is None:
        try:
            known = _read(address, info_of(address))
        except Unusable as word:
            FACTS.put(address, str(word))
            raise
        FACTS.put(address, known)
    return known


def remembered(address: str) -> Facts | None:
    """The facts, if they are known; raises Unusable with the word that is remembered instead."""
    known = FACTS.get(address)
    if isinstance(known, str):
        raise Unusable(known)
    return known


def _read(address: str, said: dict[str, Any]) -> Facts:
    size = said.get("size")
    if said.get("type", "file") != "file":
        raise Unusable("not a file")
    if not isinstance(size, int):
        raise Unusable("of unknown size")
    if size == 0:
        raise Unusable("empty")
    if size > LARGEST:
        raise Unusable("too large (over 2 GB)")
    stamp = next((said[name] for name in _STAMPS if said.get(name)), None)
    if stamp is None:
        stamp = int(time.time() // _UNSTAMPED)
    identity = f"{address}\n{size}\n{stamp}".encode()
    version = hashlib.blake2s(identity, digest_size=16).hexdigest()
    return Facts(size, _moment(said), version, _state(address, said))


def _state(address: str, said: dict[str, Any]) -> str:
    """What a question for a part may name, so that no answer is of another state of the file."""
    state = str(said.get("generation" if address.startswith("gs://") else "ETag") or "")
    return "" if state.startswith("W/") else state  # a weak one is of many states


def _moment(said: dict[str, Any]) -> float | None:
    """When a file was changed, in seconds since 1970; None where its host does not say."""
    for name in ("LastModified", "mtime", "Last-Modified"):
        when = said.get(name)
        if isinstance(when, datetime):
            return when.timestamp()
        if isinstance(when, str):
            try:
                return parsedate_to_datetime(when).timestamp()
            except ValueError:
                continue
    return None
