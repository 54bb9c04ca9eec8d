"""A fingerprint of what a picture shows: copies of it, smaller or coded anew, have nearly the same.

It is the difference hash: of the picture in 17 × 16 shades of grey, whether each is brighter than
the one on its left. It is kept beside the posters.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from dashboard.storage.cache import disk_cache
from dashboard.storage.media.decoding.decoder import laid_out
from dashboard.storage.media.decoding.decoder_queue import turn
from dashboard.storage.media.decoding.formats import pixels_of
from dashboard.storage.media.item_media import HasMedia, poster
from dashboard.storage.media.lookup import Row
from dashboard.storage.media.safe_open import Unusable

DECIDED = 64  # of the 256 differences; with fewer that are any, pictures are alike by being plain
_RECIPE = b"difference-16-4"  # change it when hashes are made in another way


def picture_hash(encoded: bytes) -> bytes:
    """The 256 bits of an encoded picture; empty where it is too plain to be told from others.

    Raises Unusable for what is no picture.
    """
    key = hashlib.blake2s(encoded + _RECIPE, digest_size=16).hexdigest()
    known = disk_cache.recall(f"{key}.hash")
    if known is not None:
        return known
    made = _made(encoded)
    disk_cache.keep(f"{key}.hash", made)
    return made


def hashes_of(
    looks: Iterable[Mapping[str, Any]], hash_of: Callable[[str, str], bytes]
) -> dict[str, bytes]:
    """The hash of each item's poster that can be told from others; none is fetched from afar.

    looks: rows of the table of `media`. hash_of: `poster_hash`, or what remembers it, of an item
    and of its poster's address, which holds the version of the file.
    """
    near = [look for look in looks if look["poster"] and not look["far"]]
    found = {look["item_id"]: hash_of(look["item_id"], look["poster"]) for look in near}
    return {item: bits for item, bits in found.items() if bits}


def poster_hash(collection: HasMedia, item_id: str, row: Row | None = None) -> bytes:
    """The hash of an item's poster; empty where it cannot be shown, which its card says. row: of
    the item, where it is at hand."""
    try:
        return picture_hash(poster(collection, item_id, row))
    except Unusable:
        return b""


def _made(encoded: bytes) -> bytes:
    file = io.BytesIO(encoded)
    with turn("fingerprints/", pixels_of(file)):
        small = laid_out(file, "shades")
    grey = np.asarray(small, dtype=np.int16)
    steps = np.diff(grey, axis=1)
    if (np.abs(steps) > 1).sum() < DECIDED:
        return b""
    return np.packbits(steps > 0).tobytes()
