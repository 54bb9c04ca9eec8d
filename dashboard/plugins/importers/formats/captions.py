"""Captions in JSON as Karpathy, MSR-VTT and COCO write them, and in lines as Flickr30k has them.

Of captions with splits the test split is taken. Lines are `FILE#K<TAB>caption`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from dashboard.plugins.importers.blocks import make_text
from dashboard.plugins.importers.pieces import (
    Captions,
    Format,
    Items,
    Piece,
    match_lines,
    read_each,
    take_list,
)
from dashboard.plugins.importers.source import Source, find_folder_of

SPLIT = "test"
KEYS = ("sentences images", "sentences videos", "video_id videos", "annotations caption")
LINE = re.compile(r"(\S+\.\w{2,4})(#\d+)?[\t ]+(\S.*)")


def recognise_json(source: Source) -> list[str]:
    """Return JSON files whose beginning has the keys of one of the forms."""
    named = [name for name in source.list_keyed("images") if "caption" in name.lower()]
    return [*source.list_keyed(*KEYS), *named]


def _read_json(source: Source, name: str) -> Iterator[Piece]:
    found = source.read_json(name)
    if isinstance(found, dict) and isinstance(found.get("videos"), list):
        found["images"] = _join_sentences(found)
    images = take_list(found, "images", name)
    if any("sentences" in image for image in images):
        yield from _list_sentences(source, name, images)
        return
    told = take_list(found, "annotations", name)
    names = {image.get("id"): str(image.get("file_name") or image.get("id")) for image in images}
    yield Items(name, list(names.values()))
    good = [each for each in told if each.get("image_id") in names and "caption" in each]
    what = "annotations without a caption or a known image"
    source.count(name, len(told) - len(good), what, "image_id and caption; left out")
    rows = [(names[e["image_id"]], str(e["caption"]).strip(), str(e.get("id", ""))) for e in good]
    yield Captions(name, rows)


def _join_sentences(found: Mapping[str, Any]) -> list[Any]:
    """Return the videos of MSR-VTT with their sentences, as Karpathy's images have them."""
    told: dict[Any, list[Any]] = {}
    for each in found.get("sentences") or []:
        own = {"raw": each.get("caption", ""), "sentid": each.get("sen_id", "")}
        told.setdefault(each.get("video_id"), []).append(own)
    return [
        {**each, "filename": name, "sentences": told.get(name, [])}
        for each in found["videos"]
        if isinstance(name := each.get("video_id"), str)
    ]


def _list_sentences(source: Source, name: str, images: Sequence[Any]) -> Iterator[Piece]:
    """Yield Karpathy's images; where there is a test split, that is the gallery."""
    splits = {str(image.get("split", "")) for image in images}
    own = [image for image in images if SPLIT not in splits or image.get("split") == SPLIT]
    what = f"images of other splits ({', '.join(sorted(splits - {SPLIT}))})"
    wanted = f"the split {SPLIT}; left out"
    source.count(name, len(images) - len(own), what, wanted, "note")
    kept = [image for image in own if isinstance(image.get("filename"), str)]
    lost = len(own) - len(kept)
    source.count(name, lost, "images without a filename", "a filename; left out")
    paths = ["/".join(filter(None, (e.get("filepath"), e["filename"]))) for e in kept]
    columns = {key: [make_text(image.get(key)) for image in kept] for key in ("cocoid", "imgid")}
    columns["file"] = [source.find_media(path, find_folder_of(name)) for path in paths]
    yield Items(name, [image["filename"] for image in kept], columns, is_whole=True)
    rows = []
    for image in kept:
        for told in image.get("sentences", ()):
            text = str(told.get("raw") or " ".join(told.get("tokens", ())))
            rows.append((image["filename"], text, str(told.get("sentid", ""))))
    yield Captions(name, rows)


def recognise_lines(source: Source) -> list[str]:
    """Return text files whose first lines name a picture each."""

    def fits(head: str) -> bool:
        every = head.split("\n")[:-1] or [head]
        lines = [line for line in every if line.strip() and line[0] != "#"][:5]
        matches = [LINE.fullmatch(line.strip()) for line in lines]
        return bool(lines) and all(
            match and (match[2] or source.find_media(match[1])) and len(match[3].split()) > 1
            for match in matches
        )

    texts = source.list_headed(fits, ".token", ".txt")
    return [name for name in texts if name not in source.sidecars]


def _read_lines(source: Source, name: str) -> Iterator[Piece]:
    text = source.read_text(name)
    found = match_lines(source, name, text, LINE, "FILE#K, a tab, the caption").values()
    rows = [(each[1], each[3], each[1] + each[2] if each[2] else "") for each in found]
    yield Items(name, list(dict.fromkeys(item for item, _, _ in rows)))
    yield Captions(name, rows)


JSON = Format(
    "captions in JSON",
    "Karpathy's splits, COCO captions, MSR-VTT",
    recognise_json,
    partial(read_each, _read_json),
)
LINES = Format(
    "captions in lines",
    "Flickr30k's .token and lines like it",
    recognise_lines,
    partial(read_each, _read_lines),
)
