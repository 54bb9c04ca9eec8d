"""Formats in the order in which they choose files: those that know more than an ending first."""

from dashboard.plugins.importers.formats import (
    arrays,
    beir,
    box_files,
    caption_lists,
    coco_captions,
    coco_labels,
    composed_queries,
    context_tables,
    hash_lists,
    label_studio,
    media_folder,
    ranx_files,
    split_lists,
    tabular,
    trec_files,
    webdataset,
)

ORDER = (
    beir,
    context_tables,
    composed_queries,
    coco_captions,
    coco_labels,
    label_studio,
    ranx_files,
    split_lists,
    webdataset,
    arrays,
    box_files,
    hash_lists,
    caption_lists,
    trec_files,
    tabular,
    media_folder,
)
FORMATS = tuple(each.FORMAT for each in ORDER)
