"""Lists of pictures and their classes: Stanford Online Products, In-shop, DeepHash."""

import re
from collections.abc import Mapping, Sequence
from functools import partial

from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Pieces,
    Queries,
    match_lines,
    read_each,
    write_list,
)
from dashboard.plugins.importers.source import Source, find_stem

FLAGS = r"(\S+\.\w{2,4})((?:\s+[01])%s)"
CLASS = r"(\S+\.\w{2,4})\s+(\d+|n\d{8}(?:\s+\d+){4})"
FLAGGED = re.compile(f"{FLAGS % '{2,}'}|{CLASS}")
"""A path, and a label a column, as DeepHash has them, or a class; ImageNet's may have a box."""
SPLIT = re.compile("partition|split")
"""Words in names of lists whose numbers are no classes."""
PARTS = re.compile("(database|gallery|base)|(test|query|queries)")
"""Words in names of the lists of what is searched, and of what asks."""
HEADS = {
    "image_id class_id super_class_id path": ("path", "class_id"),
    "image_name item_id evaluation_status": ("image_name", "item_id"),
}
"""Headers of Stanford Online Products and In-shop, and their columns of files and classes."""


def recognise_flags(source: Source) -> list[str]:
    """Return text files of paths and labels."""
    lists = source.list_headed(lambda head: FLAGGED.fullmatch(head.split("\n")[0].strip()), ".txt")
    return [name for name in lists if not SPLIT.search(find_stem(name))]


def read_flags(source: Source, files: Sequence[str]) -> Pieces:
    """Yield the gallery of the file of the database, and the queries of the test file."""
    parts = {name: PARTS.search(find_stem(name).lower()) for name in files}
    queries = [name for name, part in parts.items() if part and part[2]]
    used = sorted(filter(parts.get, files), key=queries.__contains__) or files
    others = [name for name in files if name not in used]
    source.count(files[0], others, "lists beside database and test", "those; left out", "note")
    yield from read_each(partial(_read_flags, queries=queries), source, used)


def _read_flags(source: Source, name: str, queries: Sequence[str]) -> Pieces:
    text = source.read_text(name)
    first = text.split("\n")[0].strip()
    width = 1 if re.fullmatch(CLASS, first) else len(first.split()) - 1
    form = re.compile(FLAGS % f"{{{width}}}" if width > 1 else CLASS)
    good = match_lines(source, name, text, form, f"a path and {width} labels")
    rows: dict[str, str] = {}
    for match in good:
        flags = match[2].split()
        own = [f"label {at}" for at, flag in enumerate(flags) if flag == "1"]
        rows.setdefault(match[1], write_list(own) if width > 1 else flags[0])
    yield _make_part(name, rows, "labels", name in queries, bool(PARTS.search(find_stem(name))))


def _make_part(
    name: str, classes: Mapping[str, str], column: str, asks: bool, is_whole: bool = True
) -> Items | Queries:
    """Return pictures with their classes: those that are searched, or those that ask."""
    files, cells = list(classes), list(classes.values())
    if asks:
        return Queries(name, files, {"image": files, column: cells})
    return Items(name, files, {column: cells}, [column], is_whole=is_whole)


def recognise_classes(source: Source) -> list[str]:
    """Return the lists, and the pictures, whose folders are no further classes."""
    lists = sorted(source.list_headed(find_header, ".txt"), key=lambda n: "train" in find_stem(n))
    return [*lists[:1], *source.media] if lists else []


def find_header(head: str) -> str:
    """Return the header that begins a text, or follows the number of its rows; "" for none."""
    lines = [" ".join(line.split()) for line in head.split("\n")[:2]]
    return next(filter(HEADS.__contains__, lines), "")


def read_classes(source: Source, files: Sequence[str]) -> Pieces:
    """Yield the part that is searched, the test or gallery, with its classes, and the queries."""
    name = files[0]
    header = find_header(source.read_head(name))
    names, (path, kind) = header.split(), HEADS[header]
    form = re.compile(r"\d+|" + r"\s+".join([r"(\S+)"] * len(names)))  # In-shop begins by a number
    found = match_lines(source, name, source.read_text(name), form, f"{len(names)} fields")
    rows = [dict(zip(names, each.groups(), strict=True)) for each in found if each[1]][1:]
    parts: dict[str, dict[str, str]] = {"gallery": {}, "query": {}, "train": {}}
    for row in rows:
        part = parts.setdefault(row.get("evaluation_status", "gallery"), {})
        part.setdefault(row[path], row[kind])
    yield _make_part(name, parts["gallery"], "class", asks=False)
    if parts["query"]:
        yield _make_part(name, parts["query"], "class", asks=True)
    source.count(
        name,
        len(parts["train"]),
        "pictures of the part train",
        "gallery and query; left out",
        "note",
    )


CLASSES = Format("lists of classes", recognise_classes, read_classes)
HASHED = Format("hashing lists", recognise_flags, read_flags)
