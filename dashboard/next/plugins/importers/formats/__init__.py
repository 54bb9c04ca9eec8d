"""Formats in the order in which they choose files: those that know more than an ending first."""

from dashboard.next.plugins.importers.formats import (
    arrays,
    beir,
    caption_lists,
    coco_captions,
    media_folder,
    tabular,
    trec_files,
)
from dashboard.next.plugins.importers.pieces import Format

FORMATS: tuple[Format, ...] = (
    beir.FORMAT,
    coco_captions.FORMAT,
    arrays.FORMAT,
    caption_lists.FORMAT,
    trec_files.FORMAT,
    tabular.FORMAT,
    media_folder.FORMAT,
)
