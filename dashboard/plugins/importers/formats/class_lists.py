"""Lists of pictures and their classes: Stanford Online Products, In-shop, DeepHash.

Names of classes by their codes are lists, too, or YAML.
"""

import re
from contextlib import suppress
from functools import partial
from typing import Any

from dashboard.plugins.importers.column_roles import DATABASE, name_version
from dashboard.plugins.importers.pieces import (
    ClassNames,
    Format,
    Items,
    Pieces,
    Queries,
    match_lines,
    read_each,
    write_list,
)
from dashboard.plugins.importers.source import Source, find_plain, find_stem
from dashboard.tables import Names, Texts

FLAGS = r"(\S+\.\w{2,4})((?:\s+[01])%s)"
CLASS = r"(\S+\.\w{2,4})\s+(\d+|n\d{8}(?:\s+\d+){4})"
FLAGGED = re.compile(rf"\s*({FLAGS % '{2,}'}|{CLASS})\s*(\n|$)")
"""A path, and a label a column, as DeepHash has them, or a class; ImageNet's may have a box."""
MAX_NAMES = 1 << 22
HEADS = {
    "image_id class_id super_class_id path": ("path", "class_id"),
    "image_name item_id evaluation_status": ("image_name", "item_id"),
}
"""Headers of Stanford Online Products and In-shop, and their columns of files and classes."""


def read_flags(source: Source, files: Names) -> Pieces:
    """Yield the gallery of the file of the database, and the queries of the test file."""
    queries = [name for name in files if name_version(name, beside=files)[1] == "texts"]
    parts = [*(name for name in files if DATABASE.search(find_stem(name))), *queries]
    others = [name for name in files if parts and name not in parts]
    source.count(files[0], others, "lists beside database and test", "those; left out", "note")
    yield from read_each(
        partial(_read_flags, queries=queries, is_whole=bool(parts)), source, parts or files
    )


def _read_flags(source: Source, name: str, queries: Names, is_whole: bool) -> Pieces:
    first = source.read_head(name).split("\n")[0].strip()
    width = 1 if re.fullmatch(CLASS, first) else len(first.split()) - 1
    form = re.compile(FLAGS % f"{{{width}}}" if width > 1 else CLASS)
    rows: Texts = {}
    for match in match_lines(source, name, form, f"a path and {width} labels"):
        flags = match[2].split()
        own = [f"label {at}" for at, flag in enumerate(flags) if flag == "1"]
        rows.setdefault(match[1], write_list(own) if width > 1 else flags[0])
    yield _make_part(name, rows, "labels", name in queries, is_whole)


def _make_part(
    name: str, classes: Texts, column: str, asks: bool, is_whole: bool = True
) -> Items | Queries:
    """Return pictures with their classes: those that are searched, or those that ask."""
    files, cells = list(classes), list(classes.values())
    if asks:
        return Queries(name, files, {"image": files, column: cells})
    return Items(name, files, {column: cells}, [column], is_whole=is_whole)


def recognise_classes(source: Source) -> Names:
    """Return the lists, and the pictures, whose folders are no further classes."""
    lists = sorted(source.list_headed(find_header, ".txt"), key=lambda n: "train" in find_stem(n))
    return [*lists[:1], *source.media] if lists else []


def find_header(head: str) -> str:
    """Return the header that begins a text, or follows the number of its rows; "" for none."""
    lines = [" ".join(line.split()) for line in head.split("\n")[:2]]
    return next(filter(HEADS.__contains__, lines), "")


def read_classes(source: Source, files: Names) -> Pieces:
    """Yield the part that is searched, the test or gallery, with its classes, and the queries."""
    name = files[0]
    header = find_header(source.read_head(name))
    names, (path, kind) = header.split(), HEADS[header]
    form = re.compile(r"\d+|" + r"\s+".join([r"(\S+)"] * len(names)))  # In-shop begins by a number
    found = match_lines(source, name, form, f"{len(names)} fields")
    rows = [dict(zip(names, each.groups(), strict=True)) for each in found if each[1]][1:]
    told = [row.get("evaluation_status", "gallery") for row in rows]
    sides = [part if part in ("query", "train") else "gallery" for part in told]
    for side in ("gallery", "query"):
        own = {row[path]: row[kind] for row, part in zip(rows, sides, strict=True) if part == side}
        yield _make_part(name, own, "class", side == "query")
    source.count(
        name, sides.count("train"), "pictures of the part train", "others; left out", "note"
    )


NAMED = re.compile(r"(\d+|[a-z]\d{3,8}|/[mg]/\w+)[ \t,:]+\"?(?=.*[^\W\d_])(.+?)\"?")
"""A code and the name of a class."""
OF_CLASSES = re.compile("class|synset|categor|label|obj[.]|words|ya?ml$|descriptions")
LISTED = ("classes", "classnames", "obj")
"""Words in names of files of such lines, and files of names alone, by their numbers from 0."""


def _list_names(source: Source, name: str) -> Texts:
    """Return the names of classes by their codes; none if a file holds something else."""
    import yaml  # type: ignore[import-untyped]

    text = source.read_head(name, MAX_NAMES).strip()
    lines, told = list(map(str.strip, text.split("\n"))), dict[Any, Any]()
    matches = list(filter(None, map(NAMED.fullmatch, lines)))
    if name.endswith((".yaml", ".yml")):
        with suppress(yaml.YAMLError, TypeError, KeyError):
            found = yaml.safe_load(text)["names"]
            told = found if isinstance(found, dict) else dict(enumerate(found))
    elif len(matches) == len(lines) == len({match[2] for match in matches}):
        told = {match[1]: match[2] for match in matches}
    elif find_stem(name) in LISTED:
        told = dict(enumerate(lines))
    return {str(code): str(each) for code, each in told.items()}


NAMES = Format(
    "names of classes",
    lambda source: [
        name
        for name in source.list_left(".txt", ".names", ".csv", ".yaml", ".yml")
        if OF_CLASSES.search(find_plain(name)) and _list_names(source, name)
    ],
    lambda source, files: (ClassNames(name, _list_names(source, name)) for name in files),
)
CLASSES = Format("lists of classes", recognise_classes, read_classes)
HASHED = Format(
    "hashing lists",
    lambda source: [
        name
        for name in source.list_headed(FLAGGED.match, ".txt")
        if not re.search("partition|split", find_stem(name))  # their numbers are no classes
    ],
    read_flags,
)
