"""Whether a collection's files are still those that were read, by names, sizes and times."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

PLACES = {"": False, "models": True, "runs": False}
"""Folders of a collection whose files enter numbers, and whether those of folders below do, too."""


def stamp(folder: Path) -> str:
    """A stamp that changes when a file of a collection's folder that enters numbers is added,
    removed or written again.

    Media are not looked at: they are read anew when they are shown. Every screen asks dozens of
    times, so files are listed once and not one by one.
    """
    found = [
        (entry.path, entry.stat())
        for place, below in PLACES.items()
        for entry in _files(str(folder / place), below)
    ]
    seen = hashlib.sha256(str(folder.resolve()).encode())
    for path, state in sorted(found, key=lambda file: file[0]):
        seen.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode(errors="replace"))
    return seen.hexdigest()


def _files(folder: str, below: bool) -> Iterator[os.DirEntry[str]]:
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.is_file():
            yield entry
        elif below and entry.is_dir(follow_symlinks=False):
            yield from _files(entry.path, below)
