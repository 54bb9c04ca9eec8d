"""A fingerprint of our sources, for what they compute and the cache folder keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def fingerprint(rooms: Iterable[str], root: Path = ROOT) -> str:
    """The sha256 of the sources in some rooms. Take it when the program starts: files that are
    replaced later are not what runs."""
    seen = hashlib.sha256()
    for path in sorted(each for room in rooms for each in sources(root / room)):
        content = path.read_bytes()
        seen.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\n".encode())
        seen.update(content)
    return seen.hexdigest()


def sources(room: Path) -> list[Path]:
    """The files of a room, or a file that is one."""
    if room.is_file():
        return [room]
    return [path for path in room.rglob("*") if path.suffix in (".py", ".toml")]
