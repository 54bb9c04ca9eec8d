"""Lists of retrieval by class: CUB-200, Stanford Online Products and DeepFashion In-shop."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.pieces import Format, Items, Piece, Queries, match_lines
from dashboard.plugins.importers.source import Source, find_folder_of

NUMBERED = re.compile(r"(\d+)\s+(\S.*)")
PRODUCTS = re.compile(r"(\d+)\s+(\d+)\s+(\d+)\s+(\S+)")
CLOTHES = re.compile(r"(\S+)\s+(\S+)\s+(train|query|gallery)")
HEADS = {"image_id class_id super_class_id path": PRODUCTS,
         "image_name item_id evaluation_status": CLOTHES}  # fmt: skip
BIRDS = ("images.txt", "image_class_labels.txt", "classes.txt", "train_test_split.txt")


def recognise(source: Source) -> list[str]:
    """Return the lists, and the pictures, whose folders are no further classes."""
    named = [n for n in source.list_left(".txt") if find_pattern(source.read_head(n, 200))]
    folders = {find_folder_of(n) for n in source.left if n.endswith(f"/{BIRDS[1]}") or n in BIRDS}
    birds = [f"{folder}/{name}".lstrip("/") for folder in sorted(folders)[:1] for name in BIRDS]
    found = [*named, *(name for name in birds if name in source.left)]
    is_list = bool(named) or sum(name in source.left for name in birds[:2]) == 2
    return [*found, *source.media] if is_list else []


def find_pattern(head: str) -> re.Pattern[str] | None:
    """Return the form of the lines after a header, which may follow a number."""
    lines = [" ".join(line.split()) for line in head.split("\n")[:2]]
    return next((HEADS[line] for line in lines if line in HEADS), None)


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the part that is searched, the test or gallery, with its classes, and the queries."""
    media = set(source.media)
    lists = [name for name in files if name not in media]
    chosen = [name for name in lists if "train" not in name.rpartition("/")[2]] or lists
    pattern = find_pattern(source.read_head(chosen[0], 200))
    if pattern is None:
        yield from _read_birds(source, lists)
        return
    for name in [each for each in lists if each != chosen[0]]:
        yield Finding("note", name, None, f"a list beside {chosen[0]}", "one; left out")
    yield from _read_table(source, chosen[0], pattern)


def _read_table(source: Source, name: str, pattern: re.Pattern[str]) -> Iterator[Piece]:
    head, text = source.read_head(name, 200), source.read_text(name)
    above = 1 if find_pattern(head.split("\n")[0]) else 2
    text = "#" + text.replace("\n", "\n#", above - 1)  # the number of rows, and the header
    found, odd = match_lines(text, pattern, name, "as many fields as the header names")
    yield from odd
    if pattern is PRODUCTS:
        rows = [(match[4], match[2], "gallery") for match in found.values()]
    else:
        rows = [(match[1], match[2], match[3]) for match in found.values()]
    parts = {part: [row for row in rows if row[2] == part] for part in ("gallery", "query")}
    ids, classes = [row[0] for row in parts["gallery"]], [row[1] for row in parts["gallery"]]
    columns = {"file": [source.find_media(each) for each in ids], "class": classes}
    yield Items(name, ids, columns, ["class"], is_whole=True)
    asked = [row[0] for row in parts["query"]]
    if asked:
        images = [source.find_media(each) or each for each in asked]
        yield Queries(name, asked, {"image": images, "class": [row[1] for row in parts["query"]]})
    if left := len(rows) - len(ids) - len(asked):
        said = f"{left:,} pictures of the part train"
        yield Finding("note", name, None, said, "gallery and query; left out")


def _read_birds(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    tables: dict[str, dict[str, str]] = {}
    for name in files:
        found, odd = match_lines(source.read_text(name), NUMBERED, name, "a number and its value")
        yield from odd
        tables[name.rpartition("/")[2]] = {match[1]: match[2] for match in found.values()}
    images, labels, classes, splits = (tables.get(each, {}) for each in BIRDS)
    if not images.keys() & labels.keys():
        raise DataError(files[0], "numbers of no picture with a class", "those of images.txt")
    own = [labels.get(number, "") for number in images]
    parts = {"1": "train", "0": "test"}
    columns = {
        "file": [source.find_media(each) for each in images.values()],
        "class": [classes.get(each, each) for each in own],
        "split": [parts.get(splits.get(number, ""), "") for number in images],
    }
    yield Items(files[0], list(images.values()), columns, ["class"], is_whole=True)


FORMAT = Format(
    "lists of classes",
    "CUB-200, Stanford Online Products (Ebay_test.txt), In-shop (list_eval_partition.txt)",
    recognise,
    read,
)
