"""Makes the poster of an item that has none: the first frame of a clip, a small copy of a picture.

Posters are kept by the content of what they show, so they are made once, a renamed or copied
collection does not make them again, and a changed file never shows an old poster.
"""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Iterator
from math import isnan
from typing import Any, BinaryIO

from PIL import Image

from dashboard.storage.cache import disk_cache
from dashboard.storage.media.decoding.decoder import laid_out
from dashboard.storage.media.decoding.decoder_queue import turn
from dashboard.storage.media.decoding.formats import (
    FRAME_PIXELS,
    content_type,
    pixels_of,
)
from dashboard.storage.media.decoding.layouts import poster
from dashboard.storage.media.safe_open import NotMade, Opened, Unusable
from dashboard.storage.media.spans import WHOLE, Part, is_length_of

_DRAWN = 64  # pixels: what is no larger is shown pixel by pixel, so none may be smeared
_CLIP_TIME = 20.0  # seconds until the frame that is looked for must have come
_RECIPE = b"webp-480-3"  # change it when posters are made in another way
_WHOLE = 64_000_000  # bytes; larger files are known by their size, beginning and end
_SAMPLE = 1_000_000


def poster_of(opened: Opened, part: Part = WHOLE, whose: str = "") -> bytes:
    """The poster of an open picture or clip as WebP, at most 480 pixels wide; raises Unusable.

    `part` is that of a longer clip which the item is: its first frame is shown. whose: the
    collection, which takes turns with others where posters are made.
    """
    second = 0.0 if isnan(part.begin) else part.begin
    place = f"{second:.3f}" + (f" to {part.end:.3f}" if part.length_decides else "")
    key = hashlib.blake2s(_digest_of(opened) + _RECIPE + place.encode(), digest_size=16).hexdigest()
    name = f"{key}.webp"
    known = disk_cache.recall(name)
    if known is not None:
        return known
    is_picture = content_type(opened.file).startswith("image/")
    with turn(whose, pixels_of(opened.file) if is_picture else FRAME_PIXELS):
        known = disk_cache.recall(name)  # whoever asked before may have made it
        if known is not None:
            return known
        if is_picture:
            made = _written(laid_out(opened.file, "poster"))
        else:
            made = _written(poster(_frame(opened.file, part)))
    disk_cache.keep(name, made)
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


def _written(small: Image.Image) -> bytes:
    written = io.BytesIO()
    small.save(written, "WEBP", quality=75, lossless=max(small.size) <= _DRAWN)
    return written.getvalue()


def _frame(file: BinaryIO, part: Part) -> Image.Image:
    """The first frame of a part of a clip. The demuxer is named: no playlist can open other
    files."""
    import av

    webm = content_type(file) == "video/webm"
    file.seek(0)
    try:
        with av.open(file, "r", "matroska" if webm else "mov") as clip:
            known = clip.duration / 1e6 if clip.duration else None
            cut = part.length_decides and known is not None and is_length_of(part, known)
            begin = 0.0 if cut or isnan(part.begin) else part.begin
            for frame in frames_from(clip, begin):
                still: Image.Image = frame.to_image()
                return still
    except (av.FFmpegError, IndexError, OSError, ValueError, MemoryError) as error:
        raise NotMade("not playable") from error
    raise NotMade("not playable")


def frames_from(clip: Any, second: float) -> Iterator[Any]:
    stream = clip.streams.video[0]
    if stream.codec_context.width * stream.codec_context.height > FRAME_PIXELS:
        raise Unusable("too many pixels")
    if not stream.codec_context.is_open:  # at the first of several frames
        stream.codec_context.thread_count = 1  # each thread holds frames of its own
        stream.codec_context.options = {"max_pixels": str(FRAME_PIXELS)}  # of what the frames say
    if second:
        clip.seek(int(second * 1_000_000), backward=True)
    until = time.monotonic() + _CLIP_TIME
    for frame in clip.decode(stream):
        if time.monotonic() > until:
            return
        if frame.time is None or frame.time >= second - 1e-3:
            yield frame
