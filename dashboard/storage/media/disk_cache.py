"""The folder of posters and fingerprints that were made once, and of pictures that were uploaded to
search with: bounded, what is used least goes.

Posters can be made again and pictures uploaded again, so it may be emptied at any time.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

LARGEST = 1_000  # megabytes, unless DASHBOARD_CACHE_MB says otherwise
_LEFT = 0.9  # of that much is kept when some has to go, so that it does not go file by file
_LOOKED = 0.05  # of that much may be written before the folder is looked through again
_USED_AGAIN = 3_600  # seconds after which a use is noted anew
_UNFINISHED = ("unfinished-", "tmp")  # how the names of files begin that are being written
_GIVEN_UP = 3_600  # seconds after which nobody writes such a file any more
_SAID_AGAIN = 600  # seconds after which the same fault is logged anew
_LOG = logging.getLogger(__name__)


def folder() -> Path:
    """Where posters are kept: `DASHBOARD_CACHE`, else a folder below the user's cache folder."""
    named = os.environ.get("DASHBOARD_CACHE")
    if named:
        return Path(named) / "posters"
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(user) / "search-quality-dashboard" / "posters"


def largest() -> int:
    """How many bytes the folder may hold: `DASHBOARD_CACHE_MB`, else LARGEST megabytes."""
    named = os.environ.get("DASHBOARD_CACHE_MB", "")
    return (int(named) if named.isdecimal() else LARGEST) * 1_000_000


def recall(name: str, whole: Callable[[bytes], bool] = bool) -> bytes | None:
    """What is kept under a name, which is noted as a use of it; None: nothing.

    whole: whether content is what was kept. What is not, such as a file that a full disk or a
    power cut left empty, is removed, so that it is made again.
    """
    path = _place(name)
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if not whole(content):
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        if path.stat().st_mtime < time.time() - _USED_AGAIN:
            os.utime(path)
    return content


def is_kept(name: str) -> bool:
    """Whether anything is kept under a name; nothing is read for it."""
    try:
        return _place(name).stat().st_size > 0
    except OSError:
        return False


def keep(name: str, content: bytes) -> bool:
    """Keep content under a name, whole or not at all; returns whether it is kept. Where the folder
    cannot be written it is logged."""
    path = _place(name)
    kept = path.parent.parent
    try:
        kept.mkdir(parents=True, exist_ok=True, mode=0o700)
        if _WRITTEN.is_first_time(kept):
            sweep(kept)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        _write(path, content)
        if _WRITTEN.is_time_to_look(kept, len(content)):
            sweep(kept)
            shrink(kept, largest())
    except OSError as error:
        if _WRITTEN.is_news(kept, str(error.strerror)):
            _LOG.warning("posters cannot be kept in the cache folder: %s", error.strerror)
        return False
    return path.is_file()  # where the folder may hold next to nothing, it is gone again


def _write(path: Path, content: bytes) -> None:
    """Write a file whole under its name; what a full disk took only a part of is removed."""
    descriptor, unfinished = tempfile.mkstemp(prefix=_UNFINISHED[0], dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(unfinished).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(unfinished).unlink()
        raise


def sweep(kept: Path) -> None:
    """Remove what was left behind by processes that ended while they wrote."""
    for written, _, path in _files(kept):
        if path.name.startswith(_UNFINISHED) and written < time.time() - _GIVEN_UP:
            with contextlib.suppress(OSError):
                path.unlink()


def shrink(kept: Path, most: int) -> int:
    """Remove what was used longest ago while more than `most` bytes are kept; returns the bytes
    that are left."""
    files = sorted(_files(kept))
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
    for path in kept.glob("*/*"):
        with contextlib.suppress(FileNotFoundError):
            facts = path.stat()
            yield facts.st_mtime, facts.st_size, path


def _place(name: str) -> Path:
    return folder() / name[:2] / name


class _Written:
    """How much was written since a folder was looked through; it is looked through at the start.
    And which fault was logged of it, and when: a full disk fails for every poster of every page."""

    def __init__(self) -> None:
        self._since: dict[Path, int] = {}
        self._swept: set[Path] = set()
        self._said: dict[tuple[Path, str], float] = {}
        self._one_at_a_time = threading.Lock()

    def is_first_time(self, kept: Path) -> bool:
        with self._one_at_a_time:
            first = kept not in self._swept
            self._swept.add(kept)
            return first

    def is_news(self, kept: Path, fault: str) -> bool:
        with self._one_at_a_time:
            last = self._said.get((kept, fault))
            news = last is None or last < time.monotonic() - _SAID_AGAIN
            if news:
                self._said[kept, fault] = time.monotonic()
            return news

    def is_time_to_look(self, kept: Path, size: int) -> bool:
        with self._one_at_a_time:
            since = self._since.get(kept)
            full = since is None or since + size > largest() * _LOOKED
            self._since[kept] = 0 if full or since is None else since + size
            return full


_WRITTEN = _Written()
