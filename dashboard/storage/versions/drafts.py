"""New versions of a collection: each is written in a folder of drafts beside the others, and put in
its place whole by one rename. A program that is killed leaves a draft, never half a version."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from dashboard.storage.versions.versions import run_files
from dashboard.tables import DataError, Findings

DRAFTS = ".drafts"
"""The folder of drafts in a collection; nothing of it enters a number."""
ONCE = "add-"
"""Drafts that begin so belong to one call, and are removed when it has gone."""
YOUNG = 60
"""Seconds in which a draft may not have been locked yet by the call that made it."""
_NAME = re.compile(r"[^\W_](?:[\w.+@ -]{0,98}[\w+@-])?")


def check_name(collection: Path, name: str) -> None:
    """Raise DataError where a new version cannot have this name, or one has it."""
    if not _NAME.fullmatch(name):
        wanted = "1 to 100 letters, digits, blanks and . + @ _ -, a letter or digit first"
        raise DataError("the version's name", repr(name[:200]), wanted)
    if (collection / "models" / name).exists() or name in run_files(
        collection / "runs", Findings()
    ):
        found = f"a version {name!r} already"
        raise DataError(collection.name, found, "a new name; no version is written over")


@contextlib.contextmanager
def draft(collection: Path, name: str) -> Iterator[Path]:
    """An empty folder called as the version, to write it in; it is gone at the end, and with it
    those of calls that were killed.

    Raises DataError where the name cannot be used, or nothing can be written.
    """
    check_name(collection, name)
    with writing(collection.name):
        drafts = collection / DRAFTS
        drafts.mkdir(exist_ok=True)
        _sweep(drafts)
        place = Path(tempfile.mkdtemp(prefix=ONCE, dir=drafts))
        with locked(place):
            try:
                folder = place / name
                folder.mkdir()
                yield folder
            finally:
                shutil.rmtree(place, ignore_errors=True)
                with contextlib.suppress(OSError):
                    drafts.rmdir()  # unless others write there


@contextlib.contextmanager
def writing(where: str) -> Iterator[None]:
    """Raise DataError for an OSError in the block: a full disk, a folder without the right."""
    try:
        yield
    except OSError as error:
        found = f"a folder that cannot be written ({error.strerror or error})"
        raise DataError(where, found, "space, and the right to write there") from error


@contextlib.contextmanager
def locked(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold a folder while the block runs. wait: until another process that holds it lets go; else
    that raises BlockingIOError."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)


def _sweep(drafts: Path) -> None:
    """Remove the drafts of calls that were killed: nobody holds them."""
    for place in drafts.glob(f"{ONCE}*"):
        with contextlib.suppress(OSError):
            if time.time() - place.stat().st_mtime > YOUNG:
                with locked(place):
                    shutil.rmtree(place, ignore_errors=True)


def put_in_place(draft: Path, place: Path) -> None:
    """Move a file or folder to its place, once all of it is on the disk.

    Raises DataError where something of that name is there.
    """
    files = sorted(draft.rglob("*")) if draft.is_dir() else []
    for path in [*files, draft]:
        _to_disk(path)
    place.parent.mkdir(exist_ok=True)
    with locked(place.parent, wait=True):
        if place.exists():
            found = f"a version {place.stem if place.is_file() else place.name!r} already"
            raise DataError(place.parent.parent.name, found, "a new name; it came meanwhile")
        draft.rename(place)
        _to_disk(place.parent)


def exchange(draft: Path, place: Path) -> None:
    """Let a draft and what stands in its place change places, once all of it is on the disk: at no
    moment is there neither, where the file system can do that."""
    for path in [*sorted(draft.rglob("*")), draft]:
        _to_disk(path)
    with locked(place.parent, wait=True):
        libc = ctypes.CDLL(None, use_errno=True)
        at, both = _AT_FDCWD, (os.fsencode(draft), os.fsencode(place))
        if libc.renameat2(at, both[0], at, both[1], _RENAME_EXCHANGE):
            before = draft.with_name(f"{draft.name} before")
            place.rename(before)
            draft.rename(place)
            before.rename(draft)
        _to_disk(place.parent)


_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
"""Of the system call renameat2 of Linux."""


def _to_disk(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
