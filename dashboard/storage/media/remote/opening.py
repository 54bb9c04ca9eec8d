"""Opens media on other hosts, as far as `hosts` allows, and reads of them only what is asked for.

Through fsspec: http and https, s3 and gs where their libraries are installed. What was found out
about an address is remembered for a minute, and a host that does not answer is left alone for half
a minute, so that a page of posters does not wait for each of them.
"""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath
from typing import BinaryIO, cast
from urllib.parse import urlsplit

from dashboard.storage.media.remote.blocks import RemoteFile
from dashboard.storage.media.remote.client import not_silent
from dashboard.storage.media.remote.facts import facts_of, remembered
from dashboard.storage.media.remote.hosts import allowed_address, in_bucket
from dashboard.storage.media.safe_open import Opened

_PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif"}
_CLIPS = {".mp4", ".m4v", ".mov", ".webm"}


def promise(address: str, kind: str) -> str:
    """The kind of a remote file, picture or clip, without asking its host; raises Unusable where it
    may not be asked, or lately gave nothing.

    kind: that of the item, image or video, where its table tells it; else the name's ending does.
    """
    address = allowed_address(address)
    not_silent(address)
    remembered(address)
    found = in_bucket(address)
    ending = PurePosixPath(found[1] if found else urlsplit(address).path).suffix.lower()
    if ending in _PICTURES or (kind == "image" and ending not in _CLIPS):
        return "picture"
    return "clip"


def version_of(address: str) -> str:
    """What stands for the version in the address of a remote file: the same for all its states."""
    return hashlib.blake2s(address.encode(), digest_size=6).hexdigest()


def open_remote(address: str) -> Opened:
    """Open a file on another host; raises Unusable. Nothing but its facts is fetched yet."""
    address = allowed_address(address)
    facts = facts_of(address)
    file = RemoteFile(address, facts)
    return Opened(
        cast(BinaryIO, file), facts.size, facts.modified, facts.version, known_as=facts.version
    )
