"""Tells what a media file is by its first bytes, not its name, and whether browsers play it."""

from __future__ import annotations

import struct
from typing import BinaryIO

from PIL import Image

from dashboard.storage.media.inside import Unusable

PICTURE_PIXELS = 50_000_000
_PILLOW = ("JPEG", "PNG", "WEBP", "GIF", "AVIF")
_PLAYED = (b"avc1", b"avc3", b"vp08", b"vp09", b"av01")
_MOOV_READ = 1_000_000  # bytes: the table of contents of a short clip takes a few thousand
_BOXES = 64


def content_type(file: BinaryIO) -> str:
    """The media type of an open file; raises Unusable for all but those listed here."""
    file.seek(0)
    head = file.read(64)
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"\x1a\x45\xdf\xa3") and b"webm" in head:
        return "video/webm"
    if head[4:8] == b"ftyp":
        return _brand(head[8:12])
    if head[4:8] in (b"moov", b"wide"):
        return "video/quicktime"
    raise Unusable("not a picture or a clip")


def _brand(brand: bytes) -> str:
    if brand in (b"avif", b"avis"):
        return "image/avif"
    if brand == b"qt  ":
        return "video/quicktime"
    if brand in (b"M4A ", b"M4B ", b"heic", b"heix", b"mif1", b"msf1"):
        raise Unusable("not a picture or a clip")
    return "video/mp4"


def picture(file: BinaryIO) -> Image.Image:
    """The picture of an open file, not decoded yet; raises Unusable if it is damaged or a bomb."""
    file.seek(0)
    try:
        opened = Image.open(file, formats=_PILLOW)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise Unusable("too many pixels") from error
    except (OSError, ValueError, SyntaxError) as error:
        raise Unusable("damaged") from error
    if opened.width * opened.height > PICTURE_PIXELS:
        raise Unusable("too many pixels")
    return opened


def odd_codec(file: BinaryIO, type_: str) -> str:
    """The codec of an MP4 or QuickTime clip unless all browsers play it, then an empty text."""
    if type_ not in ("video/mp4", "video/quicktime"):
        return ""
    contents = _moov(file)
    codecs = [
        contents[at + 16 : at + 20]  # "stsd", version, count, size of the entry: 4 bytes each
        for at in _places(contents, b"stsd")
        if contents[at + 16 : at + 20].isascii()
    ]
    if not contents:
        raise Unusable("damaged")
    if any(codec in _PLAYED for codec in codecs):
        return ""
    return codecs[0].decode("ascii").strip() if codecs else "unknown"


def _places(contents: bytes, word: bytes) -> list[int]:
    places, at = [], contents.find(word)
    while at >= 0:
        places.append(at)
        at = contents.find(word, at + 4)
    return places


def _moov(file: BinaryIO) -> bytes:
    """The clip's table of contents; boxes are stepped over: a large clip costs few small reads."""
    at = 0
    for _ in range(_BOXES):
        file.seek(at)
        header = file.read(16)
        if len(header) < 8:
            return b""
        size, name = struct.unpack(">I4s", header[:8])
        if name == b"moov":
            return header[8:] + file.read(min(size or _MOOV_READ, _MOOV_READ))
        if size == 1 and len(header) == 16:
            size = struct.unpack(">Q", header[8:])[0]
        if size < 8:
            return b""
        at += size
    return b""
