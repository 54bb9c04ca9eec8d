"""Thumbnails inside the page: each picture is stored once and shown by reference."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.experiment.collections import Collection
from dashboard.experiment.media import Thumbnail, thumbnail
from dashboard.views.report.markup import Markup, tag


@dataclass(frozen=True)
class Symbol:
    """A small picture under its name in the page."""

    name: str
    picture: Thumbnail


Shown = Mapping[str, Symbol | str]
"""For each item its small picture, or the word for what is wrong with it."""


def thumbnails(collection: Collection, item_ids: Iterable[str]) -> dict[str, Symbol | str]:
    """A small picture of each item, or the word for its placeholder."""
    found: dict[str, Symbol | str] = {}
    for number, item_id in enumerate(dict.fromkeys(item_ids)):
        small = thumbnail(collection, item_id)
        found[item_id] = small if isinstance(small, str) else Symbol(f"i{number}", small)
    return found


def stored(shown: Shown) -> Markup:
    """All pictures, once, for `picture_of` to refer to; takes no room on the page."""
    symbols = [_symbol(each) for each in shown.values() if isinstance(each, Symbol)]
    return tag("svg", *symbols, width=0, height=0, class_="stored", aria_hidden="true")


def _symbol(each: Symbol) -> Markup:
    small = each.picture
    address = f"data:image/webp;base64,{base64.b64encode(small.webp).decode('ascii')}"
    image = tag("image", href=address, width=small.width, height=small.height)
    return tag("symbol", image, id=each.name, viewBox=f"0 0 {small.width} {small.height}")


def picture_of(shown: Shown, item_id: str) -> Markup:
    """The picture of an item, or the word for what is wrong with it."""
    each = shown[item_id]
    if isinstance(each, str):
        return tag("div", tag("span", each), class_="thumb word")
    use = tag("use", href=f"#{each.name}", width=16, height=9)
    label = f"Picture of {item_id}"
    return tag("svg", use, class_="thumb", viewBox="0 0 16 9", role="img", aria_label=label)
