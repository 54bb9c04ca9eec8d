"""What FiftyOne exports: `samples.json` or `samples/` of a whole dataset, or `labels.json` of a
classification, with the pictures in `data/`. A tree of class folders is read as any folder of
pictures."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard.storage.collection.settings import group_name
from dashboard.storage.sources.content import Content, Detected, Reader
from dashboard.storage.sources.fiftyone_vectors import add_vectors, is_vector
from dashboard.storage.sources.listing import Listing, is_media, kind_of, parent
from dashboard.storage.sources.tables import (
    file_named,
    label_columns,
    left_out,
    names_of_files,
    read_json,
)
from dashboard.tables import DataError, counted, listed

OWN = {"_id", "id", "filepath", "tags", "metadata", "_media_type", "_rand", "_dataset_id"}


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """`samples.json`, or `labels.json` with classes and labels, and what lies in `data/`; or the
    files of `samples/` beside `metadata.json`."""
    for name in files:
        last = name.rsplit("/", 1)[-1]
        if not _is_whole(name):
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
    for name in (each for each in files if each.rsplit("/", 1)[-1] == "metadata.json"):
        top = f"{parent(name)}/".lstrip("/")
        own = [each for each in files if each.startswith(top)]
        samples = [n for n in own if re.fullmatch(r"samples/[^/]+\.json", n[len(top) :])]
        if any(_is_sample(listing, each) for each in samples[:5]):
            frames = [n for n in own if re.fullmatch(r"frames/[^/]+\.json", n[len(top) :])]
            media = [each for each in own if is_media(each)]
            what = f"{top}samples with {counted(len(media), 'file')}"
            return Detected((*samples, *frames, name, *media), what)
    return None


def _is_whole(name: str) -> bool:
    return name.rsplit("/", 1)[-1] in ("samples.json", "labels.json")


def _is_sample(listing: Listing, name: str) -> bool:
    try:
        content = read_json(listing, name)
    except DataError:
        return False
    return isinstance(content, dict) and "filepath" in content


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """A sample is an item; its fields with labels, and its tags, are groups of keywords."""
    content = Content()
    name = detected.files[0]
    if _is_whole(name):
        data = read_json(listing, name)
    else:
        parts = [each for each in detected.files if parent(each) == parent(name)]
        data = {"samples": _each(listing, parts, content)}
    files = names_of_files([each for each in detected.files if is_media(each)])
    samples = data["samples"] if "samples" in data else _of_labels(data, content)
    rows: dict[str, dict[str, str]] = {}
    tags: list[tuple[str, str, str]] = []
    labels: list[tuple[str, str, str, bool]] = []
    by_id: dict[str, str] = {}
    taken_samples: list[tuple[str, Mapping[str, Any]]] = []
    lost = []
    for sample in (each for each in samples if isinstance(each, dict)):
        path = str(sample.get("filepath", ""))
        file = file_named(path, files)
        item = file or path
        if not item:
            continue
        lost += [] if file else [path]
        rows[item] = {"item_id": item, "file": file, "poster": "", "kind": kind_of(file or path)}
        by_id[_key(sample.get("_id"))] = item
        tags += [(item, "pv_tags", str(tag)) for tag in sample.get("tags") or []]
        labels += _labels_of_fields(item, sample)
        taken_samples.append((item, sample))
    for frame in _frames(listing, detected, content):
        if item := by_id.get(_key(frame.get("_sample_id")), ""):
            labels += _labels_of_fields(item, frame)
    if lost:
        content.problems.append(f"{counted(len(lost), 'sample')} without a file ({listed(lost)})")
    left = _predicted(labels, columns)
    for key in left:
        content.problems.append(
            f"left out: the field {key}, whose labels carry a confidence, as those of a model do; "
            f"to judge by it all the same: --map {group_name(key)}={key}"
        )
    texts, vectors, others = _plain_fields(taken_samples, left_out(columns))
    versions = add_vectors(content, vectors, name)
    others += [key for key in vectors if key not in versions]
    labels += _labels_of_texts(list(rows), texts, others, content)
    content.items = pd.DataFrame(list(rows.values()), dtype="str").assign(caption="")
    unwanted = {*left, *left_out(columns)}
    taken = [
        (item, group_name(key), label) for item, key, label, _ in labels if key not in unwanted
    ]
    keywords = dict.fromkeys([*tags, *taken])
    content.keywords = pd.DataFrame(
        list(keywords), columns=["item_id", "group", "keyword"], dtype="str"
    )
    groups = listed(dict.fromkeys(group for _, group, _ in keywords))
    content.note("items.csv", len(rows), name, "item_id: the path of its file")
    content.note("unified_annotation.csv", len(keywords), name, groups)
    return content


def _key(value: object) -> str:
    """The id of a sample, which JSON of MongoDB wraps."""
    return str(value.get("$oid", "") if isinstance(value, dict) else value or "")


def _frames(listing: Listing, detected: Detected, content: Content) -> list[dict[str, Any]]:
    """The frames of clips, each with the id of its sample."""
    if not _is_whole(detected.files[0]):
        parts = [n for n in detected.files if parent(n).rpartition("/")[2] == "frames"]
        found = _each(listing, [each for each in parts if not is_media(each)], content)
    else:
        names = [each for each in detected.files if each.endswith("frames.json")]
        whole = _each(listing, names[:1], content)
        found = (whole[0].get("frames") if whole and isinstance(whole[0], dict) else []) or []
    return [each for each in found if isinstance(each, dict)]


def _each(listing: Listing, names: Sequence[str], content: Content) -> list[Any]:
    """The content of some JSON files; what cannot be read is left out, which the content says."""
    found, wrong = [], list[DataError]()
    for name in names:
        try:
            found.append(read_json(listing, name))
        except DataError as problem:
            wrong.append(problem)
    if wrong:
        more = f" So are {len(wrong) - 1:,} more of such files." if len(wrong) > 1 else ""
        content.problems.append(f"left out: {wrong[0]}{more}")
    return found


def _labels_of_fields(item: str, sample: Mapping[str, Any]) -> list[tuple[str, str, str, bool]]:
    """item, field, label, and whether the label carries a confidence, of each label in a sample."""
    return [(item, key, *label) for key, value in _own(sample) for label in _labels(value)]


def _own(sample: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields that FiftyOne does not make itself."""
    return ((key, value) for key, value in sample.items() if key not in OWN and key[:1] != "_")


