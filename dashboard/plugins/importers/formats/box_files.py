"""Boxes in files: CVAT's XML, VOC's XML and YOLO's text files, as classes of each picture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.formats.media_folder import make_labelled
from dashboard.plugins.importers.pieces import Format, Piece, read_each
from dashboard.plugins.importers.source import Source, find_stem
from dashboard.texts import split_cells

BOX = re.compile(r"\d+(\s+-?\d*\.?\d+([eE]-?\d+)?){4,}")
LISTS = re.compile(
    r"(^|/)((train|val|test|trainval|classes)\.txt|obj\.names|[^/]+\.ya?ml)$|ImageSets/"
)
NAMES = re.compile(r"^names:\s*(?:(\[.*?\]|\{.*?\})|((?:\n[ \t]*(?:\d+\s*:|-).*)+))", re.M | re.S)
"""Names of classes in YAML: in brackets, or a line each."""
NAME = re.compile(r"^\s*(?:(\d+)\s*:|-)\s*['\"]?([^'\"\n]+?)['\"]?\s*$", re.M)


def recognise(source: Source) -> list[str]:
    """Return XML files of pictures, and text files of boxes with the lists beside them."""
    xml = source.list_headed(
        lambda head: "<annotations" in head or ("<annotation" in head and "<filename" in head),
        ".xml",
    )
    boxes = source.list_headed(lambda head: BOX.fullmatch(head.split("\n")[0].strip()), ".txt")
    boxes = [name for name in boxes if source.find_media(find_stem(name))]
    if not boxes and not xml:
        return []
    lists = list(filter(LISTS.search, source.left))
    return [*xml, *boxes, *(name for name in lists if name not in boxes)]


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield pictures with their classes."""
    xml = [name for name in files if name.endswith(".xml")]
    yield from read_each(_read_xml, source, xml)
    lists = list(filter(LISTS.search, files))
    boxes = [name for name in files if name not in {*xml, *lists}]
    if not boxes:
        return
    names = _read_names(source, lists)
    labels: dict[str, list[str]] = {}
    for name in boxes:
        rows = [line.split() for line in source.read_text(name).split("\n") if line.strip()]
        numbers = [row[0] for row in rows]
        labels[source.find_media(find_stem(name))] = [names.get(each, each) for each in numbers]
    if not names:
        said, wanted = "boxes without classes.txt or data.yaml", "names; their numbers are taken"
        yield Finding("note", boxes[0], None, said, wanted)
    yield make_labelled(boxes[0], labels.items())


def _read_names(source: Source, lists: Sequence[str]) -> dict[str, str]:
    for name in lists:
        text = source.read_text(name)
        if name.endswith((".yaml", ".yml")) and (match := NAMES.search(text)):
            if match[1]:
                return {str(at): each for at, each in enumerate(split_cells([match[1]])[match[1]])}
            found = NAME.findall(match[2])
            return {number or str(at): each for at, (number, each) in enumerate(found)}
        if PurePosixPath(name).name in ("classes.txt", "obj.names"):
            return {str(at): each.strip() for at, each in enumerate(text.strip().split("\n"))}
    return {}


def _read_xml(source: Source, name: str) -> Iterator[Piece]:
    from defusedxml import ElementTree  # type: ignore[import-untyped]

    try:
        root = ElementTree.parse(source.find_path(name)).getroot()
    except Exception as error:  # of the parser, or entities that are refused
        do = "Export it again."
        found = f"XML that is damaged or defines entities ({str(error)[:60]})"
        raise DataError(name, found, "whole XML without entities", do=do) from error
    if root.tag == "annotation":
        file = (root.findtext("filename") or "").strip()
        own = [(each.text or "").strip() for each in root.findall("object/name")]
        yield make_labelled(name, [(file, own)] if file else [])
        return
    if root.find("track") is not None:
        do = "Export it as CVAT for images."
        raise DataError(name, "tracks of a clip", "boxes of pictures", do=do)
    images = [image for image in root.iter("image") if image.get("name")]
    pairs = ((image.get("name"), [each.get("label", "") for each in image]) for image in images)
    yield make_labelled(name, pairs)


FORMAT = Format("boxes", "CVAT and VOC XML, YOLO's text files", recognise, read)
