"""Annotations as classes of each picture: FiftyOne, Label Studio and Prodigy; boxes, OpenImages.

FiftyOne writes `labels.json` in two forms, and `samples.json`; boxes are in CVAT's and VOC's XML
and in YOLO's text files.
"""

import re
from collections.abc import Iterable
from functools import partial

from dashboard.errors import DataError, explain_errors
from dashboard.plugins.importers.blocks import make_block, read_blocks
from dashboard.plugins.importers.column_roles import FILE, Roles
from dashboard.plugins.importers.formats.tabular import list_pieces
from dashboard.plugins.importers.json_rows import read_lines
from dashboard.plugins.importers.naming import name_version
from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Pieces,
    Vectors,
    find_labels,
    read_each,
    write_list,
)
from dashboard.plugins.importers.source import Columns, Ordered, Source, find_stem
from dashboard.tables import Names
from dashboard.texts import parse_number

Labels = Iterable[tuple[str, Iterable[str]]]
"""Each picture and its classes."""
KEYS = ("classes labels", "annotations result data", "samples filepath")
ANSWERED = re.compile('"_input_hash"')
BOX = re.compile(r"\s*\d+([ \t]+-?\d*\.?\d+([eE]-?\d+)?){4,}\s*(\n|$)")
HEADER = re.compile(
    r"(?=.*\bxmin\b.*\bymin\b|\W*ImageID.*Confidence).*\b(LabelName|class|label)\b", re.I
)
OF_ROWS = {"file": f"{FILE} imageid", "label": "labelname class label", "score": "confidence"}
"""Headers of tables of classes and boxes, and columns."""
PICTURES = re.compile(r"<annotations|<annotation\b.*<filename", re.S)
LISTS = re.compile(r"(^|/)(train|val|test|trainval)\.txt$|ImageSets/")


def make_labelled(file: str, labels: Labels, column: str = "label") -> Items:
    """Return items by the names of their files, with the classes that a format declares."""
    cells = {name: write_list(map(str, own)) for name, own in labels}
    return Items(file, list(cells), {column: list(cells.values())}, [column])


def _read_json(source: Source, name: str) -> Pieces:
    if ANSWERED.search(source.read_head(name)):
        yield from _read_answers(source, name)
        return
    found = source.read_json(name)
    match found:
        case list(tasks):  # Label Studio; each annotation is a row
            rows, controls = [], Ordered()
            for at, task in enumerate(tasks, start=1):
                given = [
                    each for each in task.get("annotations", ()) if not each.get("was_cancelled")
                ]
                for each in given or [{"result": ()}]:
                    marks: Columns = {}  # labels by the control that they were given with
                    for part in each["result"]:
                        if labels := find_labels(part):
                            marks.setdefault(part.get("from_name", "label"), []).extend(labels)
                        elif (rating := part.get("value", {}).get("rating")) is not None:
                            marks["rating"] = [str(rating)]
                    controls |= dict.fromkeys(marks)
                    rows.append(
                        (at, task["data"] | {key: sorted(labels) for key, labels in marks.items()})
                    )
            block = make_block(source, name, rows)
            yield from list_pieces(source, [block._replace(classes=dict.fromkeys(controls, []))])
        case {"samples": samples}:  # FiftyOne, as all others
            told = dict.fromkeys(key for e in samples for key, own in e.items() if find_labels(own))
            spans = sum("'support'" in str(each) for each in samples)
            wanted = "labels of whole clips; the spans are left out, the labels kept"
            source.count(name, spans, "clips with labels of a part", wanted)
            for column in told:  # tags never are one
                pairs = ((each["filepath"], find_labels(each.get(column))) for each in samples)
                yield make_labelled(name, pairs, column)
            rows = [
                (at, {key: own for key, own in e.items() if key not in told})
                for at, e in enumerate(samples, start=1)
            ]
            block = make_block(source, name, rows)
            for column, vectors in block.vectors.items():
                yield Vectors(name, *name_version(column), vectors, block.columns["filepath"])
        case _:
            classes, told = found.get("classes") or [], found["labels"].items()
            yield make_labelled(name, ((key, find_labels(e, classes, True)) for key, e in told))


def _read_answers(source: Source, name: str) -> Pieces:
    """Yield the rows that answers of Prodigy accept, chosen options as labels."""
    rows, odd = [], []
    for line, row in read_lines(source, name):
        if row.get("answer") != "accept":
            odd.append(line)
            continue
        if row.pop("options", ()):
            row["label"] = row.pop("accept", [])
        rows.append((line, row))
    source.count(name, odd, "answers that do not accept", "accept; left out")
    yield from list_pieces(source, [make_block(source, name, rows)])


def recognise_boxes(source: Source) -> Names:
    """Return XML files of pictures, and text files of boxes with the lists beside them."""
    boxes = source.list_headed(BOX.match, ".txt")
    found = source.list_headed(PICTURES.search, ".xml")
    found += [name for name in boxes if source.find_media(find_stem(name))]
    return [*found, *filter(LISTS.search, source.left)] if found else []


def read_boxes(source: Source, files: Names) -> Pieces:
    """Yield pictures with their classes."""
    yield from read_each(_read_xml, source, [name for name in files if name.endswith(".xml")])
    boxes = [name for name in files if not (name.endswith(".xml") or LISTS.search(name))]
    for name in boxes:
        numbers = re.findall(r"^\s*(\d+)\s", source.read_text(name), re.M)
        yield make_labelled(boxes[0], [(source.find_media(find_stem(name)), numbers)])


def _read_xml(source: Source, name: str) -> Pieces:
    from defusedxml import ElementTree  # type: ignore[import-untyped]

    found, do = "XML that is damaged or defines entities", "Export it again."
    with explain_errors(name, found, "whole XML without entities", do):
        root = ElementTree.parse(source.find_path(name)).getroot()
    if root.find("track") is not None:
        do = "Export it as CVAT for images."
        raise DataError(name, "tracks of a clip", "boxes of pictures", do=do)
    if root.tag == "annotation":
        names = [each.findtext("name", "").strip() for each in root.findall("object")]
        yield make_labelled(name, [(root.findtext("filename", "").strip(), names)])
    for image in root.findall("image"):
        file = image.get("name", "")
        yield make_labelled(name, [(file, [each.get("label", "") for each in image])])
        told: Columns = {}
        for each in image.iter("attribute"):
            told.setdefault(each.get("name", "attribute"), []).append((each.text or "").strip())
        yield Items(name, [file], {column: [write_list(own)] for column, own in told.items()})


def _read_rows(source: Source, name: str) -> Pieces:
    """Yield pictures with the classes of all of their rows."""
    labels: Columns = {}
    for block in read_blocks(source, name):
        roles = Roles(block)
        for role, names in OF_ROWS.items():
            roles.take(role, names)
        for file, kind, number in zip(*(roles.read(block, e) for e in OF_ROWS), strict=True):
            labels.setdefault(file, []).extend([kind] * (parse_number(number) != 0))
    yield make_labelled(name, labels.items())


ROWS = Format(
    "classes in rows",
    lambda source: source.list_headed(HEADER.match, ".csv"),
    partial(read_each, _read_rows),
)
JSON = Format(
    "FiftyOne, Label Studio, Prodigy",
    lambda source: source.list_keyed(*KEYS) + source.list_headed(ANSWERED.search, ".jsonl"),
    partial(read_each, _read_json),
)
BOXES = Format("boxes", recognise_boxes, read_boxes)
