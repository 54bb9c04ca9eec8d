"""COCO's JSON of instances and captions, and eccv_caption's maps between its pictures and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard.storage.sources.content import Content, Detected, Reader
from dashboard.storage.sources.listing import Listing, ending, is_media, kind_of, stem
from dashboard.storage.sources.tables import file_named, names_of_files, read_json, split_named
from dashboard.tables import DataError, counted, listed

GROUP = "pv_category"
MAPS = ("eccv", "cxc", "original")
"""The maps of eccv_caption, the first that is there counts."""
_TO_TEXT, _TO_PICTURE = "_image_to_caption.json", "_caption_to_image.json"


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """JSON files with pictures and annotations, and the pictures that they name."""
    jsons = [name for name in files if ending(name) == ".json" and _is_coco(listing, name)]
    if not jsons:
        return None
    media = [name for name in files if is_media(name)]
    return Detected((*jsons, *media), f"{listed(jsons)} with {counted(len(media), 'picture')}")


def _is_coco(listing: Listing, name: str) -> bool:
    try:
        content = read_json(listing, name)
    except DataError:
        return False
    lists = isinstance(content, dict) and all(
        isinstance(content.get(key), list) for key in ("images", "annotations")
    )
    return bool(lists) and any(_is_picture(row) for row in content["images"])


def _is_picture(row: object) -> bool:
    return isinstance(row, dict) and {"id", "file_name"} <= set(row)


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """A picture is an item, the categories of its instances are keywords, its captions captions."""
    content = Content()
    files = names_of_files([name for name in detected.files if is_media(name)])
    rows: dict[str, dict[str, str]] = {}
    keywords: dict[tuple[str, str, str], None] = {}
    captions: dict[tuple[str, str], None] = {}
    lost = []
    for name in (name for name in detected.files if not is_media(name)):
        data = read_json(listing, name)
        ids: dict[object, str] = {}
        parts = stem(name).split("_")
        pictures = [row for row in data["images"] if _is_picture(row)]
        if unnamed := len(data["images"]) - len(pictures):
            content.problems.append(
                f"left out: {name}: {counted(unnamed, 'picture')} without id or file_name"
            )
        for picture in pictures:
            item = str(picture["file_name"])
            ids[picture["id"]] = item
            file = file_named(item, files)
            lost += [] if file else [item]
            kind = kind_of(item) or "image"
            row = {"item_id": item, "file": file, "poster": "", "kind": kind}
            split = next(filter(None, map(split_named, (*parts, *file.split("/")[:-1]))), "")
            rows.setdefault(item, row | ({"split": split} if split else {}))
        names = {c.get("id"): str(c.get("name")) for c in _objects(data.get("categories"))}
        strange = 0
        for each in _objects(data["annotations"]):
            picture_id = ids.get(each.get("image_id"))
            if picture_id is None:
                strange += 1
            elif isinstance(each.get("caption"), str):
                captions[picture_id, " ".join(each["caption"].split())] = None
            elif each.get("category_id") in names:
                keywords[picture_id, GROUP, names[each["category_id"]]] = None
        if strange:
            content.problems.append(
                f"{name}: {counted(strange, 'annotation')} of pictures that it does not name"
            )
    if lost and files:
        content.problems.append(f"{counted(len(set(lost)), 'picture')} not there ({listed(lost)})")
    content.items = pd.DataFrame(list(rows.values()), dtype="str").fillna("").assign(caption="")
    content.keywords = pd.DataFrame(
        list(keywords), columns=["item_id", "group", "keyword"], dtype="str"
    )
    content.captions = pd.DataFrame(list(captions), columns=["item_id", "caption"], dtype="str")
    once = content.captions.drop_duplicates("item_id")
    first = dict(zip(once["item_id"], once["caption"], strict=True))
    content.items["caption"] = [first.get(item, "") for item in content.items["item_id"]]
    taken = listed(name for name in detected.files if not is_media(name))
    content.note("items.csv", len(rows), taken, "item_id: file_name")
    if keywords:
        content.note("unified_annotation.csv", len(keywords), taken, f"{GROUP}: categories")
    if captions:
        content.note("items.csv", 0, taken, counted(len(captions), "caption"))
    return content


def _objects(rows: object) -> list[dict[str, Any]]:
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def detect_maps(listing: Listing, files: Sequence[str]) -> Detected | None:
    """Pairs of maps, picture → texts and text → pictures."""
    maps = [name for name in files if name.endswith((_TO_TEXT, _TO_PICTURE))]
    pairs = [n for n in maps if n.endswith(_TO_TEXT) and n.replace(_TO_TEXT, _TO_PICTURE) in maps]
    return Detected(tuple(maps), counted(len(maps), "map")) if pairs else None


def read_maps(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """The matching of pictures and texts that one pair of maps holds, without files or words."""
    pairs = {
        name.rsplit("/", 1)[-1].removesuffix(_TO_TEXT): name
        for name in detected.files
        if name.endswith(_TO_TEXT) and name.replace(_TO_TEXT, _TO_PICTURE) in detected.files
    }
    chosen = next(each for each in (*MAPS, *pairs) if each in pairs)
    content, qrels = Content(), []
    items: dict[str, str] = {}
    asked: dict[str, tuple[str, str]] = {}
    ways = ((pairs[chosen], "image", "caption"), (None, "caption", "image"))
    for place, one, other in ways:
        name = place or pairs[chosen].replace(_TO_TEXT, _TO_PICTURE)
        found = read_json(listing, name)
        if not isinstance(found, dict) or not all(isinstance(v, list) for v in found.values()):
            raise DataError(name, "JSON of another kind", "a list of ids for each id")
        for key, values in found.items():
            query, item = f"{one[0]}_{key}", f"{one}_{key}"
            items[item] = one
            asked[query] = item, "texts" if one == "image" else "pictures"
            for value in values:
                items[f"{other}_{value}"] = other
                qrels.append((query, f"{other}_{value}", "1"))
    rows = [
        (item, "image" if of == "image" else "text", "pictures" if of == "image" else "texts")
        for item, of in items.items()
    ]
    content.items = pd.DataFrame(rows, columns=["item_id", "kind", "side"], dtype="str")
    content.items = content.items.assign(file="", poster="", caption="")
    queries = [(q, "", item, "", among) for q, (item, among) in asked.items()]
    columns_of = ["query_id", "text", "item_id", "image", "among"]
    content.queries = pd.DataFrame(queries, columns=columns_of, dtype="str")
    content.qrels = pd.DataFrame(qrels, columns=["query_id", "item_id", "grade"], dtype="str")
    content.qrels = content.qrels.drop_duplicates(ignore_index=True)
    content.settings["protocols"] = ["crossmodal"]
    left = sorted(set(pairs) - {chosen})
    guessed = f"the maps {chosen}" + (f"; {listed(left)} left out" if left else "")
    content.note("qrels.csv", len(content.qrels), pairs[chosen], guessed)
    content.note("items.csv", len(items), "the ids in the maps", "image_ or caption_ and the id")
    content.note("queries.csv", len(asked), "the ids in the maps", "each item that is judged")
    return content


READER = Reader("COCO", detect, read)
MAPS_READER = Reader("eccv_caption", detect_maps, read_maps)
