"""How items and queries look: addresses of clips and posters, small pictures for a report, and
pictures that are uploaded to search with.

Whether a file is there is looked up each time.
"""

from __future__ import annotations

import io
from collections.abc import Container, Sequence
from dataclasses import dataclass

import pandas as pd

from dashboard.experiment.collection.collections import collection_in
from dashboard.experiment.memory import remembered
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
    wanted = tuple(dict.fromkeys(item_ids))
    place = (str(collection.folder), collection.digest)
    rows = _rows(*place, wanted)
    media = item_media.media(collection, wanted, rows)
    return _as_texts(media, rows) if _is_list_of_ids(*place) else media


@remembered(32)
def _is_list_of_ids(folder: str, digest: str) -> bool:
    return not collection_in(folder, digest).items["file"].fillna("").ne("").any()


def _as_texts(media: pd.DataFrame, rows: Container[str]) -> pd.DataFrame:
    """The same with the items of the collection as texts, but for those with a poster."""
    bare = (media["poster"] == "") & media["item_id"].map(lambda item: item in rows)
    words = media["caption"].where(media["caption"] != "", media["item_id"])
    return media.assign(
        kind=media["kind"].mask(bare, item_media.TEXT),
        problem=media["problem"].mask(bare, ""),
        caption=media["caption"].mask(bare, words),
    )


@remembered(1_000)
def _rows(folder: str, digest: str, item_ids: tuple[str, ...]) -> dict[str, Row]:
    return item_media.rows_of_items(collection_in(folder, digest), list(item_ids))


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
