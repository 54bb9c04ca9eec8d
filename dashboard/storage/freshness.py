"""Whether a collection's files are still those that were read, by names, sizes and times."""

from __future__ import annotations

import hashlib
from pathlib import Path

from dashboard.storage.collection import find

PLACES = (".", "models/*", "runs")


def stamp(name: str) -> str:
    """A stamp that changes when a file that enters numbers is added, removed or written again.

    Media are not looked at: they are read anew when they are shown. Raises DataError as `find`.
    """
    folder = find(name)
    files = sorted(file for place in PLACES for file in _files(folder, place))
    seen = hashlib.sha256(str(folder.resolve()).encode())
    for file in files:
        state = file.stat()
        seen.update(f"{file.name}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return seen.hexdigest()


def _files(folder: Path, place: str) -> list[Path]:
    parents = [folder] if place == "." else list(folder.glob(place))
    return [
        file for parent in parents if parent.is_dir() for file in parent.iterdir() if file.is_file()
    ]
