"""Text files: one text a line, or one text a file where folders of them are classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dashboard.storage.files.contents import read_text
from dashboard.storage.sources.content import Content, Detected, Reader
from dashboard.storage.sources.listing import Listing, ending, parent, stem
from dashboard.storage.sources.tables import SPLITS
from dashboard.tables import DataError, Findings, counted

NO_DATA = {"readme", "license", "licence", "notice", "requirements", "citation", "ids"}


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """Files of texts, where a source has no pictures and no tables."""
    texts = [n for n in files if ending(n) == ".txt" and stem(n).lower() not in NO_DATA]
    if not texts or len(texts) < len(files) / 2:
        return None
    return Detected(tuple(texts), counted(len(texts), "file"))


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """Each text as an item, with its part (train, test) and its class by their folders."""
    content = Content()
    folders = {parent(name) for name in detected.files}
    classes = {folder.rpartition("/")[2] for folder in folders} - {"", *SPLITS}
    whole = len(classes) > 1
    rows, keywords = [], []
    for name in detected.files:
        try:
            text = read_text(listing.path(name), name, Findings())
        except DataError as problem:
            content.problems.append(f"left out: {problem}")
            continue
        words = (*name.lower().split("/")[:-1], stem(name).lower())
        split = next((SPLITS[word] for word in words if word in SPLITS), "")
        lines = [" ".join(text.split())] if whole else [line.strip() for line in text.split("\n")]
        for number, line in enumerate(lines, start=1):
            item = name if whole else f"{name}#{number}"
            if line:
                rows.append((item, "", "", "text", line, split))
        own = parent(name).rpartition("/")[2]
        if whole and own in classes:
            keywords.append((name, "pv_label", own))
    names = ["item_id", "file", "poster", "kind", "caption", "split"]
    content.items = pd.DataFrame(rows, columns=names, dtype="str")
    columns_of = ["item_id", "group", "keyword"]
    content.keywords = pd.DataFrame(keywords, columns=columns_of, dtype="str")
    guessed = "a text each" if whole else "item_id: the file and the line"
    content.note("items.csv", len(rows), counted(len(detected.files), "file"), guessed)
    if keywords:
        guessed = "pv_label: the folder of each file"
        content.note("unified_annotation.csv", len(keywords), "folders", guessed)
    return content


READER = Reader("texts", detect, read)
