"""Captions in JSON as Karpathy, MSR-VTT and COCO write them, and in lines as Flickr30k has them.

Of captions with splits the test split is taken. Lines are `FILE#K<TAB>caption`.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from dashboard.plugins.importers.blocks import make_text
from dashboard.plugins.importers.pieces import (
    Captions,
    Format,
    Items,
    Pieces,
    match_lines,
    read_each,
    take_list,
)
from dashboard.plugins.importers.source import Source, find_folder_of

SPLIT = "test"
WORD = re.compile(r"[^\W\d_]+")
KEYS = ("sentences images", "sentences videos", "video_id videos", "annotations caption")
LISTS = {
    "images": ("annotations", "id", "image_id"),
    "videos": ("sentences", "video_id", "video_id"),
}
"""The list of texts beside that of pictures, the key of a picture, and its key in a text."""
NAMES = ("filename", "file_name", "video_id", "id")
TEXTS = ("raw", "caption")
TEXT_IDS = ("sentid", "sen_id", "id")
"""Keys of a picture's name, of a text, and of a text's id, as each program writes them."""
LINE = re.compile(r"(\S+?)(#\d+)?[\t ]+(?!\S+#\d+\s)(?:[\d.]+\t)?((?!.*##)\S.*)")
"""A picture and its caption, perhaps a number between them; no line of Flickr8k's judgements."""


def recognise_json(source: Source) -> list[str]:
    """Return JSON files whose beginning has the keys of one of the forms."""
    named = [name for name in source.list_keyed("images") if "caption" in name.lower()]
    return [*source.list_keyed(*KEYS), *named]


def _read_json(source: Source, name: str) -> Pieces:
    """Yield pictures and their texts; where there is a test split, that is the gallery."""
    found = source.read_json(name)
    pictures = list_told(source, name, found)
    splits = {str(image.get("split", "")) for image, _ in pictures}
    kept = [each for each in pictures if SPLIT not in splits or each[0].get("split") == SPLIT]
    what = f"pictures or clips of other splits ({', '.join(sorted(splits - {SPLIT}))})"
    source.count(name, len(pictures) - len(kept), what, f"the split {SPLIT}; left out", "note")
    columns = {key: [make_text(image.get(key)) for image, _ in kept] for key in ("cocoid", "imgid")}
    paths = ["/".join(filter(None, (e.get("filepath"), find_text(e, NAMES)))) for e, _ in kept]
    columns["file"] = [source.find_media(path, find_folder_of(name)) for path in paths]
    ids = [find_text(image, NAMES) for image, _ in kept]
    yield Items(name, ids, columns, is_whole="annotations" not in found)
    rows = []
    for item, (_, texts) in zip(ids, kept, strict=True):
        for told in texts:
            text = find_text(told, TEXTS) or " ".join(told.get("tokens", ()))
            rows.append((item, text, find_text(told, TEXT_IDS)))
    source.count(name, [text for _, text, _ in rows].count(""), "texts that are empty", "a caption")
    yield Captions(name, rows)


def list_told(
    source: Source, name: str, found: Mapping[str, Any]
) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return the pictures or clips of a file, each with what it says of them, inside or beside.

    Raises:
        DataError: If there are none.
    """
    key = "videos" if "videos" in found else "images"
    beside, own, other = LISTS[key]
    pictures = take_list(found, key, name)
    told: dict[Any, list[dict[str, Any]]] = {}
    for each in found.get(beside, ()):
        told.setdefault(each.get(other), []).append(each)
    unknown = told.keys() - {picture.get(own) for picture in pictures}
    lost = sum(len(told[each]) for each in unknown)
    source.count(name, lost, f"{beside} of unknown {key}", "ids that are there; left out")
    return [(each, each.get("sentences") or told.get(each.get(own), [])) for each in pictures]


def find_text(told: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the value of the first of some keys that is there, as a text."""
    return next((make_text(told[key]) for key in keys if key in told), "")


def recognise_lines(source: Source) -> list[str]:
    """Return text files whose first lines name a picture each."""

    def fits(head: str) -> bool:
        every = head.split("\n")[:-1] or [head]
        lines = [line for line in every if line.strip() and line[0] != "#"][:5]
        matches = [LINE.fullmatch(line.strip()) for line in lines]
        return bool(lines) and all(
            match and (match[2] or source.find_media(match[1])) and len(WORD.findall(match[3])) > 1
            for match in matches
        )

    texts = [n for n in source.list_headed(fits, ".token", ".txt") if n not in source.sidecars]
    return [name for name in texts if "lemma" not in name.lower()] or texts


def _read_lines(source: Source, name: str) -> Pieces:
    found = match_lines(source, name, source.read_text(name), LINE, "FILE#K, a tab, the caption")
    yield Items(name, list(dict.fromkeys(each[1] for each in found)))
    rows = [(each[1], each[3], each[1] + each[2] if each[2] else "") for each in found]
    yield Captions(name, rows)


JSON = Format("captions in JSON", recognise_json, partial(read_each, _read_json))
LINES = Format("captions in lines", recognise_lines, partial(read_each, _read_lines))
