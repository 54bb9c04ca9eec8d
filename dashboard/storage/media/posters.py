"""Makes the poster of an item that has none: the first frame of a clip, a small copy of a picture.

Posters are kept by the content of what they show, so they are made once, a renamed or copied
collection does not make them again, and a changed file never shows an old poster.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from PIL import Image

from dashboard.storage.media import kept
from dashboard.storage.media.formats import (
    NOT_DECODED,
    PICTURE_PIXELS,
    content_type,
    on_white,
    orientation,
    picture,
    upright,
)
from dashboard.storage.media.inside import NotMade, Opened, Unusable

WIDTH = 480
_DRAWN = 64  # pixels: what is no larger is shown pixel by pixel, so none may be smeared
_RECIPE = b"webp-480-2"  # change it when posters are made in another way
_WHOLE = 64_000_000  # bytes; larger files are known by their size, beginning and end
_SAMPLE = 1_000_000


def poster_of(opened: Opened, second: float = 0.0) -> bytes:
    """The poster of an open picture or clip as WebP, at most 480 pixels wide; raises Unusable.

    `second` is where the item begins in a longer clip.
    """
    key = hashlib.blake2s(
        _digest_of(opened) + _RECIPE + f"{second:.3f}".encode(), digest_size=16
    ).hexdigest()
    known = kept.recall(f"{key}.webp")
    if known is not None:
        return known
    made = _made(opened.file, second)
    kept.keep(f"{key}.webp", made)
    return made


def _digest_of(opened: Opened) -> bytes:
    if opened.known_as:
        return opened.known_as.encode()
    known = _DIGESTS.get(opened.version)
    if known is None:
        known = _DIGESTS[opened.version] = _content_digest(opened.file, opened.size)
        if len(_DIGESTS) > 10_000:
            _DIGESTS.pop(next(iter(_DIGESTS)))
    return known


_DIGESTS: dict[str, bytes] = {}


def _content_digest(file: BinaryIO, size: int) -> bytes:
    digest = hashlib.sha256(str(size).encode())
    file.seek(0)
    if size <= _WHOLE:
        while block := file.read(_SAMPLE):
            digest.update(block)
    else:
        digest.update(file.read(_SAMPLE))
        file.seek(size - _SAMPLE)
        digest.update(file.read(_SAMPLE))
    return digest.digest()


def _made(file: BinaryIO, second: float) -> bytes:
    still = picture(file) if content_type(file).startswith("image/") else _frame(file, second)
    try:
        still.draft("RGB", (WIDTH * 2, WIDTH * 2))
        small = on_white(upright(eight_bits(still), orientation(still)))
        small.thumbnail((WIDTH, WIDTH))
        written = io.BytesIO()
        small.save(written, "WEBP", quality=75, lossless=max(small.size) <= _DRAWN)
    except NOT_DECODED as error:
        raise NotMade("damaged") from error
    return written.getvalue()


def eight_bits(still: Image.Image) -> Image.Image:
    """16-bit grey scaled down: Pillow's own conversion clips it to white."""
    if still.mode.startswith("I;16"):
        return still.point(lambda value: value / 256).convert("L")
    return still


def _frame(file: BinaryIO, second: float) -> Image.Image:
    """The frame of a clip at `second`. The demuxer is named: no playlist can open other files."""
    import av

    webm = content_type(file) == "video/webm"
    file.seek(0)
    try:
        with av.open(file, format="matroska" if webm else "mov") as clip:
            for frame in _from(clip, second):
                still: Image.Image = frame.to_image()
                return still
    except (av.FFmpegError, IndexError, OSError, ValueError, MemoryError) as error:
        raise NotMade("not playable") from error
    raise NotMade("not playable")


def _from(clip: Any, second: float) -> Iterator[Any]:
    stream = clip.streams.video[0]
    if stream.codec_context.width * stream.codec_context.height > PICTURE_PIXELS:
        raise Unusable("too many pixels")
    if second:
        clip.seek(int(second * 1_000_000), backward=True)
    for frame in clip.decode(stream):
        if frame.time is None or frame.time >= second - 1e-3:
            yield frame
