"""What FiftyOne exports: `samples.json` of a whole dataset, or `labels.json` of a classification,
with the pictures in `data/`. A tree of class folders is read as any folder of pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard.storage.collection.settings import group_name
from dashboard.storage.sources.content import Content, Detected, Reader
from dashboard.storage.sources.listing import Listing, is_media, kind_of, parent
from dashboard.storage.sources.tables import file_named, names_of_files, read_json
from dashboard.tables import DataError, counted, listed

OWN = {"_id", "id", "filepath", "tags", "metadata", "_media_type", "_rand", "_dataset_id"}


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """`samples.json`, or `labels.json` with classes and labels, and what lies in `data/`."""
    for name in files:
        last = name.rsplit("/", 1)[-1]
        if last not in ("samples.json", "labels.json"):
            continue
        try:
            content = read_json(listing, name)
        except DataError:
            continue
        whole = isinstance(content, dict) and isinstance(content.get("samples"), list)
        labels = isinstance(content, dict) and isinstance(content.get("labels"), dict)
        if (last == "samples.json" and whole) or (last == "labels.json" and labels):
            top = parent(name)
            media = [n for n in files if is_media(n) and (not top or n.startswith(f"{top}/"))]
            beside = [f"{top}/{each}".lstrip("/") for each in ("metadata.json", "frames.json")]
            others = [each for each in beside if each in files]
            return Detected((name, *others, *media), f"{name} with {counted(len(media), 'file')}")
    return None


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """A sample is an item; its fields with labels, and its tags, are groups of keywords."""
    name = detected.files[0]
    data = read_json(listing, name)
    files = names_of_files([each for each in detected.files if is_media(each)])
    samples = data["samples"] if "samples" in data else _of_labels(data)
    content = Content()
    rows: dict[str, dict[str, str]] = {}
    keywords: dict[tuple[str, str, str], None] = {}
    lost = []
    for sample in (each for each in samples if isinstance(each, dict)):
        path = str(sample.get("filepath", ""))
        file = file_named(path, files)
        item = file or path
        if not item:
            continue
        lost += [] if file else [path]
        rows[item] = {"item_id": item, "file": file, "poster": "", "kind": kind_of(path)}
        for tag in sample.get("tags") or []:
            keywords[item, "pv_tags", str(tag)] = None
        for key, value in sample.items():
            if key not in OWN and not key.startswith("_"):
                for label in _labels(value):
                    keywords[item, group_name(key), label] = None
    if lost:
        content.problems.append(f"{counted(len(lost), 'sample')} without a file ({listed(lost)})")
    content.items = pd.DataFrame(list(rows.values()), dtype="str").assign(caption="")
    content.keywords = pd.DataFrame(
        list(keywords), columns=["item_id", "group", "keyword"], dtype="str"
    )
    groups = listed(dict.fromkeys(group for _, group, _ in keywords))
    content.note("items.csv", len(rows), name, "item_id: the path of its file")
    content.note("unified_annotation.csv", len(keywords), name, groups)
    return content


def _of_labels(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The samples of a classification: a label is a number of a class, a name, or several."""
    classes = data.get("classes") or []

    def named(label: object) -> dict[str, object]:
        if isinstance(label, list):
            return {"classifications": [named(each) for each in label]}
        if isinstance(label, dict):
            return {"label": label.get("label")}
        if isinstance(label, int) and 0 <= label < len(classes):
            return {"label": classes[label]}
        return {"label": label}

    return [{"filepath": key, "label": named(label)} for key, label in data["labels"].items()]


def _labels(value: object) -> list[str]:
    """The labels in a field: of a classification, of several, of detections."""
    if not isinstance(value, dict):
        return []
    label = value.get("label")
    found = [str(label)] if isinstance(label, str | int) and not isinstance(label, bool) else []
    for key in ("classifications", "detections", "polylines", "keypoints"):
        if isinstance(value.get(key), list):
            found += [each for part in value[key] for each in _labels(part)]
    return found


READER = Reader("FiftyOne", detect, read)
