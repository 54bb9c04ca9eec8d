"""A collection is written in a folder beside its place and takes it by a rename: nobody sees half
of one, whenever the program is killed. The next call clears away what was left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from dashboard.tables import DataError

COPIED = (".toml", ".csv", ".jsonl", ".txt", ".tsv")
"""Files that are copied into the draft of a collection that is there; large ones are linked, for
they are only ever replaced."""
_WANTED = "a folder in which you may write, with space left"


@contextlib.contextmanager
def draft_of(place: Path) -> Iterator[Path]:
    """A folder with what is in `place`; it takes its place when the block ends without an error,
    and is gone otherwise.

    Raises DataError where another call is at work on it, or it cannot be written.
    """
    draft = place.with_name(f".{place.name}.draft")
    before = place.with_name(f".{place.name}.before")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with _locked(place):
            _recover(place, draft, before)
            draft.mkdir()
            try:
                if place.exists():
                    _link_tree(place, draft)
                yield draft
                if place.exists():
                    place.rename(before)
                draft.rename(place)
                shutil.rmtree(before, ignore_errors=True)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        found = f"a folder that cannot be written ({error.strerror or error})"
        raise DataError(str(place), found, _WANTED) from error


@contextlib.contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Hold a place while the block runs. The system lets go of it when the process ends."""
    name = place.with_name(f".{place.name}.lock")
    file = os.open(name, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            wanted = "one call at a time"
            raise DataError(str(place), "another call that writes it", wanted) from error
        yield
        name.unlink(missing_ok=True)
    finally:
        os.close(file)


def _recover(place: Path, draft: Path, before: Path) -> None:
    """Clear away what a call left that was killed."""
    if before.exists() and not place.exists():
        before.rename(place)  # killed between the two renames
    for left in (before, draft):
        if left.exists():
            shutil.rmtree(left)


def _link_tree(source: Path, target: Path) -> None:
    for folder, folders, files in os.walk(source):
        own = target / Path(folder).relative_to(source)
        for name in folders:
            path = Path(folder, name)
            if path.is_symlink():
                (own / name).symlink_to(path.readlink())
            else:
                (own / name).mkdir()
        for name in files:
            path = Path(folder, name)
            if path.is_symlink():
                (own / name).symlink_to(path.readlink())
            elif name.endswith(COPIED):
                shutil.copy2(path, own / name)
            else:
                link(path, own / name)


def link(source: Path, target: Path) -> bool:
    """Give a file a second place, as a hard link where the file system allows one, else as a copy;
    returns whether it is a link."""
    try:
        os.link(source, target, follow_symlinks=True)
    except OSError:
        shutil.copyfile(source, target)
        return False
    return True
