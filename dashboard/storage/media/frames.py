"""The pictures of an item for an encoder: its picture, or frames of its clip, evenly over its span.

Each is laid out as an uploaded picture is, so that an upload of the same picture is the same."""

from __future__ import annotations

from math import isnan
from typing import Any

from PIL import Image

from dashboard.storage.media.decoding.decoder import laid_out
from dashboard.storage.media.decoding.decoder_queue import turn
from dashboard.storage.media.decoding.formats import FRAME_PIXELS, content_type, pixels_of
from dashboard.storage.media.decoding.layouts import UPLOAD_SIDE
from dashboard.storage.media.decoding.posters import frames_from
from dashboard.storage.media.item_media import HasMedia, part_of_open
from dashboard.storage.media.lookup import Row, text_of
from dashboard.storage.media.probe import open_named
from dashboard.storage.media.safe_open import NotMade, Opened
from dashboard.storage.media.spans import Part, is_length_of


def state_of_file(collection: HasMedia, row: Row) -> str:
    """A stamp of the file that an item names, which changes with it. Raises Unusable."""
    with open_named(collection.folder, collection.media_root, text_of(row, "file")) as opened:
        return opened.version


def pictures_of(collection: HasMedia, row: Row, frames: int) -> list[Image.Image]:
    """The picture of an item, or `frames` pictures of its clip. Raises Unusable."""
    name = text_of(row, "file")
    with open_named(collection.folder, collection.media_root, name) as opened:
        is_picture = content_type(opened.file).startswith("image/")
        with turn(collection.name, pixels_of(opened.file) if is_picture else FRAME_PIXELS):
            if is_picture:
                return [laid_out(opened.file, "upload")]
            return _frames(opened, part_of_open(collection, row, opened), frames)


def _frames(opened: Opened, part: Part, number: int) -> list[Image.Image]:
    """The frames in the middle of `number` equal parts of a clip's span."""
    import av

    webm = content_type(opened.file) == "video/webm"
    opened.file.seek(0)
    try:
        with av.open(opened.file, "r", "matroska" if webm else "mov") as clip:
            known = clip.duration / 1e6 if clip.duration else None
            whole = part.length_decides and known is not None and is_length_of(part, known)
            begin = 0.0 if whole or isnan(part.begin) else part.begin
            end = part.end if not (whole or isnan(part.end)) else known
            end = min(end, known) if end is not None and known is not None else end
            length = max(0.0, (end or begin) - begin)
            seconds = [begin + length * (place + 0.5) / number for place in range(number)]
            found = _at(clip, seconds if length else [begin])
    except (av.FFmpegError, IndexError, OSError, ValueError, MemoryError) as error:
        raise NotMade("not playable") from error
    if not found:
        raise NotMade("not playable")
    return found


def _at(clip: Any, seconds: list[float]) -> list[Image.Image]:
    """The first frame at or behind each of these seconds, or the last one before."""
    found: list[Image.Image] = []
    last = None
    for second in seconds:
        for frame in frames_from(clip, second):
            last = frame.to_image()
            last.thumbnail((UPLOAD_SIDE, UPLOAD_SIDE), Image.Resampling.LANCZOS)
            found.append(last)
            break
        else:
            if last is not None:
                found.append(last)
    return found
