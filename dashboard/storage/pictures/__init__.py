"""Pictures that people search with: how a version sees one, and those that were uploaded."""

from dashboard.storage.pictures.side import PictureSide, read_side
from dashboard.storage.pictures.uploaded import KINDS, keep, kept_picture, uploaded_picture

__all__ = ["KINDS", "PictureSide", "keep", "kept_picture", "read_side", "uploaded_picture"]
