"""Formats in the order in which they choose files: those that know more than an ending first."""

from dashboard.plugins.importers import similarities
from dashboard.plugins.importers.formats import (
    annotations,
    arrays,
    captions,
    class_lists,
    media_folder,
    protocol_files,
    tabular,
    trec_files,
    webdataset,
)

FORMATS = (
    trec_files.BEIR,
    protocol_files.CONTEXT,
    protocol_files.COMPOSED,
    captions.JSON,
    annotations.JSON,
    class_lists.NAMES,
    annotations.ROWS,
    class_lists.CLASSES,
    webdataset.FORMAT,
    class_lists.HASHED,
    similarities.TABLES,
    arrays.FORMAT,
    annotations.BOXES,
    media_folder.BESIDE_MEDIA,
    captions.LINES,
    trec_files.TREC,
    tabular.FORMAT,
    media_folder.FORMAT,
)
