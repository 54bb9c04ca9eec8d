"""Pictures that were uploaded to search with: kept by their fingerprint, so that the link to such a
search shows it again. What is used least goes, as with posters."""

from __future__ import annotations

import hashlib
import io
import re

from PIL import Image
from starlette.routing import Route

from dashboard.storage.cache import disk_cache
from dashboard.storage.media.decoding.decoder import laid_out
from dashboard.storage.media.decoding.decoder_queue import turn
from dashboard.storage.media.decoding.formats import content_type, pixels_of
from dashboard.storage.media.safe_open import Opened, Unusable
from dashboard.storage.media.serving import Content, answer
from dashboard.tables import DataError

UPLOADS = "uploads"
LARGEST = 50_000_000  # bytes of an uploaded file
KINDS = ("jpg", "jpeg", "png", "webp", "gif", "avif")
"""How the names of files end that may hold one; what a file is, its first bytes tell."""
UPLOAD_AGAIN = "the same picture: upload it again"
FINGERPRINT = re.compile(r"[0-9a-f]{64}")
_NOT_KEPT = (
    "it cannot be kept here: the cache folder cannot be written, or DASHBOARD_CACHE_MB leaves no "
    "room in it"
)


class NotKept(Unusable):
    """A picture that is as it should be, but that the cache folder does not take."""


def keep(content: bytes) -> str:
    """Keep an uploaded picture as `clean` lays it out; returns its fingerprint. Raises Unusable,
    NotKept where the cache folder does not take it."""
    file = io.BytesIO()
    clean(content).save(file, "WEBP", lossless=True, exact=True)
    fingerprint = hashlib.sha256(file.getvalue()).hexdigest()
    if not disk_cache.keep(_name(fingerprint), file.getvalue()):
        raise NotKept(_NOT_KEPT)
    return fingerprint


def clean(content: bytes) -> Image.Image:
    """The picture of a file, upright and without anything that the file says beside the pixels
    (place, time, camera) or below fully transparent ones, at most UPLOAD_SIDE wide and high; of
    a moving one the first picture.

    Raises Unusable with a word for what is no picture, damaged or too large.
    """
    if len(content) > LARGEST:
        raise Unusable(f"larger than {LARGEST:,} bytes")
    file = io.BytesIO(content)
    if not content_type(file).startswith("image/"):
        raise Unusable("not a picture")
    with turn("uploads/", pixels_of(file)):
        return laid_out(file, "upload")


def is_kept(fingerprint: str) -> bool:
    """Whether the uploaded picture of a fingerprint is kept (still)."""
    return bool(FINGERPRINT.fullmatch(fingerprint)) and disk_cache.is_kept(_name(fingerprint))


def kept_picture(fingerprint: str) -> bytes | None:
    """The uploaded picture of a fingerprint as a WebP file; None: it is not kept (any more)."""
    if not FINGERPRINT.fullmatch(fingerprint):
        return None
    return disk_cache.recall(_name(fingerprint))


def address_of(fingerprint: str) -> str:
    """The address of an uploaded picture, relative to the app's root."""
    return f"{UPLOADS}/kept?item={fingerprint}&v={fingerprint[:12]}"


def routes() -> list[Route]:
    """The route `/uploads/kept?item=FINGERPRINT`, for `st.App(routes=…)`."""

    def find(_: str, fingerprint: str) -> Content:
        content = kept_picture(fingerprint)
        if content is None:
            raise Unusable("not kept")
        opened = Opened(io.BytesIO(content), len(content), None, fingerprint[:12])
        return Content(opened, "image/webp")

    return [Route(f"/{UPLOADS}/{{collection}}", answer(find, lambda *_: False), name="upload")]


def uploaded_picture(fingerprint: str) -> Image.Image:
    """The uploaded picture of a fingerprint; raises DataError where it is not kept (any more)."""
    content = kept_picture(fingerprint)
    if content is None:
        raise DataError("the uploaded picture", "none that is kept (any more)", UPLOAD_AGAIN)
    return Image.open(io.BytesIO(content), formats=["WEBP"])


def _name(fingerprint: str) -> str:
    return f"{fingerprint}.upload"
