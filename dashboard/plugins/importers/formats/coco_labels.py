"""COCO: categories of the objects in each picture; FiftyOne's `labels.json` in both forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.formats.media_folder import make_labelled
from dashboard.plugins.importers.pieces import Format, Piece, read_each
from dashboard.plugins.importers.source import Source


def recognise(source: Source) -> list[str]:
    """Return JSON files with categories and annotations, or with classes and labels."""
    found = [(name, source.read_head(name, 1 << 16)) for name in source.list_left(".json")]
    return [
        name
        for name, head in found
        if '"category_id"' in head
        or ('"categories"' in head and '"images"' in head)
        or ('"classes"' in head and '"labels"' in head)
    ]


def _read_file(source: Source, name: str) -> Iterator[Piece]:
    found = source.read_json(name)
    if not isinstance(found, dict):
        raise DataError(name, "a list", 'an object with "images" and "annotations"')
    if isinstance(found.get("labels"), dict):
        classes = found.get("classes") or []
        labels = {key: _list_labels(value, classes) for key, value in found["labels"].items()}
        yield make_labelled(source, name, labels)
        return
    images, told, kinds = (found.get(key) for key in ("images", "annotations", "categories"))
    if not all(isinstance(each, list) for each in (images, told, kinds)):
        raise DataError(name, "a list missing", '"images", "annotations" and "categories"')
    names = {each.get("id"): str(each.get("name", each.get("id"))) for each in kinds or []}
    files = {each.get("id"): str(each.get("file_name", "")) for each in images or []}
    labels = {file: list[str]() for file in files.values() if file}
    odd = 0
    for each in told or []:
        file = files.get(each.get("image_id"))
        if file and each.get("category_id") in names:
            labels[file].append(names[each["category_id"]])
        else:
            odd += 1
    if odd:
        said = f"{odd:,} annotations of unknown images or categories"
        yield Finding("warning", name, None, said, "ids that are there; left out")
    yield make_labelled(source, name, labels)


def _list_labels(value: Any, classes: Sequence[Any]) -> list[str]:
    """Return the classes of a picture: a number or name, or those of a list of objects."""
    if isinstance(value, list):
        return [each for part in value for each in _list_labels(part, classes)]
    if isinstance(value, dict):
        return _list_labels(value.get("label"), classes)
    is_place = isinstance(value, int) and 0 <= value < len(classes)
    return [] if value is None else [str(classes[value] if is_place else value)]


FORMAT = Format(
    "COCO labels",
    "COCO's annotations, FiftyOne's labels.json",
    recognise,
    partial(read_each, _read_file),
)
