"""What the folders of files say: the class of each, and the part of the data set."""

from __future__ import annotations

import pandas as pd

from dashboard.storage.collection.annotation import keyword_key
from dashboard.storage.sources.content import KEYWORD_COLUMNS, Content
from dashboard.storage.sources.tables import split_named
from dashboard.tables import counted, listed

GENERAL = {"images", "image", "imgs", "img", "pictures", "photos", "videos", "video", "clips",
           "media", "data", "files", "jpg", "jpeg", "png", "posters", "gifs", "raw", "all",
           "dataset", "thumbnails"}  # fmt: skip
"""Names of folders that are no class."""


def add_classes(content: Content) -> None:
    """Take the folders of the files for their classes, where there are several."""
    items = content.items
    classes = [_class(file) for file in items["file"]]
    different = {each for each in classes if each}
    if len(different) < 2 or len([each for each in classes if each]) < len(items) / 2:
        return
    found = items.assign(group="pv_label", keyword=classes)[list(KEYWORD_COLUMNS)]
    content.keywords = found[found["keyword"] != ""].reset_index(drop=True)
    guessed = f"pv_label: the folder of each file ({listed(sorted(different))})"
    content.note("unified_annotation.csv", len(content.keywords), "folders", guessed)


def note_folders(content: Content) -> None:
    """Say where labels and folders disagree."""
    classes = pd.Series([_class(f) for f in content.items["file"]], content.items["item_id"])
    classes = classes[classes != ""].map(keyword_key)
    if content.keywords.empty or classes.nunique() < 2:
        return
    keys = content.keywords.assign(key=content.keywords["keyword"].map(keyword_key))
    for group, part in keys.groupby("group"):
        if len(set(classes) & set(part["key"])) < classes.nunique() / 2:
            continue
        of_item = part.groupby("item_id")["key"].agg(set)
        both = of_item.index.intersection(classes.index)
        differ = [item for item in both if classes[item] not in of_item[item]]
        if differ:
            first = differ[0]
            content.problems.append(
                f"the label and the folder of {counted(len(differ), 'item')} contradict each "
                f"other ({first}: {listed(sorted(of_item[first]))} in {group}, "
                f"{classes[first]} by its folder); the label counts"
            )


def _class(file: str) -> str:
    """The folder that may be the class of a file: the innermost one that is no general name."""
    folders = file.split("/")[:-1]
    own = [each for each in folders if each.lower() not in GENERAL and not split_named(each)]
    return own[-1] if own and folders[-1] == own[-1] else ""


def split_of(file: str) -> str:
    """The part of a data set that a file belongs to by a folder's name; empty: none."""
    return next(filter(None, map(split_named, file.split("/")[:-1])), "")
