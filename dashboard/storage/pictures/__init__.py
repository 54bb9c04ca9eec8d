"""Pictures that people search with: how a version sees one, and those that were uploaded."""

from dashboard.storage.pictures.side import PictureSide, read_side
from dashboard.storage.pictures.uploaded import (
    KINDS,
    address_of,
    clean,
    keep,
    kept_picture,
    routes,
    uploaded_picture,
)

__all__ = [
    "KINDS",
    "PictureSide",
    "address_of",
    "clean",
    "keep",
    "kept_picture",
    "read_side",
    "routes",
    "uploaded_picture",
]
