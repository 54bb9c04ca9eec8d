"""What `media` answers for one item, in one value."""

from __future__ import annotations

from typing import Any

from dashboard.storage.media.item_media import media


def media_url(collection: Any, item_id: str) -> str:
    """The address of an item's clip or picture; empty: none."""
    return str(media(collection, [item_id])["clip"].iloc[0])


def poster_url(collection: Any, item_id: str) -> str:
    """The address of an item's poster; empty: there can be none."""
    return str(media(collection, [item_id])["poster"].iloc[0])


def problem(collection: Any, item_id: str) -> str | None:
    """Why an item's clip or picture is not shown; None where nothing is wrong."""
    return media(collection, [item_id])["problem"].iloc[0] or None
