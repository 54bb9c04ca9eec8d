"""Posters: small pictures of a picture or of the first frame of a clip."""

from __future__ import annotations

import io
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from dashboard.errors import DataError
from dashboard.storage.media import Span

MAX_SIDE = 480
"""Pixels of the longer side of a poster."""
MAX_DRAWN_SIDE = 64
"""Pixels of a drawing that is stored without loss: its pixels are seen one by one."""
MAX_PIXELS = 50_000_000
"""Pixels of a picture or a frame that is decoded."""
MAX_FRAMES = 1_000
"""Frames that are decoded on the way from a key frame to the first one of a span."""
TOLERANCE = 0.2
"""Seconds by which the length of a clip that was cut to its span may differ from it."""
UPRIGHT = ("JPEG", "PNG", "AVIF", "MPO")
"""Formats in which browsers obey the orientation that Pillow reports; in WebP they do not."""


def make_poster(path: Path, kind: str, span: Span | None) -> bytes:
    """Return a WebP picture of at most MAX_SIDE pixels a side.

    Args:
        path: Picture or clip.
        kind: Its media type.
        span: Part of the clip whose first frame is shown; None: all of it.

    Raises:
        DataError: If the file cannot be decoded.
    """
    try:
        small = read_picture_file(path) if kind.startswith("image/") else _read_frame(path, span)
    except Exception as error:  # decoders of Pillow and FFmpeg raise errors of many types
        why = f"a file that cannot be decoded ({str(error)[:80]})"
        raise DataError(path.name, why, "a picture or a clip that browsers show") from error
    lossless = max(small.size) <= MAX_DRAWN_SIDE
    small.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    written = io.BytesIO()
    small.save(written, "WEBP", quality=80, lossless=lossless)
    return written.getvalue()


def read_picture_file(path: Path) -> Image.Image:
    """Return the picture of a file, turned as browsers turn it; large JPEG at reduced scale."""
    with Image.open(path) as picture:
        check_size(picture.width, picture.height)
        picture.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))
        upright = ImageOps.exif_transpose(picture) if picture.format in UPRIGHT else picture
        upright = reduce_depth(upright)
        return upright.convert("RGBA" if picture.has_transparency_data else "RGB")


def reduce_depth(picture: Image.Image) -> Image.Image:
    """Return a grey picture of 16 bits a pixel with 8, as browsers show it; others as they are."""
    if not picture.mode.startswith("I;16"):
        return picture
    return Image.fromarray((np.asarray(picture) >> 8).astype(np.uint8))


def _read_frame(path: Path, span: Span | None) -> Image.Image:
    import av

    with av.open(str(path)) as clip:
        stream = clip.streams.video[0]
        check_size(stream.codec_context.width, stream.codec_context.height)
        stream.codec_context.options = {"max_pixels": str(MAX_PIXELS)}
        origin = float((stream.start_time or 0) * (stream.time_base or 0))
        start = 0.0 if span is None or is_cut(span, measure_length(clip, stream)) else span.start
        if start:
            clip.seek(int((origin + start) * av.time_base), backward=True)
        for frame in islice(clip.decode(stream), MAX_FRAMES):
            if not start or frame.time is None or frame.time >= origin + start - 1e-3:
                return turn_upright(frame, stream.sample_aspect_ratio)
    raise ValueError("it has no frame there")


def measure_length(clip: Any, stream: Any) -> float | None:
    """Return the seconds of an open clip from its first frame on; None if its file has no length.

    A WebM file counts its duration from 0 even where its first frame comes later; MP4 does not.
    """
    if stream.duration is not None:
        return float(stream.duration * stream.time_base)
    if clip.duration is None:
        return None
    return float(Fraction(clip.duration - (clip.start_time or 0), 1_000_000))


def is_cut(span: Span, length: float | None) -> bool:
    """Return whether a clip of some seconds is its span alone, cut out of a longer recording."""
    return length is not None and abs(length - (span.end - span.start)) <= TOLERANCE


def turn_upright(frame: Any, pixel_ratio: Fraction | None) -> Image.Image:
    """Return a frame as players show it: turned, and with square pixels."""
    picture: Image.Image = frame.to_image()
    if pixel_ratio and pixel_ratio != 1:
        width = round(picture.width * pixel_ratio)
        check_size(width, picture.height)
        picture = picture.resize((width, picture.height))
    return picture.rotate(frame.rotation, expand=True) if frame.rotation else picture


def check_size(width: int, height: int) -> None:
    """Raise ValueError for more than MAX_PIXELS."""
    if width * height > MAX_PIXELS:
        raise ValueError(f"{width} × {height} pixels")
