"""How items and queries look: addresses of clips and posters, small pictures for a report, and
pictures that are uploaded to search with.

Whether a file is there is looked up each time.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dashboard.experiment.collection.collections import collection_in
from dashboard.experiment.memory import each_remembered, remembered
from dashboard.storage.collection.collection import Collection
from dashboard.storage.media import item_media, query_pictures, uploads
from dashboard.storage.media.decoding.decoder import laid_out
from dashboard.storage.media.decoding.decoder_queue import turn
from dashboard.storage.media.decoding.formats import (
    COSTLY_PIXELS,
    PICTURE_PIXELS,
    WHOLE_PIXELS,
    pixels_of,
)
from dashboard.storage.media.lookup import Row
from dashboard.storage.media.safe_open import Unusable

UPLOADED_KINDS = uploads.KINDS
"""How the names of files end that may be uploaded."""
_QUALITY = 70
ROWS = 20_000
"""Rows of items that are remembered."""


@dataclass(frozen=True)
class Thumbnail:
    """A small picture: its bytes as WebP, its size in pixels."""

    webp: bytes
    width: int
    height: int


def media_of(collection: Collection, item_ids: Sequence[str]) -> pd.DataFrame:
    """How items look: addresses of clip and poster, or the word for what is wrong with them.

    Where no item of the collection names a file none is missing: an item is the text of its
    caption, else of its id.
    """
    return pd.DataFrame(looks_of(collection, item_ids), columns=item_media.COLUMNS)


@remembered(32)
def _is_list_of_ids(folder: str, digest: str) -> bool:
    return not collection_in(folder, digest).items["file"].fillna("").ne("").any()


def looks_of(collection: Collection, item_ids: Iterable[str]) -> list[dict[str, Any]]:
    """The rows of `media_of`, each as a record."""
    wanted, of = list(dict.fromkeys(item_ids)), (str(collection.folder), collection.digest)
    rows = _rows(*of, tuple(wanted))
    there = {item: one[0] for item, one in zip(wanted, rows, strict=True) if one}
    looks = item_media.looks(collection, wanted, there)
    if not _is_list_of_ids(*of):
        return looks
    return [
        _as_text(look) if look["item_id"] in there and not look["poster"] else look
        for look in looks
    ]


def _as_text(look: dict[str, Any]) -> dict[str, Any]:
    caption = look["caption"] or look["item_id"]
    return {**look, "kind": item_media.TEXT, "problem": "", "caption": caption}


def row_of(collection: Collection, item_id: str) -> Row | None:
    """The row of an item in the table of the items; None where it is no item."""
    (row,) = _rows(str(collection.folder), collection.digest, (item_id,))
    return row[0] if row else None


@each_remembered(ROWS, lambda row: 1, lasts=False)
def _rows(folder: str, digest: str, item_ids: tuple[str, ...]) -> list[tuple[Row, ...]]:
    """The row of each item in the table of the items; none for what is no item."""
    places = _items(folder, digest).get_indexer(pd.Index(item_ids, dtype="str"))
    rows = collection_in(folder, digest).items.iloc[places[places >= 0]]
    records = iter(rows.to_dict("records"))
    return [(next(records),) if place >= 0 else () for place in places]


@remembered(8)
def _items(folder: str, digest: str) -> pd.Index:
    index: pd.Index = pd.Index(collection_in(folder, digest).items["item_id"])
    return index


def pictures_of(collection: Collection, query_ids: Sequence[str]) -> pd.DataFrame:
    """What stored queries search with: address of a picture, text of an item, or what is wrong."""
    pictures = query_pictures.pictures(collection, query_ids)
    if not _is_list_of_ids(str(collection.folder), collection.digest):
        return pictures
    of_items = pictures["item_id"] != ""  # which are texts: the query's words name them
    return pictures.assign(problem=pictures["problem"].mask(of_items, ""))


def thumbnail(collection: Collection, item_id: str) -> Thumbnail | str:
    """A small picture of an item, or the word for what is wrong with its poster."""
    try:
        return _small(item_media.poster(collection, item_id))
    except Unusable as word:
        return str(word)


def _small(content: bytes) -> Thumbnail:
    file, written = io.BytesIO(content), io.BytesIO()
    with turn("thumbnails/", pixels_of(file)):
        small = laid_out(file, "thumbnail")
    small.save(written, "WEBP", quality=_QUALITY, method=6)
    return Thumbnail(written.getvalue(), small.width, small.height)


def save_upload(content: bytes, name: str) -> str:
    """Saves an uploaded picture and returns its fingerprint.

    name: of the file, for the sentence of the ValueError that is raised where it cannot be used or
    saved.
    """
    try:
        return uploads.keep(content)
    except uploads.NotKept as word:
        raise ValueError(f"{name}: {word}.") from word
    except Unusable as word:
        raise ValueError(
            f"{name}: {word}. Upload a picture ({', '.join(UPLOADED_KINDS)}), of at most "
            f"{PICTURE_PIXELS // 1_000_000} million pixels (PNG: "
            f"{WHOLE_PIXELS // 1_000_000} million, WebP, AVIF and GIF: "
            f"{COSTLY_PIXELS // 1_000_000} million)."
        ) from word


def is_saved(fingerprint: str) -> bool:
    """Whether the uploaded picture of a fingerprint is (still) in the cache folder."""
    return uploads.is_kept(fingerprint)


def upload_address(fingerprint: str) -> str:
    """The address of an uploaded picture, relative to the app's root."""
    return uploads.address_of(fingerprint)
