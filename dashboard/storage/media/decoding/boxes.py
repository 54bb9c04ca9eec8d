"""Reads the table of contents of an MP4 or QuickTime clip: what its picture track is, how long."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from dashboard.storage.media.safe_open import LARGEST, Unusable

_MOST = 1_000_000  # bytes: the table of contents of a short clip takes a few thousand
_BOXES = 64
_PICTURES = b"vide"


@dataclass(frozen=True)
class Contents:
    """What a table of contents says.

    codec: of the picture track, in four letters; empty: not known. pictures: whether there is such
    a track, in doubt yes. seconds: how long the clip is, frame: how long one frame of it is, on the
    average; None: not known.
    """

    codec: str
    pictures: bool
    seconds: float | None
    frame: float | None


def contents(file: BinaryIO) -> Contents:
    """The table of contents of an open clip; raises Unusable where there is none."""
    moov, whole = _moov(file)
    if moov is None:
        raise Unusable("damaged")
    inside = list(_boxes(moov))
    tracks = [dict(_boxes(body)).get(b"mdia", b"") for name, body in inside if name == b"trak"]
    kinds = [_kind(media) for media in tracks]
    sure = whole and bool(kinds) and all(kinds)
    codecs = [_codec(media) for media, kind in zip(tracks, kinds, strict=True) if kind == _PICTURES]
    return Contents(
        codecs[0] if codecs else "",
        bool(codecs) or not sure,
        _seconds(dict(inside).get(b"mvhd", b"")),
        next((_frame(m) for m, kind in zip(tracks, kinds, strict=True) if kind == _PICTURES), None),
    )


def _kind(media: bytes) -> bytes:
    """`vide` or `soun`, of a track's box `mdia`; empty: not known."""
    return dict(_boxes(media)).get(b"hdlr", b"")[8:12]  # after version, flags and four more bytes


def _codec(media: bytes) -> str:
    stored = dict(_boxes(dict(_boxes(media)).get(b"minf", b""))).get(b"stbl", b"")
    entry = dict(_boxes(stored)).get(b"stsd", b"")[12:16]  # version, count, size: 4 bytes each
    return entry.decode("ascii").strip() if entry.isascii() else ""


def _seconds(header: bytes) -> float | None:
    long = header[:1] == b"\1"
    shape, at = (">IQ", 20) if long else (">II", 12)
    if len(header) < at + struct.calcsize(shape):
        return None
    scale, length = struct.unpack_from(shape, header, at)
    unknown = length in (0, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)  # in pieces, as while it is recorded
    return None if unknown or not scale else length / scale


def _frame(media: bytes) -> float | None:
    """Seconds of a frame: the length of a track's box `mdia` by the number of its frames."""
    boxes = dict(_boxes(media))
    stored = dict(_boxes(dict(_boxes(boxes.get(b"minf", b""))).get(b"stbl", b"")))
    times, seconds = stored.get(b"stts", b""), _seconds(boxes.get(b"mdhd", b""))
    if seconds is None or len(times) < 8:
        return None
    runs = struct.unpack_from(">I", times, 4)[0]
    runs = min(runs, (len(times) - 8) // 8)
    frames = sum(struct.unpack_from(">I", times, 8 + 8 * run)[0] for run in range(runs))
    return seconds / frames if frames else None


def _boxes(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The boxes inside a box, each with its name; the last one may be cut off."""
    at = 0
    while at + 8 <= len(body):
        size, name = struct.unpack_from(">I4s", body, at)
        head = 8
        if size == 1 and at + 16 <= len(body):
            size, head = struct.unpack_from(">Q", body, at + 8)[0], 16
        size = size or len(body) - at
        if size < head:
            return
        yield name, body[at + head : at + size]
        at += size


def _moov(file: BinaryIO) -> tuple[bytes | None, bool]:
    """The box `moov` and whether it is all there; other boxes are stepped over, so that a large
    clip costs few small reads."""
    at = 0
    for _ in range(_BOXES):
        file.seek(at)
        header = file.read(16)
        if len(header) < 8:
            break
        size, name = struct.unpack(">I4s", header[:8])
        head, last = 8, size == 0  # the last one reaches to the end of the file
        if size == 1 and len(header) == 16:
            size, head = struct.unpack(">Q", header[8:])[0], 16
        if name == b"moov" and (last or size >= head):
            file.seek(at + head)
            found = file.read(_MOST if last else min(size - head, _MOST))
            return found, len(found) < _MOST if last else len(found) == size - head
        if not head <= size <= LARGEST:
            break
        at += size
    return None, False
