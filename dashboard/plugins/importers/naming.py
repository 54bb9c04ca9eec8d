"""Versions and parts of the data by the names of files, folders, columns and cells."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from dashboard.plugins.importers.source import Side, clean_name
from dashboard.storage.vector_ids import names_texts
from dashboard.tables import Names

QUERY, GALLERY, TRAIN, TEST = "query", "gallery", "train", "test"
BOTH = "query and gallery"
"""Part of an item that asks and is searched."""
SPLITS = (TEST, "dev", "val", TRAIN)
"""Splits of which one counts, the best one first."""
PARTS = {
    word: part
    for part, words in {
        QUERY: "query queries probe",
        GALLERY: "gallery database db index reference",
        TEST: "test testing",
        TRAIN: "train training",
        "val": "val valid validation",
        "dev": "dev",
    }.items()
    for word in words.split()
}
"""Parts by the words that programs have for them."""
SIDES = "|".join(word for word, part in PARTS.items() if part in (QUERY, GALLERY))
"""Words of what asks, and of what is searched, for patterns."""
COLUMN = re.compile("split|subset|partition|role|part", re.I)
"""Names of columns of parts."""
BESIDE = re.compile("(image|img|picture|crop|set|bounding|box)s?|")
"""Words that may stand beside that of a part, as in image_query and bounding_box_test."""
DATABASE = re.compile(r"database|gallery|retrieval|trn|(^|[\W_])db_", re.I)
"""Words of what is searched, as DeepHash and its successors name files."""
PICTURES = re.compile("(?<![a-z])(im|img|image|vid|video)s?(?![a-z])")
MEANINGS: dict[str, Any] = {
    "caption": (PICTURES.search, re.compile("(?<![a-z])caps?(?![a-z])")),
    QUERY: (DATABASE.search, re.compile("(?<![a-z])(test|tst|probe)(?![a-z])", re.I)),
    GALLERY: (names_texts, re.compile("^(gf?|refs?)(?=_|$)", re.M)),
}
"""What some words mean beside names that tell it; test is a part alone, and of a database."""
GENERAL = re.compile(
    r"(item|doc|document|image|video|vid|picture|embedding|embed|emb|vector|feature|feat|descriptor|"
    r"reference)s?|"
    r"clips|gallery|corpus|img|part|passage|index|data|database|models|arr|0|x|weight|train|trn|te?st|val|values|visual|"
    r"vision|dim|0*\d{5}|of([_-]\d+)?|(rank|shard|chunk|split|proc|worker|gpu|sheet)\d*|retrieval|db|codes|hash|binary",
    re.I,
)
"""Words in names of files and columns that tell no version from another, and numbers of parts."""
WORDS = re.compile(r"of[_-]\d+|[^_\-\s./]+")
"""Words of a name of a file, a folder or a column."""
HIVE = re.compile(r"(?:/|^)(?!model|version|encoder|run)([^/=]+)=([^/]+)")
"""A folder whose files have one cell in a column, as Spark writes split=test."""
STATED = re.compile(r"(?:/|^)(?:model|version|encoder|run)=([^/]+)/")
"""A folder that names a version."""


def name_part(cell: str) -> str:
    """Return the usual name of a part; another cell as it is, in small letters.

    >>> list(map(name_part, ["image_query", "Training", "train_query", "val_query", "A"]))
    ['query', 'train', 'train', 'query', 'a']
    """
    words = {*re.split(r"[\W_]+", cell.lower())}
    parts = {PARTS[word] for word in words & PARTS.keys()}
    parts = parts & {TRAIN} or parts & {QUERY, GALLERY} or parts
    is_part = len(parts) == 1 and all(word in PARTS or BESIDE.fullmatch(word) for word in words)
    return parts.pop() if is_part else cell.lower()


def are_parts(names: Iterable[str]) -> bool:
    """Return whether all names that are filled are those of parts."""
    known = {"", *PARTS.values()}
    return all(name_part(name) in known for name in names)


def divides(parts: Iterable[str]) -> bool:
    """Return whether some names of parts ask, and some are searched."""
    every = {*map(name_part, parts)}
    return BOTH in every or {QUERY, GALLERY} <= every


def name_version(file: str, column: str = "", beside: Names = ()) -> tuple[str, Side]:
    """Return the version and the side that the names of a file and a column tell.

    >>> name_version("v2/items.npy"), name_version("clip_text.npy")
    (('v2', 'items'), ('clip', 'texts'))
    >>> name_version("image_embeds.npy"), name_version("dino/part-00001.parquet")
    (('v1', 'items'), ('dino', 'items'))
    >>> name_version("dino/img_emb_1.npy"), name_version("clip_rank1_of_2.h5", "train/features")
    (('dino_1', 'items'), ('clip', 'items'))
    >>> name_version("0/items.npy"), name_version("model=a_b/part-0-x.parquet")
    (('0', 'items'), ('a_b', 'items'))
    """
    path = PurePosixPath(file)
    name = f"{path.stem}\n{column}"
    for meaning, (tells, words) in MEANINGS.items():
        if any(map(tells, beside)) and not (meaning == QUERY and tells(name)):
            name = words.sub(meaning, name)
    stated = STATED.search(file)
    own = [stated[1]] if stated else _list_own(name)
    around = path.parents[path.stem.startswith(path.parent.name or "/")]  # img_emb/img_emb_0.npy
    folder = HIVE.sub("", around.as_posix()).rpartition("/")[2].removesuffix(".xlsx")
    if all(map(str.isdecimal, own)) and (_list_own(folder) or folder.isdecimal()):
        own.insert(0, folder)
    return clean_name("_".join(own) or "v1"), "texts" if names_texts(name) else "items"


def _list_own(name: str) -> list[str]:
    """Return the words of a name that tell a version from another one, each once."""
    words = dict.fromkeys(WORDS.findall(name))
    return [word for word in words if not (names_texts(word) or GENERAL.fullmatch(word))]
