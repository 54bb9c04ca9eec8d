"""Which items of a collection are near-duplicates, as the screens find them."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.evaluation import duplicates
from dashboard.storage import media
from dashboard.storage.collection import Collection
from dashboard.storage.media.hashes import picture_hash
from dashboard.storage.media.inside import Unusable
from dashboard.tables import DataError


def copies_of(collection: Collection) -> dict[str, str]:
    """Each item of the gallery that is a copy → the first item that it is a copy of.

    Raises DataError for a gallery that is too large to compare each item with each.
    """
    gallery = collection.items["item_id"].tolist()
    if len(gallery) > duplicates.MOST:
        wanted = f"at most {duplicates.MOST:,} to look for near-duplicates"
        cure = "Let them be counted."
        raise DataError(collection.name, f"{len(gallery):,} items", wanted, cure=cure)
    by_version = [
        duplicates.alike(model.items.ids, model.items.matrix)
        for model in collection.models.values()
    ]
    hashes = _hashes(collection, gallery) if len(gallery) <= duplicates.MOST_PICTURES else {}
    return duplicates.copies(gallery, by_version, duplicates.same_picture(hashes))


def _hashes(collection: Collection, item_ids: Sequence[str]) -> dict[str, bytes]:
    """The hash of each poster that can be told from others; none is fetched from another host."""
    shown = media.media(collection, item_ids)
    near = shown[~shown["far"].astype(bool) & (shown["poster"] != "")]
    found = {item: _hash(collection, item) for item in near["item_id"]}
    return {item: bits for item, bits in found.items() if bits}


def _hash(collection: Collection, item_id: str) -> bytes:
    try:
        return picture_hash(media.poster(collection, item_id))
    except Unusable:
        return b""
