"""Parts of the data: what asks, what is searched, and splits to train and to test."""

import re
from collections.abc import Iterable

from dashboard.tables import Names, Texts

QUERY, GALLERY, TEST = "query", "gallery", "test"
BOTH = "query and gallery"
"""Part of an item that asks and is searched."""
SPLITS = (TEST, "dev", "validation", "val", "train")
"""Splits of which one counts, the best one first."""
PARTS = {
    **dict.fromkeys(("query", "queries", "probe"), QUERY),
    **dict.fromkeys(("gallery", "database", "db", "index", "reference"), GALLERY),
    **dict.fromkeys(("test", "testing"), TEST),
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("val", "valid", "validation"), "val"),
    "dev": "dev",
}
"""Parts by the words that programs have for them."""
COLUMN = re.compile("split|subset|partition|role|part", re.I)
"""Names of columns of parts."""
BESIDE = re.compile("(image|img|picture|crop|set|bounding|box)s?|")
"""Words that may stand beside that of a part, as in image_query and bounding_box_test."""
TESTS = re.compile("(?<![a-z])(test|tst)(?![a-z])")
DATABASE = re.compile("database|gallery|retrieval|trn|(^|[_/])db_", re.I)
"""Words of what asks, and of what is searched, as DeepHash and its successors name files."""


def name_parts(cells: Iterable[str]) -> Names:
    """Return parts by their usual names; other cells stay. Tests beside queries are searched.

    >>> name_parts(["image_query", "bounding_box_test"]), name_parts(["Training", "testing", "a"])
    (['query', 'gallery'], ['train', 'test', 'a'])
    """
    parts = list(map(_name_part, cells))
    is_asked = QUERY in parts and GALLERY not in parts
    return [GALLERY if is_asked and part == TEST else part for part in parts]


def _name_part(cell: str) -> str:
    words = {*re.split(r"[\W_]+", cell.lower())}
    parts = {PARTS[word] for word in words & PARTS.keys()}
    [part, *others] = sorted(parts & {QUERY, GALLERY} or parts) or [""]  # as of test_query
    is_part = not others and all(word in PARTS or BESIDE.fullmatch(word) for word in words)
    return part if part and is_part else cell.lower()


def are_parts(names: Iterable[str]) -> bool:
    """Return whether all names that are filled are those of parts."""
    return {*name_parts(names)} <= {"", *PARTS.values()}


def divides(parts: Iterable[str]) -> bool:
    """Return whether some names of parts ask, and some are searched."""
    every = {*name_parts(parts)}
    return BOTH in every or {QUERY, GALLERY} <= every


def find_parts(names: Iterable[str]) -> Texts:
    """Return the parts of names that are splits, or query and gallery where both are there."""
    parts = dict(zip(names, name_parts(names), strict=True))
    apart = () if divides(parts.values()) else (QUERY, GALLERY)
    known = {*PARTS.values()}.difference(apart)
    return {name: part for name, part in parts.items() if part in known}


def asks(name: str, names: Iterable[str]) -> bool:
    """Return whether a name says tests, and another one a database; alone they are searched."""
    is_test = TESTS.search(name.lower()) and not DATABASE.search(name)
    return bool(is_test and any(map(DATABASE.search, names)))
