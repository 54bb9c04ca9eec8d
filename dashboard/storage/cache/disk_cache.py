"""A bounded folder of posters, fingerprints, uploaded pictures, indexes and computed results: the
least recently used go first.

Everything in it can be made or uploaded again, so it may be emptied at any time. Each file begins
with a checksum of its name and content; one that is damaged, renamed or no regular file is removed,
so that it is made again.

The folder is our own because diskcache was tried and unpickles what lies in its folder, goes to
three times its limit, hands out emptied files, and on a full disk leaves halves behind and cannot
even be read.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

LARGEST = 1_000  # megabytes, unless DASHBOARD_CACHE_MB says otherwise
_LEFT = (
    0.9  # the share of the limit that is left after a clean-up, so that not every write needs one
)
_LOOKED = 0.01  # the share of it that each process may write before it looks through the folder
_USED_AGAIN = 3_600  # seconds after which another use is recorded
_UNFINISHED = ("unfinished-", "tmp")  # how the names of unfinished files begin
_GIVEN_UP = 3_600  # seconds after which an unfinished file counts as abandoned
CHECK = 32  # bytes of the checksum that each file begins with
_LOGGED_AGAIN = 600  # seconds after which the same fault is logged again
_LOG = logging.getLogger(__name__)


def folder() -> Path:
    """The cache folder: `DASHBOARD_CACHE`, else one below the user's cache folder."""
    named = os.environ.get("DASHBOARD_CACHE")
    if named:
        return Path(named) / "posters"
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(user) / "search-quality-dashboard" / "posters"


def largest() -> int:
    """How many bytes the folder may hold: `DASHBOARD_CACHE_MB`, else LARGEST megabytes."""
    named = os.environ.get("DASHBOARD_CACHE_MB", "")
    return (int(named) if named.isdecimal() else LARGEST) * 1_000_000


def recall(name: str) -> bytes | None:
    """The content of a name, which counts as a use of it; None: there is none, or the folder may
    hold nothing. What is damaged, such as by a full disk or a power cut, is removed."""
    if not largest():
        return None
    path = _place(name)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        if path.is_symlink():
            forget(name)
        return None
    there, content = os.fstat(descriptor), None
    if stat.S_ISREG(there.st_mode) and there.st_size <= largest() + CHECK:
        with os.fdopen(descriptor, "rb") as file, contextlib.suppress(OSError):
            check, content = file.read(CHECK), file.read()
    else:
        os.close(descriptor)
    if content is None or check != _check_of(name, content):
        forget(name)
        return None
    if abs(time.time() - there.st_mtime) > _USED_AGAIN:
        with contextlib.suppress(OSError):
            os.utime(path)
    return content


def _check_of(name: str, content: bytes) -> bytes:
    check = hashlib.sha256(name.encode() + b"\0")
    check.update(content)
    return check.digest()


def forget(name: str) -> None:
    """Remove the content of a name, if there is some, and an empty folder in its place."""
    path = _place(name)
    with contextlib.suppress(OSError):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def is_kept(name: str) -> bool:
    """Whether a name has content, which may be damaged; reads no file."""
    try:
        there = _place(name).lstat()
    except OSError:
        return False
    return bool(largest()) and stat.S_ISREG(there.st_mode) and there.st_size >= CHECK


def keep(name: str, content: bytes) -> bool:
    """Save content under a name, whole or not at all; returns whether it is saved. A folder that
    cannot be written is logged, and content that all else would have to go for."""
    path, most = _place(name), largest()
    kept = path.parent.parent
    if len(content) + CHECK > most * _LEFT:
        if most and _WRITTEN.is_new_fault(kept, path.suffix):
            words = "a file of %d MB is not kept in the cache folder: DASHBOARD_CACHE_MB is %d"
            _LOG.warning(words, len(content) / 1e6, most / 1e6)
        return False
    try:
        kept.mkdir(parents=True, exist_ok=True, mode=0o700)
        if _WRITTEN.is_first_time(kept):
            sweep(kept)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        _write(path, _check_of(name, content), content)
        if _WRITTEN.is_time_to_look(kept, len(content)):
            sweep(kept)
            shrink(kept, most)
    except OSError as error:
        if _WRITTEN.is_new_fault(kept, str(error.strerror)):
            _LOG.warning("files cannot be kept in the cache folder: %s", error.strerror)
        return False
    return path.is_file()  # under a tiny limit it is already removed again


def _write(path: Path, check: bytes, content: bytes) -> None:
    """Write a file whole under its name; the part that a full disk took is removed."""
    descriptor, unfinished = tempfile.mkstemp(prefix=_UNFINISHED[0], dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(check)
            file.write(content)
        Path(unfinished).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(unfinished).unlink()
        raise


def sweep(kept: Path) -> None:
    """Remove the unfinished files of processes that ended while they wrote."""
    for written, _, path in _files(kept):
        if path.name.startswith(_UNFINISHED) and written < time.time() - _GIVEN_UP:
            with contextlib.suppress(OSError):
                path.unlink()


def shrink(kept: Path, most: int) -> int:
    """Remove the least recently used files while there are more than `most` bytes; returns the
    bytes that are left."""
    ahead = time.time() + _USED_AGAIN  # a clock was set back: nobody knows when it was used
    files = sorted((used if used < ahead else 0, size, path) for used, size, path in _files(kept))
    left = sum(size for _, size, _ in files)
    if left <= most:
        return left
    for _, size, path in files:
        if left <= most * _LEFT:
            break
        with contextlib.suppress(FileNotFoundError):  # another process was first
            path.unlink()
        left -= size
    return left


def _files(kept: Path) -> Iterator[tuple[float, int, Path]]:
    """The files of ours: when each was used last, its bytes and its path. Links are not followed,
    and what others put beside is left alone."""
    for place in kept.glob("??"):
        if place.is_symlink():
            continue
        for path in place.glob("*"):
            with contextlib.suppress(FileNotFoundError):
                there = path.lstat()
                ours = path.name.startswith((place.name, *_UNFINISHED))
                if ours and stat.S_ISREG(there.st_mode):
                    yield there.st_mtime, there.st_size, path


def _place(name: str) -> Path:
    return folder() / name[:2] / name


class _Written:
    """How much was written to each folder since its last clean-up, which happens at the start, too;
    and when each fault was logged, because a full disk fails for every poster of every page."""

    def __init__(self) -> None:
        self._since: dict[Path, int] = {}
        self._swept: set[Path] = set()
        self._logged: dict[tuple[Path, str], float] = {}
        self._one_at_a_time = threading.Lock()

    def is_first_time(self, kept: Path) -> bool:
        with self._one_at_a_time:
            first = kept not in self._swept
            self._swept.add(kept)
            return first

    def is_new_fault(self, kept: Path, fault: str) -> bool:
        with self._one_at_a_time:
            last = self._logged.get((kept, fault))
            news = last is None or last < time.monotonic() - _LOGGED_AGAIN
            if news:
                self._logged[kept, fault] = time.monotonic()
            return news

    def is_time_to_look(self, kept: Path, size: int) -> bool:
        with self._one_at_a_time:
            since = self._since.get(kept)
            full = since is None or since + size > largest() * _LOOKED
            self._since[kept] = 0 if full or since is None else since + size
            return full


_WRITTEN = _Written()
