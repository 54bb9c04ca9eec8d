"""Lists of pictures in lines: captions, classes and codes of labels.

Flickr30k's `FILE#K<TAB>caption`; DeepHash's labels as zeros and ones; CUB-200, Stanford Online
Products and DeepFashion In-shop.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from dashboard.errors import DataError, Finding, count_odd
from dashboard.plugins.importers.formats.media_folder import list_sidecars
from dashboard.plugins.importers.pieces import (
    Captions,
    Format,
    Items,
    Piece,
    Queries,
    match_lines,
    read_each,
)
from dashboard.plugins.importers.source import Source, find_folder_of, find_stem

CAPTION = re.compile(r"(\S+\.\w{2,4})(#\d+)?[\t ]+(\S.*)")
FLAGS = r"(\S+\.\w{2,4})((?:\s+[01])%s)"
FLAGGED = re.compile(FLAGS % "+")
NUMBERED = re.compile(r"(\d+)\s+(\S.*)")
PRODUCTS = re.compile(r"(\d+)\s+(\d+)\s+(\d+)\s+(\S+)")
CLOTHES = re.compile(r"(\S+)\s+(\S+)\s+(train|query|gallery)")
HEADS = {"image_id class_id super_class_id path": PRODUCTS,
         "image_name item_id evaluation_status": CLOTHES}  # fmt: skip
BIRDS = ("images.txt", "image_class_labels.txt", "classes.txt", "train_test_split.txt")


def recognise_captions(source: Source) -> list[str]:
    """Return text files whose first lines name a picture each."""

    def fits(head: str) -> bool:
        every = head.split("\n")[:-1] or [head]
        lines = [line for line in every if line.strip() and line[0] != "#"][:5]
        matches = [CAPTION.fullmatch(line.strip()) for line in lines]
        return bool(lines) and all(
            match and (match[2] or source.find_media(match[1])) and len(match[3].split()) > 1
            for match in matches
        )

    beside = set(list_sidecars(source))
    return [name for name in source.list_headed(fits, ".token", ".txt") if name not in beside]


def _read_captions(source: Source, name: str) -> Iterator[Piece]:
    found, odd = match_lines(source.read_text(name), CAPTION, name, "FILE#K, a tab, the caption")
    yield from odd
    rows = [(each[1], each[3], each[1] + each[2] if each[2] else "") for each in found.values()]
    yield Items(name, list(dict.fromkeys(row[0] for row in rows)))
    yield Captions.join(name, rows)


def recognise_flags(source: Source) -> list[str]:
    """Return text files of paths and zeros and ones."""
    return source.list_headed(lambda head: FLAGGED.fullmatch(head.split("\n")[0].strip()), ".txt")


def read_flags(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the gallery of the file of the database, and the queries of the test file."""
    gallery = [n for n in files if re.search("database|gallery|base", find_stem(n).lower())]
    asked = [n for n in files if re.search("test|query|queries", find_stem(n).lower())]
    queries = [n for n in asked if n not in gallery]
    gallery = gallery or [n for n in files if n not in queries]
    for name in (n for n in files if n not in {*gallery, *queries}):
        yield Finding("note", name, None, "a list beside database and test", "those; left out")
    yield from read_each(partial(_read_flags, queries=queries), source, [*gallery, *queries])


def _read_flags(source: Source, name: str, queries: Sequence[str]) -> Iterator[Piece]:
    text = source.read_text(name)
    lines = [line for line in text.split("\n") if FLAGGED.fullmatch(line.strip())]
    width = Counter(len(line.split()) - 1 for line in lines).most_common(1)[0][0]
    form = re.compile(FLAGS % f"{{{width}}}")
    good, odd = match_lines(text, form, name, f"a path and {width} labels")
    yield from odd
    ids = [match[1] for match in good.values()]
    cells = [
        json.dumps([f"label {at}" for at, flag in enumerate(match[2].split()) if flag == "1"])
        for match in good.values()
    ]
    if name in queries:
        yield Queries(name, ids, {"image": ids, "labels": cells})
    else:
        yield Items(name, ids, {"labels": cells}, ["labels"], is_whole=True)


def recognise_classes(source: Source) -> list[str]:
    """Return the lists, and the pictures, whose folders are no further classes."""
    named = source.list_headed(find_pattern, ".txt")
    folders = {find_folder_of(n) for n in source.left if n.endswith(f"/{BIRDS[1]}") or n in BIRDS}
    birds = [f"{folder}/{name}".lstrip("/") for folder in sorted(folders)[:1] for name in BIRDS]
    found = [*named, *(name for name in birds if name in source.left)]
    is_list = bool(named) or sum(name in source.left for name in birds[:2]) == 2
    return [*found, *source.media] if is_list else []


def find_pattern(head: str) -> re.Pattern[str] | None:
    """Return the form of the lines after a header, which may follow a number."""
    lines = [" ".join(line.split()) for line in head.split("\n")[:2]]
    return next((HEADS[line] for line in lines if line in HEADS), None)


def read_classes(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the part that is searched, the test or gallery, with its classes, and the queries."""
    media = set(source.media)
    lists = [name for name in files if name not in media]
    chosen = [name for name in lists if "train" not in name.rpartition("/")[2]] or lists
    pattern = find_pattern(source.read_head(chosen[0]))
    if pattern is None:
        yield from _read_birds(source, lists)
        return
    for name in [each for each in lists if each != chosen[0]]:
        yield Finding("note", name, None, f"a list beside {chosen[0]}", "one; left out")
    yield from _read_table(source, chosen[0], pattern)


def _read_table(source: Source, name: str, pattern: re.Pattern[str]) -> Iterator[Piece]:
    text = source.read_text(name)
    above = 1 if find_pattern(text.split("\n")[0]) else 2
    text = "#" + text.replace("\n", "\n#", above - 1)  # the number of rows, and the header
    found, odd = match_lines(text, pattern, name, "as many fields as the header names")
    yield from odd
    rows = [
        (each[4], each[2], "gallery") if pattern is PRODUCTS else each.groups()
        for each in found.values()
    ]
    parts = {part: [row for row in rows if row[2] == part] for part in ("gallery", "query")}
    ids, asked = ([row[0] for row in own] for own in parts.values())
    classes, wanted = ([row[1] for row in own] for own in parts.values())
    yield Items(name, ids, {"class": classes}, ["class"], is_whole=True)
    if asked:
        yield Queries(name, asked, {"image": asked, "class": wanted})
    left = len(rows) - len(ids) - len(asked)
    what = "pictures of the part train"
    yield from count_odd(name, left, what, "gallery and query; left out", "note")


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
        "class": [classes.get(each, each) for each in own],
        "split": [parts.get(splits.get(number, ""), "") for number in images],
    }
    yield Items(files[0], list(images.values()), columns, ["class"], is_whole=True)


CLASSES = Format(
    "lists of classes",
    "CUB-200, Stanford Online Products (Ebay_test.txt), In-shop (list_eval_partition.txt)",
    recognise_classes,
    read_classes,
)
HASHED = Format(
    "hashing lists", "DeepHash's database.txt and test.txt", recognise_flags, read_flags
)
CAPTIONED = Format(
    "captions in lines",
    "Flickr30k's .token and lines like it",
    recognise_captions,
    partial(read_each, _read_captions),
)
