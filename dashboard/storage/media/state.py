"""Whether the pictures of items are still those that were looked at; none is opened for it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from dashboard.storage.media.lookup import Row, text_of
from dashboard.storage.media.remote.hosts import is_remote


def places(folder: Path, media_root: str, posters_root: str, rows: Iterable[Row]) -> list[Path]:
    """Where the pictures of items would lie: for each row its `file` and its `poster`, each below
    its root in the collection's folder.

    What lies on another host, or would lie outside its root, is never shown and left out.
    """
    roots = {"poster": posters_root, "file": media_root}
    usable = {column: root for column, root in roots.items() if not root or _is_inside(root)}
    named = [
        (folder / root, text_of(row, column).replace("\\", "/"))
        for row in rows
        for column, root in usable.items()
    ]
    return [root / name for root, name in named if _is_inside(name)]


def state(paths: Iterable[Path]) -> str:
    """A stamp that changes when one of the files is added, removed, replaced, written again, or may
    be read by others, by sizes and times: a look at the folder for each."""
    return hashlib.sha256("\n".join(map(_state, paths)).encode()).hexdigest()


def _is_inside(name: str) -> bool:
    plain = bool(name.strip()) and not is_remote(name) and not name.startswith("/")
    return plain and ".." not in name.split("/")


def _state(path: Path) -> str:
    try:
        seen = path.stat()
    except (OSError, ValueError):  # a name that no file can have is none, too
        return "none"
    return f"{seen.st_dev} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"
