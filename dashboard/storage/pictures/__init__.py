"""Pictures that people search with: how a version sees one, and those that were uploaded."""

from dashboard.storage.pictures.side import PictureSide, read_side
from dashboard.storage.pictures.uploaded import (
    KINDS,
    MOST_PIXELS,
    UPLOADS,
    NotKept,
    address_of,
    clean,
    is_kept,
    keep,
    kept_picture,
    routes,
    uploaded_picture,
)

__all__ = [
    "KINDS",
    "MOST_PIXELS",
    "UPLOADS",
    "NotKept",
    "PictureSide",
    "address_of",
    "clean",
    "is_kept",
    "keep",
    "kept_picture",
    "read_side",
    "routes",
    "uploaded_picture",
]
