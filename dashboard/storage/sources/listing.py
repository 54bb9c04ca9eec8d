"""The files of a source: one look at each folder and file, and no link followed out of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dashboard.tables import DataError, counted, listed

MOST_FILES = 1_000_000
PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".bmp", ".tif", ".tiff")
CLIPS = (".mp4", ".mov", ".webm", ".mkv", ".avi", ".m4v")
LEAVES = "links that leave the source"
_EXAMPLES = 5


@dataclass(frozen=True, eq=False)
class Listing:
    """The files below a folder, as paths with `/` in order; skipped: why others were left out, with
    how many they are and a few of them."""

    root: Path
    files: tuple[str, ...]
    skipped: dict[str, tuple[int, list[str]]]

    def path(self, name: str) -> Path:
        """Where a file is."""
        return self.root / name

    def sentences(self) -> list[str]:
        """A sentence on each reason for which files were left out."""
        return [
            f"{counted(number, 'file')} left out: {why} ({listed(some)}"
            + (f" and {number - len(some):,} more)" if number > len(some) else ")")
            for why, (number, some) in self.skipped.items()
        ]


def list_source(source: Path) -> Listing:
    """The files of a folder, or the one file that a path names.

    Raises DataError where there is nothing, or more than MOST_FILES.
    """
    if source.is_file():
        return Listing(source.parent, (source.name,), {})
    if not source.is_dir():
        raise DataError(repr(str(source)[:200]), "no such folder or file", "a folder with data")
    files: list[str] = []
    skipped: dict[str, tuple[int, list[str]]] = {}

    def leave_out(name: str, why: str) -> None:
        number, some = skipped.get(why, (0, []))
        skipped[why] = number + 1, [*some, name] if len(some) < _EXAMPLES else some

    root, waiting = source.resolve(), [""]
    while waiting:
        folder = waiting.pop()
        for name, entry in _entries(root, folder, leave_out):
            try:
                why, is_folder = _state(entry, root)
            except OSError:
                why, is_folder = "not readable", False
            if is_folder and not why:
                waiting.append(name)
            elif why:
                leave_out(name, why)
            else:
                files.append(name)
            if len(files) > MOST_FILES:
                wanted = f"at most {MOST_FILES:,}; name a part of it"
                raise DataError(str(source), f"more than {MOST_FILES:,} files", wanted)
    return Listing(root, tuple(sorted(files)), skipped)


def _entries(
    root: Path, folder: str, leave_out: Callable[[str, str], None]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(root / folder) as entries:
            for entry in entries:
                if not entry.name.startswith("."):
                    yield f"{folder}/{entry.name}" if folder else entry.name, entry
    except OSError:
        leave_out(f"{folder}/", "a folder that cannot be read")


def _state(entry: os.DirEntry[str], root: Path) -> tuple[str, bool]:
    """Why an entry is left out (empty: it is not), and whether it is a folder."""
    if any(ord(letter) < 32 or 0xD800 <= ord(letter) < 0xE000 for letter in entry.name):
        return "a name with letters that cannot be shown", False
    if "\\" in entry.name:
        return "a name with a backslash", False
    if entry.is_symlink():
        target = Path(entry.path).resolve()
        if not target.is_relative_to(root):
            return LEAVES, False
        if target.is_dir():
            return "links to folders of the source, which are listed anyway", False
    if entry.is_dir():
        return "", True
    facts = entry.stat()
    if not stat.S_ISREG(facts.st_mode):
        return "not a file", False
    if not facts.st_size:
        return "empty", False
    return "" if os.access(entry.path, os.R_OK) else "not readable", False


def ending(name: str) -> str:
    """The extension of a path in small letters, without `.gz`."""
    return PurePosixPath(name.lower().removesuffix(".gz")).suffix


def is_media(name: str) -> bool:
    """Whether a file is a picture or a clip by its name."""
    return name.lower().endswith((*PICTURES, *CLIPS))


def kind_of(name: str) -> str:
    """The kind of a picture or clip; empty for another file."""
    if name.lower().endswith(CLIPS):
        return "video"
    return "image" if name.lower().endswith(PICTURES) else ""


def stem(name: str) -> str:
    """The name of a file without folders, `.gz` and extension."""
    return PurePosixPath(name.removesuffix(".gz")).stem


def parent(name: str) -> str:
    """The folder of a file in the source; empty at the top."""
    return name.rpartition("/")[0]
