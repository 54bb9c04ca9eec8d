"""Formats in the order in which they choose files: those that know more than an ending first."""

from dashboard.plugins.importers.formats import (
    arrays,
    beir,
    box_files,
    coco_files,
    composed_queries,
    context_tables,
    label_studio,
    line_lists,
    media_folder,
    tabular,
    trec_files,
    webdataset,
)

FORMATS = (
    beir.FORMAT,
    context_tables.FORMAT,
    composed_queries.FORMAT,
    coco_files.CAPTIONED,
    coco_files.LABELLED,
    label_studio.FORMAT,
    trec_files.RANX,
    line_lists.CLASSES,
    webdataset.FORMAT,
    arrays.FORMAT,
    box_files.FORMAT,
    line_lists.HASHED,
    line_lists.CAPTIONED,
    trec_files.TREC,
    tabular.FORMAT,
    media_folder.FORMAT,
)
