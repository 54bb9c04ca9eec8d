"""Annotations as classes of each picture: JSON of COCO, FiftyOne and Label Studio; box files.

FiftyOne writes `labels.json` in two forms, and `samples.json`; boxes are in CVAT's and VOC's XML
and in YOLO's text files.
"""

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from dashboard.errors import DataError
from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Pieces,
    read_each,
    take_list,
    write_list,
)
from dashboard.plugins.importers.source import UPLOAD, Source, find_stem
from dashboard.storage.media import EXTENSION

Labels = Iterable[tuple[str, Iterable[str]]]
"""Each picture and its classes."""
KEYS = (
    "category_id", "file_name images", "classes labels", "annotations result data",
    "samples filepath",
)  # fmt: skip
"""COCO's may begin with all its pictures, and have annotations far behind, or none."""
LABEL = re.compile(r"^label$|^choices$|^taxonomy$|labels$")
BOX = re.compile(r"\d+(\s+-?\d*\.?\d+([eE]-?\d+)?){4,}")
PICTURES = re.compile(r"<annotations|<annotation\b.*<filename", re.S)
LISTS = re.compile(
    r"(^|/)((train|val|test|trainval|classes)\.txt|obj\.names|[^/]+\.ya?ml)$|ImageSets/"
)


def make_labelled(file: str, labels: Labels, column: str = "label") -> Items:
    """Return items by the names of their files, with the classes that a format declares."""
    rows = [(name, list(dict.fromkeys(filter(None, map(str, own))))) for name, own in labels]
    cells = [write_list(own) for _, own in rows]
    return Items(file, [name for name, _ in rows], {column: cells}, [column])


def recognise_json(source: Source) -> list[str]:
    """Return JSON files whose beginning has the keys of one of the forms."""
    return source.list_keyed(*KEYS)


def _read_json(source: Source, name: str) -> Pieces:
    found = source.read_json(name)
    if isinstance(found, list):
        yield from _list_tasks(source, name, found)
    elif "samples" in found:
        yield from _list_samples(source, name, take_list(found, "samples", name))
    elif isinstance(found.get("labels"), dict):
        classes, own = found.get("classes") or [], found["labels"].items()
        yield make_labelled(name, ((key, find_labels(e, classes, True)) for key, e in own))
    else:
        yield make_labelled(name, _list_annotations(source, name, found))


def _list_annotations(source: Source, name: str, found: Any) -> Labels:
    """Return COCO's images and the names of the categories of their annotations."""
    images = take_list(found, "images", name)
    told, kinds = (found.get(key, []) for key in ("annotations", "categories"))
    names = {each.get("id"): str(each.get("name", each.get("id"))) for each in kinds}
    files = {each.get("id"): str(each.get("file_name", "")) for each in images}
    labels = {file: list[str]() for file in files.values() if file}
    good = [e for e in told if files.get(e.get("image_id")) and e.get("category_id") in names]
    for each in good:
        labels[files[each["image_id"]]].append(names[each["category_id"]])
    what = "annotations of unknown images or categories"
    source.count(name, len(told) - len(good), what, "ids that are there; left out")
    return labels.items()


def find_labels(value: Any, classes: Sequence[Any] = (), is_label: bool = False) -> list[str]:
    """Return the labels in a value of JSON: those below keys that say so, of a path its end.

    Args:
        value: An object, a list, a name, or the number of a class.
        classes: Names of classes by their numbers.
        is_label: Whether the key above it says that it is one.

    >>> find_labels({"box": {"label": 1}, "taxonomy": [["pet", "cat"]], "id": 7}, ["x", "dog"])
    ['dog', 'cat']
    """
    if isinstance(value, dict):
        parts = [find_labels(own, classes, bool(LABEL.search(key))) for key, own in value.items()]
    elif isinstance(value, list):
        ends = [own[-1] if is_label and own and isinstance(own, list) else own for own in value]
        parts = [find_labels(own, classes, is_label) for own in ends]
    else:
        is_place = isinstance(value, int) and 0 <= value < len(classes)
        own = str(classes[value] if is_place else value)
        parts = [[own]] if is_label and value not in (None, "") else []
    return [label for part in parts for label in part]


def _list_tasks(source: Source, name: str, tasks: Sequence[Any]) -> Pieces:
    """Yield the picture of each task of Label Studio and what each annotation says of it.

    The labels of several controls are a column each.
    """
    answers: list[tuple[str, dict[str, list[str]]]] = []
    odd = 0
    for task in tasks:
        values = [str(value) for value in task["data"].values()]
        texts = [value.partition("?d=")[2] or value for value in values]
        if not (text := next(filter(EXTENSION.search, texts), "")):
            odd += 1
            continue
        file = source.find_media(text) or UPLOAD.sub("", text)
        told = [each for each in task.get("annotations", ()) if not each.get("was_cancelled")]
        answers += [(file, _list_controls(each["result"])) for each in told] or [(file, {})]
    source.count(name, odd, "tasks without a picture", "one; left out")
    controls = dict.fromkeys(control for _, own in answers for control in own) or {"label": None}
    for control in controls:
        labels = [(file, own.get(control, ())) for file, own in answers]
        yield make_labelled(name, labels, control if len(controls) > 1 else "label")


