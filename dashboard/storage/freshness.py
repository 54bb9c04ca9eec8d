"""Whether a collection's files are still those that were read, by names, sizes and times."""

from __future__ import annotations

import hashlib
from pathlib import Path

PLACES = ("*", "models/**/*", "runs/*")


def stamp(folder: Path) -> str:
    """A stamp that changes when a file of a collection's folder that enters numbers is added,
    removed or written again.

    Media are not looked at: they are read anew when they are shown.
    """
    files = {file for place in PLACES for file in folder.glob(place) if file.is_file()}
    seen = hashlib.sha256(str(folder.resolve()).encode())
    for file in sorted(files):
        state = file.stat()
        place = file.relative_to(folder)
        seen.update(f"{place}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return seen.hexdigest()
