"""Pictures of an item for an encoder: the picture itself, or frames of its clip."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path
from typing import Any

from PIL import Image

from dashboard.errors import DataError
from dashboard.storage.media import Span, find_media, read_span, recognise_type
from dashboard.storage.posters import (
    MAX_FRAMES,
    MAX_PIXELS,
    check_size,
    is_cut,
    measure_length,
    read_picture_file,
    turn_upright,
)
from dashboard.tables import Table

MAX_SIDE = 1_024
"""Pixels of the longer side of what an encoder gets."""


def find_item_file(folder: Path, root: str, items: Table, place: int) -> Path:
    """Return the picture or clip of an item.

    Raises:
        DataError: If it has none, or none that can be shown.
    """
    file = items["file"][place]
    path = find_media(folder, root, file)
    if path is None:
        raise DataError(file or items.ids[place], "no file", "a picture or a clip of the item")
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
    try:
        if recognise_type(path).startswith("image/"):
            found = [read_picture_file(path)]
        else:
            found = _read_clip(path, read_span(items, place), count)
    except Exception as error:  # decoders of Pillow and FFmpeg raise errors of many types
        why = f"a file that cannot be decoded ({str(error)[:80]})"
        raise DataError(path.name, why, "a picture or a clip that browsers show") from error
    for picture in found:
        picture.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    return [_flatten(picture) for picture in found]


def _flatten(picture: Image.Image) -> Image.Image:
    """Return a picture without transparency, on white."""
    if picture.mode != "RGBA":
        return picture.convert("RGB")
    white = Image.new("RGBA", picture.size, (255, 255, 255, 255))
    return Image.alpha_composite(white, picture).convert("RGB")


def _read_clip(path: Path, span: Span | None, count: int) -> list[Image.Image]:
    import av

    with av.open(str(path)) as clip:
        stream = clip.streams.video[0]
        check_size(stream.codec_context.width, stream.codec_context.height)
        stream.codec_context.options = {"max_pixels": str(MAX_PIXELS)}
        length = measure_length(clip, stream)
        whole = Span(0.0, math.inf if length is None else length)
        part = whole if span is None or is_cut(span, length) else span
        end = min(part.end, whole.end)
        if not math.isfinite(end) or end <= part.start:
            seconds = [part.start]
        else:
            seconds = [part.start + (end - part.start) * (k + 0.5) / count for k in range(count)]
        found = [_read_frame(clip, stream, each) for each in seconds]
    frames = [each for each in found if each is not None]
    if not frames:
        raise ValueError("it has no frame there")
    return frames


def _read_frame(clip: Any, stream: Any, second: float) -> Image.Image | None:
    """Return the frame that is seen at a second of a clip, counted from its first frame."""
    origin = float((stream.start_time or 0) * (stream.time_base or 0))
    clip.seek(round((origin + second) / stream.time_base), backward=True, stream=stream)
    last = None
    for frame in islice(clip.decode(stream), MAX_FRAMES):
        if last is not None and frame.time is not None and frame.time > origin + second + 1e-6:
            break
        last = frame
    return None if last is None else turn_upright(last, stream.sample_aspect_ratio)