def _list_controls(result: Sequence[Any]) -> dict[str, list[str]]:
    """Return the labels of an annotation by the control that they were given with."""
    found: dict[str, list[str]] = {}
    for part in result:
        if labels := find_labels(part):
            found.setdefault(str(part.get("from_name", "label")), []).extend(labels)
    return {control: sorted(labels) for control, labels in found.items()}


def _list_samples(source: Source, name: str, samples: Sequence[Any]) -> Pieces:
    """Yield FiftyOne's samples with each field of labels; tags never are one."""
    fields = dict.fromkeys(key for each in samples for key, own in each.items() if find_labels(own))
    spans = sum('"support"' in json.dumps(each, default=str) for each in samples)
    wanted = "labels of whole clips; the spans are left out, the labels kept"
    source.count(name, spans, "clips with labels of a part", wanted)
    for column in fields:
        pairs = ((str(each["filepath"]), find_labels(each.get(column))) for each in samples)
        yield make_labelled(name, pairs, column)


def recognise_boxes(source: Source) -> list[str]:
    """Return XML files of pictures, and text files of boxes with the lists beside them."""
    xml = source.list_headed(PICTURES.search, ".xml")
    texts = source.list_headed(lambda head: BOX.fullmatch(head.split("\n")[0].strip()), ".txt")
    boxes = [name for name in texts if source.find_media(find_stem(name))]
    return [*xml, *boxes, *filter(LISTS.search, source.left)] if xml or boxes else []


def read_boxes(source: Source, files: Sequence[str]) -> Pieces:
    """Yield pictures with their classes."""
    xml = [name for name in files if name.endswith(".xml")]
    yield from read_each(_read_xml, source, xml)
    lists = list(filter(LISTS.search, files))
    boxes = [name for name in files if name not in {*xml, *lists}]
    if not boxes:
        return
    names = _read_names(source, lists)
    if not names:
        wanted = "names; their numbers are taken"
        source.say(boxes[0], "boxes without classes.txt or data.yaml", wanted, "note")
    for name in boxes:
        numbers = re.findall(r"^\s*(\d+)\s", source.read_text(name), re.M)
        own = [names.get(each, each) for each in numbers]
        yield make_labelled(boxes[0], [(source.find_media(find_stem(name)), own)])


def _read_names(source: Source, lists: Sequence[str]) -> dict[str, str]:
    """Return the names of YOLO's classes by their numbers."""
    import yaml  # type: ignore[import-untyped]

    for name in lists:
        text, names = source.read_text(name), None
        if name.endswith((".yaml", ".yml")):
            with suppress(yaml.YAMLError, AttributeError):
                names = yaml.safe_load(text).get("names")
        elif PurePosixPath(name).name in ("classes.txt", "obj.names"):
            names = list(map(str.strip, text.strip().split("\n")))
        if names:
            pairs = names.items() if isinstance(names, dict) else enumerate(names)
            return {str(at): str(each) for at, each in pairs}
    return {}


def _read_xml(source: Source, name: str) -> Pieces:
    from defusedxml import ElementTree  # type: ignore[import-untyped]

    try:
        root = ElementTree.parse(source.find_path(name)).getroot()
    except Exception as error:  # of the parser, or entities that are refused
        do = "Export it again."
        found = f"XML that is damaged or defines entities ({str(error)[:60]})"
        raise DataError(name, found, "whole XML without entities", do=do) from error
    if root.find("track") is not None:
        do = "Export it as CVAT for images."
        raise DataError(name, "tracks of a clip", "boxes of pictures", do=do)
    if root.tag == "annotation":
        file = (root.findtext("filename") or "").strip()
        own = [(each.text or "").strip() for each in root.findall("object/name")]
        yield make_labelled(name, [(file, own)])
        return
    images = [(image.get("name"), image) for image in root.iter("image") if image.get("name")]
    shapes = ((file, [each.get("label", "") for each in own]) for file, own in images)
    yield make_labelled(name, shapes)
    for file, image in images:
        told: dict[str, list[str]] = {}
        for each in image.iter("attribute"):
            told.setdefault(each.get("name", "attribute"), []).append((each.text or "").strip())
        cells = {column: [write_list([*dict.fromkeys(texts)])] for column, texts in told.items()}
        yield Items(name, [file], cells)


JSON = Format("COCO, FiftyOne, Label Studio", recognise_json, partial(read_each, _read_json))
BOXES = Format("boxes", recognise_boxes, read_boxes)
