"""Thumbnails inside a page: each picture is stored once, and referred to by its name."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.experiment.collection.collections import Collection
from dashboard.experiment.collection.media import Thumbnail, thumbnail


@dataclass(frozen=True)
class Symbol:
    """A small picture under its name in the page."""

    name: str
    picture: Thumbnail

    @property
    def address(self) -> str:
        """The picture as an address that holds all of it."""
        return f"data:image/webp;base64,{base64.b64encode(self.picture.webp).decode('ascii')}"


Pictures = Mapping[str, Symbol | str]
"""For each item its small picture, or the word for what is wrong with it."""


def pictures_of(collection: Collection, item_ids: Iterable[str]) -> Pictures:
    """A small picture of each item, or the word for its placeholder."""
    pictures: dict[str, Symbol | str] = {}
    for number, item_id in enumerate(dict.fromkeys(item_ids)):
        small = thumbnail(collection, item_id)
        pictures[item_id] = small if isinstance(small, str) else Symbol(f"i{number}", small)
    return pictures
