"""Names that are nearly right: ids that look like others, and files that nothing is read from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from dashboard.letters import without_invisible
from dashboard.storage.files.tables import READERS
from dashboard.tables import Findings, listed

MOST = 200_000
"""Among more ids than this, no similar ones are searched."""
SHOWN = 3
TABLES = (
    "items", "queries", "unified_annotation", "qrels", "query_keywords", "lists", "relevance",
    "satisfaction",
)  # fmt: skip
SETTINGS = ("collection.toml", "vocabulary.toml", "query_keywords.toml")
FOLDERS = ("models", "runs", "media", "posters", "networks")
ENDINGS = (*READERS, ".txt", ".json", ".trec", ".qrels")
OF_A_MODEL = ("model.toml", "items.npy", "items.txt", "queries.npy", "queries.txt")
OTHER_NAMES = {
    "annotation": "unified_annotation", "annotations": "unified_annotation",
    "labels": "unified_annotation", "gallery": "items", "corpus": "items", "documents": "items",
    "topics": "queries", "query": "queries", "qrel": "qrels", "judgements": "qrels",
    "judgments": "qrels",
    "settings.toml": "collection.toml", "config.toml": "collection.toml", "model": "models",
    "run": "runs", "images": "media", "videos": "media", "clips": "media",
    "gallery.npy": "items.npy", "embeddings.npy": "items.npy", "vectors.npy": "items.npy",
    "ids.txt": "items.txt",
}  # fmt: skip
"""Common other names of files and folders → the names that are read."""


def unmatched(ids: Iterable[str], known: Iterable[str]) -> str:
    """A few unknown ids, each with the known id that looks like it.

    >>> unmatched(["V00", "x"], ["v00", "v01"])
    "V00, x; 'V00' looks like 'v00'"
    """
    ids, there = list(dict.fromkeys(map(str, ids))), list(known)
    pairs = _looking_alike(ids, there) if len(there) <= MOST else []
    likeness = [f"{one!r} looks like {other!r}" for one, other in pairs]
    return "; ".join([listed(ids), *likeness])


def _looking_alike(ids: list[str], known: list[str]) -> list[tuple[str, str]]:
    wanted = {_likeness(name): name for name in reversed(ids[:1_000])}
    found: dict[str, str] = {}
    for name in known:
        key = _likeness(str(name))
        if key in wanted and wanted[key] != name:
            found.setdefault(wanted[key], str(name))
    return [(name, found[name]) for name in ids if name in found][:SHOWN]


def _likeness(text: str) -> str:
    """The form in which ids that look alike are equal: letters and digits only, without case, path,
    extension and leading zeros."""
    last = re.split(r"[\\/]", without_invisible(text))[-1]
    plain = unicodedata.normalize("NFKC", re.sub(r"\.\w{2,5}$", "", last)).casefold()
    return re.sub(r"[\W_]+", "", re.sub(r"(?<!\d)0+(?=\d)", "", plain)) or text


def check_names(folder: Path, findings: Findings) -> None:
    """Warn of files and folders that are not read but have almost the name of one that is."""
    there = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    for name in sorted(there):
        path = folder / name
        meant = _folder_meant(name) if path.is_dir() else _file_meant(name)
        if meant and not any(other.startswith(meant) for other in there - {name}):
            wanted = f"perhaps {meant}; rename it"
            findings.warning(name, "a name that nothing is read from", wanted)


def near_model_file(folder: Path, wanted: str) -> str:
    """The advice to rename a file that a version may mean by a missing one; empty without one."""
    there = sorted(path.name for path in folder.iterdir() if path.name not in OF_A_MODEL)
    meant = [name for name in there if OTHER_NAMES.get(name.lower()) == wanted]
    meant += get_close_matches(wanted, there, n=1, cutoff=0.7)
    return f"There is {meant[0]!r}: rename it if it is meant." if meant else ""


def _folder_meant(name: str) -> str:
    return "" if name in FOLDERS else _nearest(name.lower(), FOLDERS)


def _file_meant(name: str) -> str:
    """The name that a file of a collection's folder almost has; empty without such a name."""
    if name in SETTINGS:
        return ""
    if name.lower().endswith(".toml"):
        return _nearest(name.lower(), SETTINGS)
    bare = name.removesuffix(".gz")
    stem, ending = Path(bare).stem, Path(bare).suffix
    if ending.lower() not in ENDINGS or stem in TABLES:
        return ""
    return _nearest(stem.lower(), TABLES)


def _nearest(name: str, known: tuple[str, ...]) -> str:
    if OTHER_NAMES.get(name) in known:
        return OTHER_NAMES[name]
    return next(iter(get_close_matches(name, known, n=1, cutoff=0.75)), "")
