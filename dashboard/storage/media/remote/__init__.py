"""Opens media on other hosts, as far as `hosts` allows, and reads of them only what is asked for.

Through fsspec: http and https, s3 and gs where their libraries are installed. What was found out
about an address is remembered for a minute, and a host that does not answer is left alone for half
a minute, so that a page of posters does not wait for each of them.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from dashboard.storage.media.inside import LARGEST, Opened, Unusable
from dashboard.storage.media.remote.blocks import RemoteFile
from dashboard.storage.media.remote.client import asked, not_silent
from dashboard.storage.media.remote.hosts import allowed_address
from dashboard.storage.media.remote.known import Known

_REMEMBERED, _WRONG = 60.0, 30.0  # seconds
_UNSTAMPED = 600  # seconds for which a file without ETag and date counts as unchanged
_STAMPS = ("ETag", "etag", "generation", "Last-Modified", "LastModified", "updated", "mtime")
_PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif"}
_CLIPS = {".mp4", ".m4v", ".mov", ".webm"}


@dataclass(frozen=True)
class Facts:
    """What a host says of a file: its size in bytes, when it was changed, what it is known by."""

    size: int
    modified: float | None
    version: str


FACTS: Known[Facts | str] = Known(20_000)


def promise(address: str, kind: str) -> str:
    """The kind of a remote file, picture or clip, without asking its host; raises Unusable where it
    may not be asked, or lately gave nothing.

    kind: that of the item, image or video, where its table tells it; else the name's ending does.
    """
    address = allowed_address(address)
    not_silent(address)
    _remembered(address)
    ending = PurePosixPath(urlsplit(address).path).suffix.lower()
    if ending in _PICTURES or (kind == "image" and ending not in _CLIPS):
        return "picture"
    return "clip"


def version_of(address: str) -> str:
    """What stands for the version in the address of a remote file: the same for all its states."""
    return hashlib.blake2s(address.encode(), digest_size=6).hexdigest()


def open_remote(address: str) -> Opened:
    """Open a file on another host; raises Unusable. Nothing but its facts is fetched yet."""
    address = allowed_address(address)
    facts = _facts(address)
    file = RemoteFile(address, facts.size, facts.version)
    return Opened(file, facts.size, facts.modified, facts.version, known_as=facts.version)


def _facts(address: str) -> Facts:
    not_silent(address)
    known = _remembered(address)
    if known is None:
        try:
            known = _read(address, asked(address, "_info"))
        except Unusable as word:
            FACTS.keep(address, str(word), _WRONG)
            raise
        FACTS.keep(address, known, _REMEMBERED)
    return known


def _remembered(address: str) -> Facts | None:
    """The facts, if they are known; raises Unusable with the word that is remembered instead."""
    known = FACTS.recall(address)
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
    return Facts(size, _moment(said), hashlib.blake2s(identity, digest_size=16).hexdigest())


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
