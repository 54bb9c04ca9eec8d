"""Pictures that were uploaded to search with: kept by their fingerprint, so that the link to such a
search shows it again. What is used least goes, as with posters."""

from __future__ import annotations

import hashlib
import io
import re

from PIL import Image, ImageOps
from starlette.routing import Route

from dashboard.storage.media import kept
from dashboard.storage.media.formats import content_type, picture
from dashboard.storage.media.inside import Opened, Unusable
from dashboard.storage.media.posters import eight_bits
from dashboard.storage.media.serving import Content, answer
from dashboard.tables import DataError

UPLOADS = "uploads"
LONGEST_SIDE = 1_024  # pixels: more than any encoder looks at
LARGEST = 50_000_000  # bytes of an uploaded file
KINDS = ("jpg", "jpeg", "png", "webp", "gif", "avif")
"""How the names of files end that may hold one; what a file is, its first bytes tell."""
UPLOAD_AGAIN = "the same picture: upload it again"
FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def keep(content: bytes) -> str:
    """Keep an uploaded picture as `clean` lays it out; returns its fingerprint. Raises Unusable."""
    file = io.BytesIO()
    clean(content).save(file, "WEBP", lossless=True, exact=True)
    fingerprint = hashlib.sha256(file.getvalue()).hexdigest()
    kept.keep(_name(fingerprint), file.getvalue())
    return fingerprint


def clean(content: bytes) -> Image.Image:
    """The picture of a file, upright and without anything that the file says beside the pixels
    (place, time, camera), at most LONGEST_SIDE wide and high; of a moving one the first picture.

    Raises Unusable with a word for what is no picture, damaged or too large.
    """
    if len(content) > LARGEST:
        raise Unusable(f"larger than {LARGEST:,} bytes")
    file = io.BytesIO(content)
    if not content_type(file).startswith("image/"):
        raise Unusable("not a picture")
    try:
        with picture(file) as opened:
            opened.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
            upright = ImageOps.exif_transpose(eight_bits(opened))
            seen = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        raise Unusable("damaged") from error
    seen.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    seen.info.clear()
    return seen


def kept_picture(fingerprint: str) -> bytes | None:
    """The uploaded picture of a fingerprint as a WebP file; None: it is not kept (any more)."""
    if not FINGERPRINT.fullmatch(fingerprint):
        return None
    return kept.recall(_name(fingerprint))


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
