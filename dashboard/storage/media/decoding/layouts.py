"""What each door makes of an open picture: a poster, an upload, shades for a fingerprint, or a
thumbnail, all of them small."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

from dashboard.storage.media.decoding.formats import DRAFT, decode, on_white, orientation, upright

POSTER_WIDTH = 480  # pixels
UPLOAD_SIDE = DRAFT  # pixels: more than any encoder looks at
THUMBNAIL_WIDTH = 160  # pixels
SHADES = 16
"""Rows of a fingerprint's picture, which has one column more."""
_STRIP = 1_000_000  # pixels


def poster(opened: Image.Image) -> Image.Image:
    """Upright and on white, at most POSTER_WIDTH wide and high."""
    opened.draft("RGB", (POSTER_WIDTH * 2, POSTER_WIDTH * 2))
    held = orientation(opened)
    small = on_white(upright(reduced(eight_bits(opened), POSTER_WIDTH * 2), held))
    Image.Image.close(opened)  # all its pixels, which nobody needs any more; not the file
    small.thumbnail((POSTER_WIDTH, POSTER_WIDTH))
    return small


def upload(opened: Image.Image) -> Image.Image:
    """Upright, at most UPLOAD_SIDE wide and high, nothing below fully transparent pixels. It is
    made small before all else, so that nothing else is done with many pixels."""
    opened.draft("RGB", (UPLOAD_SIDE, UPLOAD_SIDE))
    still, held = eight_bits(opened), orientation(opened)
    still = reduced(still, 2 * UPLOAD_SIDE)
    colours = "RGBA" if still.has_transparency_data else "RGB"
    if still.mode not in ("L", "LA", "RGB", "RGBA", "CMYK") or "transparency" in still.info:
        still = still.convert(colours)  # numbers of a palette cannot be mixed
    still.thumbnail((UPLOAD_SIDE, UPLOAD_SIDE), Image.Resampling.LANCZOS)
    seen = upright(still, held).convert(colours)
    if colours == "RGBA":
        shown = seen.getchannel("A").point(lambda alpha: 255 if alpha else 0)
        seen = Image.composite(seen, Image.new("RGBA", seen.size, (0, 0, 0, 0)), shown)
    seen.info.clear()
    return seen


def shades(opened: Image.Image) -> Image.Image:
    """In SHADES + 1 × SHADES shades of grey."""
    opened.draft("RGB", (DRAFT, DRAFT))
    decode(opened)
    small = on_white(reduced(opened, DRAFT))
    return small.convert("L").resize((SHADES + 1, SHADES), Image.Resampling.BOX)


def thumbnail(opened: Image.Image) -> Image.Image:
    """At most THUMBNAIL_WIDTH wide and high."""
    opened.draft("RGB", (THUMBNAIL_WIDTH * 2, THUMBNAIL_WIDTH * 2))
    small: Image.Image = opened.convert("RGB")
    small.thumbnail((THUMBNAIL_WIDTH, THUMBNAIL_WIDTH))
    return small


LAYOUTS: dict[str, Callable[[Image.Image], Image.Image]] = {
    each.__name__: each for each in (poster, upload, shades, thumbnail)
}
"""All of them give pictures of one, three or four bytes a pixel (L, RGB, RGBA)."""


def eight_bits(still: Image.Image) -> Image.Image:
    """16-bit grey scaled down: Pillow's own conversion clips it to white."""
    if still.mode.startswith("I;16"):
        return still.point(lambda value: value / 256).convert("L")
    return still


def reduced(still: Image.Image, longest: int) -> Image.Image:
    """A picture made smaller by a whole factor while it stays at least `longest` wide or high; in
    strips, so that no other copy of all its pixels is made. Small ones are returned as they are."""
    factor = max(still.size) // longest
    if factor < 2:
        return still
    plain = still.mode in ("L", "LA", "RGB", "RGBA", "CMYK") and "transparency" not in still.info
    colours = still.mode if plain else "RGBA" if still.has_transparency_data else "RGB"
    width, height = still.size
    rows = max(1, _STRIP // (width * factor)) * factor
    small = Image.new(colours, (-(-width // factor), -(-height // factor)))
    for top in range(0, height, rows):
        strip = still.crop((0, top, width, min(top + rows, height)))
        small.paste(strip.convert(colours).reduce(factor), (0, top // factor))
    small.info.update({key: value for key, value in still.info.items() if key == "icc_profile"})
    return small
