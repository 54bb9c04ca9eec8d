"""Pictures of an item: its poster, which is small, and what an encoder gets of it."""

import io
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from dashboard.errors import DataError, explain_errors
from dashboard.storage.collection import Collection
from dashboard.storage.media import Span, find_media, read_span, recognise_type
from dashboard.tables import Table

MAX_SIDE = 480
"""Pixels of the longer side of a poster."""
MAX_READ_SIDE = 1_024
"""Pixels of the longer side of what an encoder gets."""
MAX_DRAWN_SIDE = 64
"""Pixels of a drawing that is stored without loss: its pixels are seen one by one."""
MAX_PIXELS = 50_000_000
"""Pixels of a picture or a frame that is decoded."""
MAX_FRAMES = 1_000
"""Frames that are decoded on the way from a key frame to the one that is wanted."""
TOLERANCE = 0.2
"""Seconds by which the length of a clip that was cut to its span may differ from it."""
UPRIGHT = ("JPEG", "PNG", "AVIF", "MPO")
"""Formats in which browsers obey the orientation that Pillow reports; in WebP they do not."""


def make_poster(path: Path, span: Span | None) -> bytes:
    """Return a WebP picture of at most MAX_SIDE pixels a side.

    Args:
        path: Picture or clip.
        span: Part of the clip whose first frame is shown; None: all of it.

    Raises:
        DataError: If the file cannot be decoded.
    """
    (small,) = _read_pictures(path, span, [0.0])
    lossless = max(small.size) <= MAX_DRAWN_SIDE
    small.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    written = io.BytesIO()
    small.save(written, "WEBP", quality=80, lossless=lossless)
    return written.getvalue()


def turn_picture(picture: Image.Image) -> Image.Image:
    """Return a picture turned as browsers turn it, and a grey one of 16 bits a pixel with 8."""
    upright = ImageOps.exif_transpose(picture) if picture.format in UPRIGHT else picture
    if not upright.mode.startswith("I;16"):
        return upright
    return Image.fromarray((np.asarray(upright) >> 8).astype(np.uint8))


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


def find_item_file(collection: Collection, place: int) -> Path:
    """Return the picture or clip of an item.

    Raises:
        DataError: If it has none, or none that can be shown.
    """
    file, root = collection.items["file"][place], collection.settings.get("media_root", "media")
    path = find_media(collection.folder, root, file)
    if path is None:
        raise DataError(
            file or collection.items.ids[place], "no file", "a picture or a clip of the item"
        )
    if not recognise_type(path):
        raise DataError(file, "no picture or clip", "PNG, JPEG, GIF, WebP, AVIF, MP4 or WebM")
    return path


def read_frames(path: Path, items: Table, place: int, count: int) -> list[Image.Image]:
    """Return the picture of an item, or frames from the middles of equal parts of its clip. RGB.

    Args:
        path: Its file.
        items: The table of the items, with the item's span.
        place: Of the item in the table.
        count: Frames of a clip.

    Raises:
        DataError: If the file cannot be decoded.
    """
    shares = [(number + 0.5) / count for number in range(count)]
    found = _read_pictures(path, read_span(items, place), shares)
    for picture in found:
        picture.thumbnail((MAX_READ_SIDE, MAX_READ_SIDE), Image.Resampling.LANCZOS)
    return [flatten(picture) for picture in found]


def flatten(picture: Image.Image, shade: int = 255) -> Image.Image:
    """Return a picture without transparency, on a shade of grey. RGB."""
    if picture.has_transparency_data:
        behind = Image.new("RGBA", picture.size, (shade,) * 3 + (255,))
        picture = Image.alpha_composite(behind, picture.convert("RGBA"))
    return picture.convert("RGB")


def _read_pictures(path: Path, span: Span | None, shares: Sequence[float]) -> list[Image.Image]:
    """Return the picture of a file, a large JPEG at reduced scale, or some frames of its clip."""
    with explain_errors(
        path.name, "a file that cannot be decoded", "a picture or a clip that browsers show"
    ):
        if not recognise_type(path).startswith("image/"):
            return _read_clip(path, span, shares)
        with Image.open(path) as picture:
            check_size(picture.width, picture.height)
            picture.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))
            turned = turn_picture(picture)
            return [turned.convert("RGBA" if picture.has_transparency_data else "RGB")]


def _read_clip(path: Path, span: Span | None, shares: Sequence[float]) -> list[Image.Image]:
    """Return the frames of a clip, or of a span of it, at some shares of its length."""
    import av

    with av.open(str(path)) as clip:
        stream = clip.streams.video[0]
        check_size(stream.codec_context.width, stream.codec_context.height)
        stream.codec_context.options = {"max_pixels": str(MAX_PIXELS)}
        origin = float((stream.start_time or 0) * (stream.time_base or 0))
        length = math.inf  # of a file that has none
        if stream.duration is not None and stream.time_base:
            length = float(stream.duration * stream.time_base)
        elif clip.duration is not None:  # WebM counts from 0 even where its first frame is later
            length = (clip.duration - (clip.start_time or 0)) / 1_000_000
        start, end = span or (0.0, length)
        if abs(length - (end - start)) <= TOLERANCE:  # the span alone, cut out of a recording
            start, end = 0.0, length
        end = min(end, length)
        seconds = [start + (end - start) * share for share in shares]
        if not math.isfinite(end) or end <= start:
            seconds = [start] if start <= length else []
        found = [_read_frame(clip, stream, origin + each) for each in seconds]
    frames = [each for each in found if each]
    if not frames:
        raise ValueError("it has no frame there")
    return frames


def _read_frame(clip: Any, stream: Any, second: float) -> Image.Image | None:
    """Return the frame that is seen at a second of a clip."""
    clip.seek(round(second / stream.time_base), backward=True, stream=stream)
    last = None
    for frame in islice(clip.decode(stream), MAX_FRAMES):
        if last is not None and frame.time is not None and frame.time > second + 1e-3:
            break
        last = frame
    return None if last is None else turn_upright(last, stream.sample_aspect_ratio)
