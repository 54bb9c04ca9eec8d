"""Collections at a glance, without opening them: titles, sizes, names of versions.

Opening a collection reads all its vectors and checks all its labels; a chooser of a hundred
collections needs none of that.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from dashboard.storage.collection import collection as collections
from dashboard.storage.collection.annotation import Annotation, read_annotation
from dashboard.storage.collection.collection import SETTINGS
from dashboard.storage.collection.evidence import read_items, read_queries
from dashboard.storage.collection.settings import read_collection_settings
from dashboard.storage.collection.sides import with_sides
from dashboard.storage.files.table_files import stored_as, stored_files
from dashboard.storage.versions.versions import run_files
from dashboard.tables import QUERIES, DataError, Findings, natural

TABLES = ("items", "queries", "unified_annotation", "lists", "relevance")


@dataclass(frozen=True, eq=False)
class Shelved:
    """A collection as its settings and two tables describe it.

    versions: the folders of models and the files of runs, whether they can be used or not.
    problem: why the queries cannot be read; the collection opens without them.
    """

    name: str
    folder: Path
    settings: dict[str, Any]
    items: pd.DataFrame
    queries: pd.DataFrame
    versions: tuple[str, ...]
    problem: str = ""


def shelved(name: str) -> Shelved:
    """A collection at a glance. Raises DataError where its settings or items cannot be read."""
    folder, unsaid = collections.find(name), Findings()
    settings = read_collection_settings(folder / SETTINGS, unsaid)
    annotation = None
    if stored_as(folder, "items") is None:
        annotation = _annotation(folder, settings["groups"] or (), unsaid)
    items = read_items(folder, annotation, unsaid)
    items = with_sides(items, settings["protocols"], "items.csv", unsaid)
    problem, queries = "", QUERIES.empty()
    try:
        queries = read_queries(folder, items, unsaid)
    except DataError as error:
        problem = str(error)
    return Shelved(name, folder, settings, items, queries, _versions(folder), problem)


def titles() -> dict[str, str]:
    """The title of each collection by its name; a collection without a title has its name."""
    found = {}
    for name, place in collections.places().items():
        path = place / SETTINGS
        written = path.stat().st_mtime_ns if path.exists() else 0
        found[name] = _title(path, written) or name
    return found


def state(name: str) -> str:
    """A stamp that changes with the files that `shelved` reads; cheap enough for every rerun."""
    folder = collections.find(name)
    files = [path for table in TABLES for path in stored_files(folder, table)]
    seen = hashlib.sha256(str(folder.resolve()).encode())
    for path in (folder / SETTINGS, *files, folder / "models", folder / "runs"):
        if path.exists():
            found = path.stat()
            seen.update(f"{path.name}\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
    return seen.hexdigest()


@lru_cache(maxsize=1_000)
def _title(path: Path, written: int) -> str:
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("title")
    except (OSError, ValueError):
        return ""  # the collection's card shows what is wrong with the file
    return found.strip() if isinstance(found, str) else ""


def _annotation(folder: Path, groups: Sequence[str], unsaid: Findings) -> Annotation | None:
    path = stored_as(folder, "unified_annotation")
    return read_annotation(path, groups, path.name, unsaid) if path else None


def _versions(folder: Path) -> tuple[str, ...]:
    models = folder / "models"
    known = [place.name for place in models.iterdir()] if models.is_dir() else []
    known = [name for name in known if (models / name).is_dir() and not name.startswith(".")]
    return tuple(sorted({*known, *run_files(folder / "runs", Findings())}, key=natural))