def _plain_fields(
    samples: Sequence[tuple[str, Mapping[str, Any]]], unwanted: Collection[str]
) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, object]], list[str]]:
    """Fields of text and fields of vectors, each field → item → value, and other fields of lists.

    samples: each item and what is known of it.
    """
    texts: dict[str, dict[str, str]] = {}
    vectors: dict[str, dict[str, object]] = {}
    others: dict[str, None] = {}
    for item, sample in samples:
        for key, value in _own(sample):
            if isinstance(value, str):
                texts.setdefault(key, {})[item] = value
            elif is_vector(value) and key not in unwanted:
                vectors.setdefault(key, {})[item] = value
            elif isinstance(value, list):
                others[key] = None
    return texts, vectors, [*others]


def _labels_of_texts(
    items: Sequence[str],
    found: Mapping[str, Mapping[str, str]],
    others: Sequence[str],
    content: Content,
) -> list[tuple[str, str, str, bool]]:
    """The same of fields of plain text with few values; the content says what is left out, `others`
    among it."""
    cells = pd.DataFrame(found, index=pd.Index(items), dtype="str").fillna("")
    columns, _ = label_columns(list(cells.columns), cells)
    left = dict.fromkeys([*others, *(key for key in found if key not in columns)])
    if left:
        content.problems.append(
            f"left out: the fields {listed(left)}, which are no labels and no vectors; bring texts "
            "in a table with a column filepath"
        )
    return [
        (item, key, found[key][item], False)
        for key in columns
        for item in items
        if found[key].get(item)
    ]


def _predicted(
    labels: Sequence[tuple[str, str, str, bool]], columns: Mapping[str, str]
) -> list[str]:
    """The fields whose labels all carry a confidence, where others have some that carry none."""
    sure = {key for _, key, _, confident in labels if not confident}
    fields = dict.fromkeys(key for _, key, _, _ in labels)
    return [key for key in fields if sure and key not in sure | set(columns.values())]


def _of_labels(data: dict[str, Any], content: Content) -> list[dict[str, Any]]:
    """The samples of a classification: a label is a number of a class, a name, or several."""
    classes = data.get("classes") or []
    strange = [
        key
        for key, label in data["labels"].items()
        if classes and isinstance(label, int) and not 0 <= label < len(classes)
    ]
    if strange:
        content.problems.append(
            f"{counted(len(strange), 'label')} of no class ({listed(strange)}): numbers from 0 to "
            f"{len(classes) - 1:,} are classes; taken as they are"
        )

    def named(label: object) -> dict[str, object]:
        if isinstance(label, list):
            return {"classifications": [named(each) for each in label]}
        if isinstance(label, dict):
            return {"label": label.get("label")}
        if isinstance(label, int) and 0 <= label < len(classes):
            return {"label": classes[label]}
        return {"label": label}

    return [{"filepath": key, "label": named(label)} for key, label in data["labels"].items()]


def _labels(value: object) -> list[tuple[str, bool]]:
    """The labels in a field, of a classification, of several, of detections; and whether each
    carries a confidence."""
    if not isinstance(value, dict):
        return []
    label, confident = value.get("label"), value.get("confidence") is not None
    plain = isinstance(label, str | int) and not isinstance(label, bool)
    found = [(str(label), confident)] if plain else []
    for key in ("classifications", "detections", "polylines", "keypoints"):
        if isinstance(value.get(key), list):
            found += [each for part in value[key] for each in _labels(part)]
    return found


READER = Reader("FiftyOne", detect, read)
