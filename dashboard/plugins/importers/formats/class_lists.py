"""Lists of pictures and their classes: Stanford Online Products, In-shop, DeepHash.

Names of classes by their codes are lists, too, or YAML.
"""

import re
from contextlib import suppress
from functools import partial
from typing import Any

from dashboard.plugins.importers.naming import DATABASE, name_version
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
from dashboard.plugins.importers.source import Source, find_plain, find_stem, list_first
from dashboard.tables import Names, Texts

FLAGS = r"(\S+\.\w{2,4})((?:\s+[01])%s)"
CLASS = r"(\S+\.\w{2,4})\s+(\d+|n\d{8}(?:\s+\d+){4})"
FLAGGED = re.compile(rf"\s*({FLAGS % '{2,}'}|{CLASS})\s*(\n|$)")
"""A path, and a label a column, as DeepHash has them, or a class; ImageNet's may have a box."""
MAX_NAMES = 1 << 22
HEAD = re.compile(
    r"\s*(\d+\s+)?image_(id\s+class_id\s+super_class_id\s+path|name\s+item_id\s+evaluation_status)\s"
)
LINE = re.compile(r"\d+|image_(?:id|name)\s.*|\d+\s+(\d+)\s+\d+\s+(\S+)|(\S+)\s+(\S+)\s+(\S+)")
"""Headers and lines of Stanford Online Products, and of In-shop; it begins by a number."""


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
    [first] = list_first(source.read_head(name), 1)
    width = 1 if re.fullmatch(CLASS, first) else len(first.split()) - 1
    form = re.compile(FLAGS % f"{{{width}}}" if width > 1 else CLASS)
    rows: Texts = {}
    for match in match_lines(source, name, form, f"a path and {width} labels"):
        flags = match[2].split()
        own = [f"label {at}" for at, flag in enumerate(flags) if flag == "1"]
        rows.setdefault(match[1], write_list(own) if width > 1 else flags[0])
    files, cells = list(rows), list(rows.values())
    if name in queries:
        yield Queries(name, files, {"image": files, "labels": cells})
    else:
        yield Items(name, files, {"labels": cells}, ["labels"], is_whole=is_whole)


def recognise_classes(source: Source) -> Names:
    """Return the lists, and the pictures, whose folders are no further classes."""
    lists = sorted(source.list_headed(HEAD.match, ".txt"), key=lambda n: "train" in find_stem(n))
    return [*lists[:1], *source.media] if lists else []


def read_classes(source: Source, files: Names) -> Pieces:
    """Yield the pictures with their classes and parts."""
    found = match_lines(source, files[0], LINE, "a picture, its class, and its part")
    sides = {None: "", "query": "query", "train": "train"}
    rows = [(e[2] or e[3], e[1] or e[4], sides.get(e[5], "gallery")) for e in found if e[2] or e[3]]
    names, classes, parts = map(list, zip(*rows, strict=True))
    yield Items(files[0], names, {"class": classes, "part": parts}, ["class"], is_whole=True)


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
    matches = [(match[1], match[2]) for match in map(NAMED.fullmatch, lines) if match]
    if name.endswith((".yaml", ".yml")):
        with suppress(yaml.YAMLError, TypeError, KeyError):
            found = yaml.safe_load(text)["names"]
            told = found if isinstance(found, dict) else dict(enumerate(found))
    elif len(matches) == len(lines) == len({name for _, name in matches}):
        told = dict(matches)
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
        for name in source.list_headed(FLAGGED.match, ".txt", ".csv")
        if not re.search("partition|split", find_stem(name))  # their numbers are no classes
    ],
    read_flags,
)
