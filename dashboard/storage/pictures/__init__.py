"""Pictures that people search with: how a version sees one, and those that were uploaded."""

from dashboard.storage.pictures.side import PictureSide, read_side
from dashboard.storage.pictures.uploaded import keep, kept_picture

__all__ = ["PictureSide", "keep", "kept_picture", "read_side"]
