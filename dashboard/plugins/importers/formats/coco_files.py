"""Annotations of pictures in JSON: captions as Karpathy, MSR-VTT and COCO write them, and labels.

Of captions with splits the test split is taken. FiftyOne writes `labels.json` in two forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from dashboard.errors import count_odd
from dashboard.plugins.importers.blocks import make_text
from dashboard.plugins.importers.formats.media_folder import make_labelled
from dashboard.plugins.importers.pieces import (
    Captions,
    Format,
    Items,
    Piece,
    read_each,
    take_list,
)
from dashboard.plugins.importers.source import Source, find_folder_of

SPLIT = "test"


def recognise_captions(source: Source) -> list[str]:
    """Return JSON files whose beginning has the keys of one of the forms."""
    ways = ("sentences images", "sentences videos", "video_id videos", "annotations caption")
    named = [name for name in source.list_keyed("images") if "caption" in name.lower()]
    return [*source.list_keyed(*ways), *named]


def _read_captions(source: Source, name: str) -> Iterator[Piece]:
    found = source.read_json(name)
    if isinstance(found, dict) and isinstance(found.get("videos"), list):
        found["images"] = _join_sentences(found)
    images = take_list(found, "images", name)
    if any("sentences" in image for image in images):
        yield from _list_sentences(source, name, images)
    else:
        yield from _list_annotations(name, images, take_list(found, "annotations", name))


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
    yield from count_odd(name, len(images) - len(own), what, wanted, "note")
    kept = [image for image in own if isinstance(image.get("filename"), str)]
    lost = len(own) - len(kept)
    yield from count_odd(name, lost, "images without a filename", "a filename; left out")
    ids = [image["filename"] for image in kept]
    paths = ["/".join(filter(None, (e.get("filepath"), e["filename"]))) for e in kept]
    columns = {key: [make_text(image.get(key)) for image in kept] for key in ("cocoid", "imgid")}
    columns["file"] = [source.find_media(path, find_folder_of(name)) for path in paths]
    yield Items(name, ids, columns, is_whole=True)
    yield Captions.join(
        name,
        (
            (
                image["filename"],
                str(told.get("raw") or " ".join(told.get("tokens", ()))),
                str(told.get("sentid", "")),
            )
            for image in kept
            for told in image.get("sentences", ())
        ),
    )


def _list_annotations(name: str, images: Sequence[Any], told: Sequence[Any]) -> Iterator[Piece]:
    """Yield COCO's images and captions; a caption of an unknown image is left out."""
    names = {image.get("id"): str(image.get("file_name") or image.get("id")) for image in images}
    yield Items(name, list(names.values()))
    good = [each for each in told if each.get("image_id") in names and "caption" in each]
    what = "annotations without a caption or a known image"
    yield from count_odd(name, len(told) - len(good), what, "image_id and caption; left out")
    rows = ((names[e["image_id"]], str(e["caption"]).strip(), str(e.get("id", ""))) for e in good)
    yield Captions.join(name, rows)


def recognise_labels(source: Source) -> list[str]:
    """Return JSON files with categories and annotations, or with classes and labels."""
    return source.list_keyed("category_id", "categories images", "classes labels")


def _read_labels(source: Source, name: str) -> Iterator[Piece]:
    found = source.read_json(name)
    if isinstance(found, dict) and isinstance(found.get("labels"), dict):
        classes = found.get("classes") or []
        pairs = ((key, _list_labels(value, classes)) for key, value in found["labels"].items())
        yield make_labelled(name, pairs)
        return
    keys = ("images", "annotations", "categories")
    images, told, kinds = (take_list(found, key, name) for key in keys)
    names = {each.get("id"): str(each.get("name", each.get("id"))) for each in kinds}
    files = {each.get("id"): str(each.get("file_name", "")) for each in images}
    labels = {file: list[str]() for file in files.values() if file}
    good = [e for e in told if files.get(e.get("image_id")) and e.get("category_id") in names]
    for each in good:
        labels[files[each["image_id"]]].append(names[each["category_id"]])
    what = "annotations of unknown images or categories"
    yield from count_odd(name, len(told) - len(good), what, "ids that are there; left out")
    yield make_labelled(name, labels.items())


def _list_labels(value: Any, classes: Sequence[Any]) -> list[str]:
    """Return the classes of a picture: a number or name, or those of a list of objects."""
    if isinstance(value, list):
        return [each for part in value for each in _list_labels(part, classes)]
    if isinstance(value, dict):
        return _list_labels(value.get("label"), classes)
    is_place = isinstance(value, int) and 0 <= value < len(classes)
    return [] if value is None else [str(classes[value] if is_place else value)]


CAPTIONED = Format(
    "captions in JSON",
    "Karpathy's splits, COCO captions, MSR-VTT",
    recognise_captions,
    partial(read_each, _read_captions),
)
LABELLED = Format(
    "COCO labels",
    "COCO's annotations, FiftyOne's labels.json",
    recognise_labels,
    partial(read_each, _read_labels),
)
