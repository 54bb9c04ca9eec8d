"""Tells what a media file is by its first bytes, not its name, and whether browsers play it."""

from __future__ import annotations

import re
import struct
from typing import BinaryIO

from PIL import Image
from PIL.ExifTags import Base

from dashboard.storage.media.decoding.boxes import contents
from dashboard.storage.media.safe_open import Unusable

PICTURE_PIXELS = 50_000_000
"""Of a picture that is decoded smaller than it is, as JPEG can be."""
MOST_SCANS = 100
"""Of a JPEG that comes clearer scan by scan, of which programs write about ten: each costs as much
as a picture, however few bytes it has."""
SCANNED_PIXELS = 300_000_000
"""Of all scans of such a JPEG together."""
_SCAN = b"\xff\xda"
PROGRESSIVE_PIXELS = 25_000_000
"""Of such a JPEG, however few scans it has."""
WHOLE_PIXELS = 25_000_000
"""Of any other: four bytes are decoded for each, and what makes them small comes on top."""
FRAME_PIXELS = 10_000_000
"""Of a frame of a clip, of which a decoder may hold sixteen others: somewhat more than 4K."""
COSTLY_PIXELS = 14_000_000
"""Of the kinds whose decoders hold several copies of a picture: up to 12 bytes for each."""
DRAFT = 1_024
"""Pixels that each side of a JPEG has left, if it has them, when it is decoded smaller."""
_COSTLY = ("WEBP", "AVIF", "GIF")
_PILLOW = ("JPEG", "PNG", "WEBP", "GIF", "AVIF", "BMP")
_PLAYED = ("avc1", "avc3", "vp08", "vp09", "av01")
_HEAD = 1_000  # bytes
_FEW = "are not shown by most browsers"
_HEIF = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_OTHERS = (  # what a file that browsers do not show begins with, what it is, and its usual ending
    (rb"II\*\0|MM\0\*", f"TIFF pictures {_FEW}", ".tiff"),
    (rb"....ftyp(%b)" % b"|".join(_HEIF), f"HEIC pictures {_FEW}", ".heic"),
    (rb"\xff\x0a|\0\0\0\x0cJXL ", f"JPEG XL pictures {_FEW}", ".jxl"),
    (rb"\0\0\0\x0cjP  ", f"JPEG 2000 pictures {_FEW}", ".jp2"),
    (rb"\s*(<\?xml.*|<!--.*|<!DOCTYPE.*)?<svg", "SVG may hold scripts: not shown", ".svg"),
    (rb"\x1a\x45\xdf\xa3", "Matroska clips are not played by all browsers", ".mkv"),
    (rb"RIFF....AVI ", "AVI clips are not played by browsers", ".avi"),
    (rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "WMV clips are not played by browsers", ".wmv"),
    (rb"FLV\x01", "FLV clips are not played by browsers", ".flv"),
    (rb"\0\0\x01[\xb3\xba]", "MPEG-2 clips are not played by browsers", ".mpg"),
    (rb"....ftyp(M4A |M4B )|ID3|RIFF....WAVE|fLaC", "sound only, no picture", ""),
)


NOT_DECODED = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    RuntimeError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    MemoryError,
    struct.error,
    Image.DecompressionBombError,
)
"""What Pillow's decoders raise for damaged files, each in its own way, and while Exif is read."""
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}  # what makes a picture upright, by the orientation that its Exif says


class Unshown(Unusable):
    """A file that is what it should be, but that browsers do not show: it is offered as it is.

    ending: the usual one of such files, with its dot; empty: there are several.
    """

    def __init__(self, word: str, ending: str) -> None:
        super().__init__(word)
        self.ending = ending


def content_type(file: BinaryIO) -> str:
    """The media type of an open file that browsers show; raises Unshown for other formats that are
    known, Unusable for all else."""
    file.seek(0)
    head = file.read(_HEAD)
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"BM") and head[6:10] == bytes(4):
        return "image/bmp"
    if head.startswith(b"\x1a\x45\xdf\xa3") and b"webm" in head[:64]:
        return "video/webm"
    for begins, word, ending in _OTHERS:
        if re.match(begins, head, re.DOTALL):
            raise Unshown(word, ending)
    if head[4:8] == b"ftyp":
        return _brand(head[8:12])
    if head[4:8] in (b"moov", b"wide"):
        return "video/quicktime"
    if head.startswith(b"version https://git-lfs"):
        raise Unusable("a pointer of git LFS; fetch the file: git lfs pull")
    raise Unusable("not a picture or a clip")


def _brand(brand: bytes) -> str:
    if brand in (b"avif", b"avis"):
        return "image/avif"
    return "video/quicktime" if brand == b"qt  " else "video/mp4"


