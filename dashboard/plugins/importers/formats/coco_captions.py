"""Captions in JSON: Karpathy's splits and MSR-VTT (the test split is taken), COCO captions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.blocks import make_text
from dashboard.plugins.importers.pieces import Captions, Format, Items, Piece, read_each
from dashboard.plugins.importers.source import Source, find_folder_of

SPLIT = "test"


def recognise(source: Source) -> list[str]:
    """Return JSON files whose beginning has the keys of one of both."""
    return [
        name
        for name in source.list_left(".json")
        for head in [source.read_head(name, 1 << 16)]
        if ('"sentences"' in head and ('"images"' in head or '"videos"' in head))
        or '"video_id"' in head
        and '"videos"' in head
        or (head.lstrip().startswith("{") and '"images"' in head and "caption" in name.lower())
        or ('"annotations"' in head and '"caption"' in head)
    ]


def _read_file(source: Source, name: str) -> Iterator[Piece]:
    found = source.read_json(name)
    if isinstance(found, dict) and isinstance(found.get("videos"), list):
        found["images"] = _join_sentences(found)
    images = found.get("images") if isinstance(found, dict) else None
    if not isinstance(images, list) or not all(isinstance(each, dict) for each in images):
        raise DataError(name, "no list of images", 'an object with "images"')
    if any("sentences" in image for image in images):
        yield from _list_sentences(source, name, images)
    else:
        yield from _list_annotations(source, name, images, found.get("annotations"))


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
    kept = [image for image in images if SPLIT not in splits or image.get("split") == SPLIT]
    if len(kept) < len(images):
        others = ", ".join(sorted(splits - {SPLIT}))
        said = f"{len(images) - len(kept):,} images of other splits ({others})"
        yield Finding("note", name, None, said, f"the split {SPLIT}; left out")
    odd = [image for image in kept if not isinstance(image.get("filename"), str)]
    if odd:
        said = f"{len(odd):,} images without a filename"
        yield Finding("warning", name, None, said, "a filename; left out")
    kept = [image for image in kept if isinstance(image.get("filename"), str)]
    ids = [image["filename"] for image in kept]
    folder = find_folder_of(name)
    files = [
        source.find_media(
            f"{image['filepath']}/{image['filename']}"
            if image.get("filepath")
            else image["filename"],
            folder,
        )
        for image in kept
    ]
    numbers = {key: [make_text(image.get(key)) for image in kept] for key in ("cocoid", "imgid")}
    yield Items(name, ids, {"file": files} | numbers, is_whole=True)
    rows = [
        (
            image["filename"],
            str(told.get("raw") or " ".join(told.get("tokens", ()))),
            str(told.get("sentid", "")),
        )
        for image in kept
        for told in image.get("sentences", ())
    ]
    if rows:
        yield Captions(name, *map(list, zip(*rows, strict=True)))


def _list_annotations(
    source: Source, name: str, images: Sequence[Any], annotations: Any
) -> Iterator[Piece]:
    """Yield COCO's images and captions; a caption of an unknown image is left out."""
    if not isinstance(annotations, list):
        raise DataError(name, "no list of annotations", 'an object with "annotations"')
    folder = find_folder_of(name)
    names = {image.get("id"): str(image.get("file_name") or image.get("id")) for image in images}
    ids = list(names.values())
    yield Items(name, ids, {"file": [source.find_media(each, folder) for each in ids]})
    good = [
        (names[told["image_id"]], str(told["caption"]).strip(), str(told.get("id", "")))
        for told in annotations
        if isinstance(told, dict) and told.get("image_id") in names and "caption" in told
    ]
    if len(good) < len(annotations):
        said = f"{len(annotations) - len(good):,} annotations without a caption or a known image"
        yield Finding("warning", name, None, said, "image_id and caption; left out")
    if good:
        yield Captions(name, *map(list, zip(*good, strict=True)))


FORMAT = Format(
    "captions in JSON",
    "Karpathy's splits, COCO captions, MSR-VTT",
    recognise,
    partial(read_each, _read_file),
)
