"""Files of features in a folder of the operator: a reader of the dashboard may name any of them.

A submission is a name and two arrays, of the gallery and of the queries, `mine=g.npy,q.npy`; the
ids of each stand beside it in a `.txt`, one a line. The author of a link is not trusted: a name
leads to a file below the folder that `DASHBOARD_SUBMISSIONS` names, or to an error.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dashboard.storage.collection.collection import Collection
from dashboard.storage.files.contents import decode
from dashboard.storage.media.safe_open import OUTSIDE, Opened, Unusable, open_inside
from dashboard.storage.vectors.npy import table_in
from dashboard.storage.vectors.rows import FileColumns, FileRows, Numbers
from dashboard.storage.vectors.vectors import ids_in
from dashboard.storage.versions.versions import width_of_all
from dashboard.tables import DataError, Findings, natural

FORM = "NAME=GALLERY.npy,QUERIES.npy"
LONGEST_NAME = 40
MOST = 1_000
"""At most so many files are listed; others can still be named."""

WORDS = {
    OUTSIDE: "a name that leads out of the folder",
    "missing": "no such file",
    "no file named": "no file named",
    "not a file": "something that is not a regular file",
    "not a file name": "something that is not a file name",
    "remote media are off": "an address of another machine",
}


@dataclass(frozen=True)
class Submission:
    """A name and the two files of a submission: names below the operator's folder, or `anywhere`
    paths of whoever may read them, as on the command line."""

    name: str
    gallery: str
    queries: str
    anywhere: bool = False

    @classmethod
    def of(cls, text: str, *, anywhere: bool = False) -> Submission:
        """What a text of the form NAME=GALLERY.npy,QUERIES.npy names. Raises ValueError."""
        name, _, files = text.partition("=")
        parts = [part.strip() for part in files.split(",")]
        if len(parts) != 2 or not all(parts) or not name.strip():
            raise ValueError(f"found {text[:80]!r}, wanted {FORM}")
        if len(name.strip()) > LONGEST_NAME or not name.isprintable() or "," in name:
            wanted = f"at most {LONGEST_NAME} letters, without commas and control characters"
            raise ValueError(f"found the name {name[:80]!r}, wanted {wanted}")
        for part in parts:
            if not part.endswith(".npy"):
                raise ValueError(f"found the file {part[:80]!r}, wanted one that ends in .npy")
        gallery, queries = parts
        return cls(name.strip(), gallery, queries, anywhere=anywhere)

    def __str__(self) -> str:
        return f"{self.name}={self.gallery},{self.queries}"


def checks_of(collection: Collection) -> dict[str, Any]:
    """What features are checked against, by the parameters of `evaluation.submission.scored`: the
    ids of a collection, and the dimension that all its models share, if they do."""
    width = width_of_all(collection.models)
    return {
        "items_known": collection.items["item_id"].tolist(),
        "queries_known": collection.queries["query_id"].tolist(),
        **({"dimension": width} if width else {}),
    }


def warn(findings: Findings, sentences: Iterable[str]) -> None:
    """Add the warnings of scoring to the findings; each begins with the file's name."""
    for sentence in sentences:
        file, _, found = sentence.partition(": ")
        findings.warning(file, found, "features of length 1 for the collection's ids")


def folder() -> Path | None:
    """The operator's folder; None: there is none, and nobody can submit anything."""
    named = os.environ.get("DASHBOARD_SUBMISSIONS", "")
    return Path(named) if named and Path(named).is_dir() else None


def offered() -> tuple[list[str], list[str]]:
    """The arrays in the folder by name, at most MOST of each: those that have their ids beside
    them, and those that lack these and cannot be chosen."""
    base, whole, lacking = folder(), list[str](), list[str]()
    for place, folders, files in os.walk(base) if base else ():
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        known = set(files)
        for file in files:
            if file.endswith(".npy") and not file.startswith("."):
                name = (Path(place) / file).relative_to(base or place).as_posix()
                (whole if ids_of(file) in known else lacking).append(name)
        if len(whole) >= MOST:
            break
    return sorted(whole, key=natural)[:MOST], sorted(lacking, key=natural)[:MOST]


def state(submission: Submission) -> str:
    """A stamp that changes when one of the submission's files is written again.

    Raises DataError where one is not there or leads out of the folder.
    """
    seen = hashlib.sha256()
    for array in (submission.gallery, submission.queries):
        for name in (array, ids_of(array)):
            with _opened(name, submission.anywhere) as file:
                seen.update(f"{name}\0{file.version}\n".encode())
    return seen.hexdigest()


@contextmanager
def features(
    name: str, findings: Findings, *, anywhere: bool = False
) -> Iterator[tuple[tuple[str, ...], FileRows | FileColumns | Numbers]]:
    """The ids and the array of one file of a submission, the array read where it is indexed.

    Raises DataError for a file that is missing, leads out of the folder, or is no array.
    """
    with _opened(ids_of(name), anywhere) as listed:
        text = decode(listed.file.read(), ids_of(name), findings)
        ids = ids_in(text, ids_of(name), findings)
    with _opened(name, anywhere) as opened:
        yield ids, table_in(opened.file, Path(name).name if anywhere else name)


def ids_of(name: str) -> str:
    """The file that holds the ids of an array, beside it.

    >>> ids_of("team/gallery.npy")
    'team/gallery.txt'
    """
    return f"{name.removesuffix('.npy')}.txt" if name else name


def _opened(name: str, anywhere: bool) -> Opened:
    if anywhere:
        return _opened_at(Path(name))
    base = folder()
    if base is None:
        wanted = "the folder that DASHBOARD_SUBMISSIONS names"
        raise DataError("submissions", "no folder for them", wanted)
    try:
        return open_inside(base, "", name)
    except Unusable as word:
        found = WORDS.get(str(word), f"a file that is {word}")
        raise DataError(name[:200], found, "a file in the folder of submissions") from word


def _opened_at(path: Path) -> Opened:
    whole = path.resolve()
    try:
        return open_inside(whole.parent, "", whole.name)
    except Unusable as word:
        found = WORDS.get(str(word), f"a file that is {word}")
        array = f"{path.stem}.npy"
        wanted = f"the ids of {array}, one a line" if path.suffix == ".txt" else "a .npy file"
        raise DataError(path.name, found, wanted) from word