def picture(file: BinaryIO) -> Image.Image:
    """The picture of an open file, not decoded yet; raises Unusable if it is damaged or a bomb."""
    file.seek(0)
    try:
        opened = Image.open(file, formats=_PILLOW)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise Unusable("too many pixels") from error
    except NOT_DECODED as error:
        raise Unusable("damaged") from error
    pixels = opened.width * opened.height
    if pixels > _most_pixels(opened) or pixels // _scale(opened) ** 2 > WHOLE_PIXELS:
        raise Unusable("too many pixels")
    if opened.info.get("progressive"):
        scans = _scans(file)
        if scans > MOST_SCANS or scans * opened.width * opened.height > SCANNED_PIXELS:
            raise Unusable("too many scans")
    return opened


def _scans(file: BinaryIO) -> int:
    """How often a JPEG goes over its pixels; leaves the file where it stood."""
    place, found, before = file.tell(), 0, b""
    file.seek(0)
    while part := file.read(1 << 20):
        found += (before + part).count(_SCAN)
        before = part[-1:]
    file.seek(place)
    return found


def _most_pixels(opened: Image.Image) -> int:
    if opened.format in _COSTLY:
        return COSTLY_PIXELS
    if opened.format == "JPEG":
        return PICTURE_PIXELS if _shrinks(opened) else PROGRESSIVE_PIXELS
    return WHOLE_PIXELS


def _shrinks(opened: Image.Image) -> bool:
    """Whether a picture can be decoded smaller than it is without being held as large as it is."""
    return opened.format == "JPEG" and not opened.info.get("progressive")


def _scale(opened: Image.Image) -> int:
    """How many times narrower and lower a picture is decoded than it is; a long and narrow one is
    not."""
    least = min(opened.width, opened.height) // DRAFT if _shrinks(opened) else 1
    return next(scale for scale in (8, 4, 2, 1) if scale <= max(least, 1))


def decoded_pixels(opened: Image.Image) -> int:
    """How many pixels are decoded of a picture that is to be made small; those of a kind whose
    decoder holds several copies count four times."""
    pixels = opened.width * opened.height
    if opened.format in _COSTLY:
        return pixels * 4
    return pixels // _scale(opened) ** 2


def moves(opened: Image.Image) -> bool:
    """Whether an open picture is an animation; one that is damaged behind its start is none."""
    try:
        return bool(getattr(opened, "is_animated", False))
    except NOT_DECODED:
        return False


def pixels_of(file: BinaryIO) -> int:
    """How many pixels are decoded of the picture in a file; raises Unusable as `picture`.

    For whoever waits for a turn: an open WebP or AVIF holds the memory of a decoder.
    """
    with picture(file) as opened:
        return decoded_pixels(opened)


def decode(opened: Image.Image) -> None:
    """Decode a picture, and let go of the copies that the decoders of WebP and AVIF hold of it, of
    WebP's before another copy is made."""
    if opened.format == "WEBP" and (next_frame := getattr(opened, "_get_next", None)):

        def last_frame() -> object:
            frame = next_frame()
            vars(opened).update(_decoder=None)
            return frame

        vars(opened).update(_get_next=last_frame)
    opened.load()
    if opened.format in ("WEBP", "AVIF"):
        vars(opened).update(_decoder=None, fp=None)
        vars(opened).pop("_get_next", None)


def orientation(opened: Image.Image) -> int:
    """How the camera was held, 1 to 8 as in Exif; 1, upright, where Exif is odd or says nothing.

    Decodes the picture, as Exif may stand behind the pixels; raises one of NOT_DECODED where those
    are damaged.
    """
    decode(opened)
    try:
        return int(opened.getexif().get(Base.Orientation, 1))
    except NOT_DECODED:
        return 1


def upright(still: Image.Image, held: int) -> Image.Image:
    """A picture turned by its `orientation`. Pillow's own way to do it writes the Exif anew, which
    fails where anything in it is odd."""
    return still.transpose(_TURNS[held]) if held in _TURNS else still


def on_white(still: Image.Image) -> Image.Image:
    """A picture in RGB, what is transparent in it on white, as browsers show it on the cards."""
    if not still.has_transparency_data:
        return still.convert("RGB")
    drawn = still.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn).convert("RGB")


def clip_facts(file: BinaryIO, type_: str) -> tuple[str, float | None, float | None]:
    """The codec of a clip unless all browsers play it, then an empty text; its seconds and those of
    a frame where they are known. Raises Unusable where it is damaged, Unshown where it has no
    pictures."""
    if type_ not in ("video/mp4", "video/quicktime"):
        return "", None, None
    found = contents(file)
    if not found.pictures:
        raise Unshown("sound only, no picture", ".mp4")
    codec = "" if found.codec in _PLAYED else found.codec or "unknown"
    return codec, found.seconds, found.frame
