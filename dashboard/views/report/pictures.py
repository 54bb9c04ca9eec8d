"""Thumbnails inside the page: each picture is stored once and shown by reference."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from PIL import Image

from dashboard.storage.collection import Collection
from dashboard.storage.media import poster
from dashboard.storage.media.formats import NOT_DECODED, picture
from dashboard.storage.media.inside import Unusable
from dashboard.views.report.markup import Markup, tag

WIDTH = 160  # pixels
_QUALITY = 70


@dataclass(frozen=True)
class Thumbnail:
    """A small picture: its name in the page, its bytes as WebP, its size in pixels."""

    name: str
    webp: bytes
    width: int
    height: int


Shown = Mapping[str, Thumbnail | str]
"""For each item its thumbnail, or the word for what is wrong with it."""


def thumbnails(collection: Collection, item_ids: Iterable[str]) -> dict[str, Thumbnail | str]:
    """A thumbnail of each item, or the word for its placeholder."""
    found: dict[str, Thumbnail | str] = {}
    for number, item_id in enumerate(dict.fromkeys(item_ids)):
        try:
            found[item_id] = _thumbnail(f"i{number}", poster(collection, item_id))
        except Unusable as word:
            found[item_id] = str(word)
    return found


def _thumbnail(name: str, content: bytes) -> Thumbnail:
    still = picture(io.BytesIO(content))
    try:
        still.draft("RGB", (WIDTH * 2, WIDTH * 2))
        small: Image.Image = still.convert("RGB")
        small.thumbnail((WIDTH, WIDTH))
        written = io.BytesIO()
        small.save(written, "WEBP", quality=_QUALITY, method=6)
    except NOT_DECODED as error:
        raise Unusable("damaged") from error
    return Thumbnail(name, written.getvalue(), small.width, small.height)


def stored(shown: Shown) -> Markup:
    """All pictures, once, for `picture_of` to refer to; takes no room on the page."""
    symbols = [_symbol(each) for each in shown.values() if isinstance(each, Thumbnail)]
    return tag("svg", *symbols, width=0, height=0, class_="stored", aria_hidden="true")


def _symbol(each: Thumbnail) -> Markup:
    address = f"data:image/webp;base64,{base64.b64encode(each.webp).decode('ascii')}"
    image = tag("image", href=address, width=each.width, height=each.height)
    return tag("symbol", image, id=each.name, viewBox=f"0 0 {each.width} {each.height}")


def picture_of(shown: Shown, item_id: str) -> Markup:
    """The picture of an item, or the word for what is wrong with it."""
    each = shown[item_id]
    if isinstance(each, str):
        return tag("div", tag("span", each), class_="thumb word")
    use = tag("use", href=f"#{each.name}", width=16, height=9)
    label = f"Picture of {item_id}"
    return tag("svg", use, class_="thumb", viewBox="0 0 16 9", role="img", aria_label=label)
