"""New versions: each is written in a hidden folder, and renamed when all of it is on the disk."""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from dashboard.errors import DataError, explain_errors

KINDS = ("models", "runs", "submissions")
"""Folders of versions."""
MAX_NAME = 100
NAME = re.compile(r"[^\W_](?:[\w.+@ -]{0,98}[\w+@-])?")
"""Names of versions: they are names of folders, too, and stand in links."""
DRAFT = ".draft-"
"""Begins the names of drafts, each of which its process holds by a lock."""


def check_name(folder: Path, name: str) -> None:
    """Check the name of a new version.

    Raises:
        DataError: If it cannot be one, or a version has it.
    """
    if not NAME.fullmatch(name):
        raise DataError(
            "the version's name",
            repr(name[:200]),
            "1 to 100 letters, digits, blanks and . + @ _ -, a letter or digit first",
        )
    if name in list_files(folder).values():
        raise DataError(
            folder.name, f"a version {name!r} already", "a new name; no version is written over"
        )


def list_files(folder: Path) -> dict[Path, str]:
    """Return the version of each of their files and folders in a collection."""
    paths = (path for kind in KINDS for path in sorted((folder / kind).glob("[!.]*")))
    return {path: tell_version(path) for path in paths}


def tell_version(path: Path) -> str:
    """Return the version of a file or folder; a matrix of results has its ids in two beside it."""
    is_run = path.parent.name == "runs"
    return re.sub(r"(\.(rows|columns))?\.[^.]*$", "", path.name) if is_run else path.name


@contextmanager
def write_draft(folder: Path, kind: str, name: str) -> Iterator[Path]:
    """Make an empty hidden folder for a version; nothing is left of it after the block.

    Drafts of processes that were killed are removed first.

    Args:
        folder: Folder of the collection.
        kind: Folder in it in which the version will be: models or runs.
        name: Name of the version.

    Raises:
        DataError: If the name cannot be used, or nothing can be written there.
    """
    check_name(folder, name)
    with report_full_disk(folder.name), ExitStack() as held:
        place = folder / kind
        place.mkdir(exist_ok=True)
        with _lock(place, wait=True):
            for path in place.glob(f"{DRAFT}*"):
                with suppress(BlockingIOError), _lock(path):
                    shutil.rmtree(path, ignore_errors=True)
            draft = Path(tempfile.mkdtemp(prefix=DRAFT, dir=place))
            held.enter_context(_lock(draft))
        try:
            draft.chmod(0o755)
            yield draft
        finally:
            shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def claim(folder: Path, name: str, found: str) -> Iterator[None]:
    """Make a folder that one call has at a time; it is removed where it is empty at the end.

    Raises:
        DataError: If another call has it, or nothing can be written there.
    """
    with report_full_disk(name):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with _lock(folder):
                try:
                    yield
                finally:
                    with suppress(OSError):
                        folder.rmdir()
        except BlockingIOError as error:
            raise DataError(name, found, "one call at a time") from error


@contextmanager
def _lock(folder: Path, wait: bool = False) -> Iterator[None]:
    """Hold a folder; raise BlockingIOError if another one does, unless it may wait."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(opened)


def put_in_place(draft: Path, place: Path) -> None:
    """Move a file or folder to its place, once all of it is on the disk.

    Raises:
        DataError: If something of that name is there.
    """
    for path in (*draft.rglob("*"), draft):
        sync(path)
    if place.exists():
        raise DataError(
            place.parent.parent.name,
            f"a version {tell_version(place)!r} already",
            "a new name; it came meanwhile",
        )
    draft.rename(place)
    sync(place.parent)


@contextmanager
def replace_files(folder: Path, *names: str) -> Iterator[Path]:
    """Make a hidden folder in another one, whose files of some names are moved up after the block.

    Each takes the place of the one before when all of them are on the disk. The folder around them
    is made if it is not there.

    Raises:
        DataError: If nothing can be written there.
    """
    name = folder.name or str(folder)
    with report_full_disk(name):
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as made:
            place = Path(made)
            yield place
            for name in names:
                sync(place / name)
            for name in names:
                (place / name).replace(folder / name)
            sync(folder)


def write_file(path: Path, content: bytes) -> None:
    """Write a file at once: a reader sees the old or the new one, never half of it."""
    with replace_files(path.parent, path.name) as place:
        (place / path.name).write_bytes(content)


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def report_full_disk(name: str) -> AbstractContextManager[None]:
    """Turn errors of the file system in a block into sentences."""
    wanted = "space, and the right to write there"
    return explain_errors(name, "a folder that cannot be written", wanted, kinds=OSError)
