"""Captions and classes in JSON as Karpathy, MSR-VTT and COCO write them; Flickr30k's lines.

Lines are `FILE#K<TAB>caption`.
"""

import re
from functools import partial
from typing import Any

from dashboard.plugins.importers.formats.tabular import read_table
from dashboard.plugins.importers.pieces import (
    Captions,
    Format,
    Items,
    Pieces,
    make_text,
    match_lines,
    read_each,
    write_list,
)
from dashboard.plugins.importers.source import Source, find_stem, list_first
from dashboard.tables import Names, Row

COLUMNS = ("cocoid", "imgid", "id", "split")
KEYS = (
    "sentences images", "sentences videos", "video_id videos", "annotations caption",
    "category_id", "file_name images",
)  # fmt: skip
"""COCO's may begin with all its pictures, and have annotations far behind, or none."""
LISTS = {
    "images": ("annotations", "id", "image_id"),
    "videos": ("sentences", "video_id", "video_id"),
}
"""The list of texts beside that of pictures, the key of a picture, and its key in a text."""
NAMES = ("filename", "file_name", "coco_url", "video_id", "id")
"""Keys of a picture's name, as each program writes them."""
TOLD = re.compile("descriptions|captions", re.I)
"""Words in names of files of ids and captions, such as those of MSVD."""
LINE = re.compile(r"(\S+?)(#\d+)?[\t ]+(?!\S+#\d+\s)(?:[\d.]+\t)?((?!.*##)\S.*)")
"""A picture and its caption, perhaps a number between them; no line of Flickr8k's judgements."""


def _read_json(source: Source, name: str) -> Pieces:
    """Yield pictures, their texts and classes."""
    found = source.read_json(name)
    key = "videos" if "videos" in found else "images"
    if key not in found:  # another table with the ids of categories
        yield from read_table(source, name)
        return
    beside, own, other = LISTS[key]
    kept = found[key]
    told: dict[Any, list[Row]] = {image.get(own): [] for image in kept}
    kinds = {e["id"]: str(e.get("name", e["id"])) for e in found.get("categories", ())}
    odd = 0
    for each in found.get(beside, ()):
        is_told = "caption" in each or "segments_info" in each or each.get("category_id") in kinds
        odd += not is_told or each.get(other) not in told
        told.setdefault(each.get(other), []).extend(each.get("segments_info", [each]))
    what = "annotations without a caption or a category, or of unknown pictures"
    source.count(name, odd, what, "them; left out")
    ids = [re.sub("^https?://[^/]+/", "", _find(image, NAMES)) for image in kept]
    columns = {key: [make_text(image.get(key)) for image in kept] for key in COLUMNS}
    columns["file"] = []  # found by the names
    if "videos" in found:
        columns["kind"] = ["video"] * len(kept)
    rows, labels = [], []
    for item, image in zip(ids, kept, strict=True):
        texts = image.get("sentences") or told[image.get(own)]
        for each in texts:
            if text := _find(each, ("raw", "caption")):
                rows.append((item, text, _find(each, ("sentid", "sen_id", "id"))))
        labels.append(write_list(kinds.get(each.get("category_id"), "") for each in texts))
    stated = {"label": labels} if kinds else {}
    yield Items(name, ids, columns | stated, list(stated), is_whole="annotations" not in found)
    yield Captions(name, rows)


def _find(told: Row, keys: Names) -> str:
    """Return the value of the first of some keys that is there, as a text."""
    return next((make_text(told[key]) for key in keys if told.get(key) is not None), "")


def recognise_lines(source: Source) -> Names:
    """Return texts whose first lines name a picture each, or that say so with any ids."""

    def fits(name: str) -> bool:
        matches = list(map(LINE.fullmatch, list_first(source.read_head(name), 5)))
        return bool(matches) and all(
            match
            and (match[2] or source.find_media(match[1]) or TOLD.search(find_stem(name)))
            and len(re.findall(r"[^\W\d_]+", match[3])) > 1
            for match in matches
        )

    texts = list(filter(fits, source.list_left(".token", ".txt")))
    return [name for name in texts if "lemma" not in name.lower()] or texts


def _read_lines(source: Source, name: str) -> Pieces:
    found = match_lines(source, name, LINE, "FILE#K, a tab, the caption")
    yield Items(name, list(dict.fromkeys(each[1] for each in found)))
    yield Captions(
        name, [(each[1], each[3], each[1] + each[2] if each[2] else "") for each in found]
    )


JSON = Format(
    "captions and COCO in JSON",
    lambda source: source.list_keyed(*KEYS),
    partial(read_each, _read_json),
)
LINES = Format("captions in lines", recognise_lines, partial(read_each, _read_lines))
