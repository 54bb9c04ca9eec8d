"""A collection is written in a folder beside its place and takes it by a rename: nobody sees half
of one, whenever the program is killed. The next call goes on with the clips and pictures that a new
collection had by then, and clears away all else that was left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from dashboard.tables import DataError

COPIED = (".toml", ".csv", ".jsonl", ".txt", ".tsv")
"""Files that are copied into the draft of a collection that is there; large ones are linked, for
they are only ever replaced."""
MEDIA = ("media", "posters")
"""The folders of clips, pictures and posters."""
_WANTED = "a folder in which you may write, with space left"


@contextlib.contextmanager
def draft_of(place: Path) -> Iterator[Path]:
    """A folder with what is in `place`; it takes its place when the block ends without an error,
    and is gone otherwise, but for what the next call goes on with.

    Raises DataError where another call is at work on it, or it cannot be written.
    """
    draft = place.with_name(f".{place.name}.draft")
    before = place.with_name(f".{place.name}.before")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with _locked(place):
            _recover(place, draft, before)
            draft.mkdir(exist_ok=True)
            stopped = False
            try:
                if place.exists():
                    _link_tree(place, draft)
                yield draft
                if place.exists():
                    place.rename(before)
                draft.rename(place)
                shutil.rmtree(before, ignore_errors=True)
            except KeyboardInterrupt:
                stopped = True
                raise
            finally:
                if not stopped:
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
    """Clear away what a call left that was killed, but for the media of a new collection."""
    if before.exists() and not place.exists():
        before.rename(place)  # killed between the two renames
    if before.exists():
        shutil.rmtree(before)
    if draft.exists() and place.exists():
        shutil.rmtree(draft)
    for left in draft.iterdir() if draft.exists() else ():
        if left.name not in MEDIA or not left.is_dir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()


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
        part = target.with_name(f"{target.name}.part")
        shutil.copyfile(source, part)
        shutil.copystat(source, part)  # by which a later call sees that it has this file
        part.replace(target)
        return False
    return True


def keep_only(folder: Path, sources: Mapping[str, Path]) -> None:
    """Remove the files of a folder that are not those of `sources`: name in the folder → file."""
    for path in sorted(folder.rglob("*"), reverse=True):  # a folder comes after what it holds
        if path.is_dir():
            with contextlib.suppress(OSError):
                path.rmdir()  # unless something is left in it
            continue
        source = sources.get(path.relative_to(folder).as_posix())
        if source is None or not _is_copy(path, source):
            path.unlink()


def _is_copy(path: Path, source: Path) -> bool:
    """Whether a file is a link to another, or a copy of its present state."""
    mine, theirs = path.stat(), source.stat()
    same = (mine.st_dev, mine.st_ino) == (theirs.st_dev, theirs.st_ino)
    return same or (mine.st_size, mine.st_mtime_ns) == (theirs.st_size, theirs.st_mtime_ns)
