"""Opens a file that a collection names: inside the collection's folder, and nothing outside it.

The author of a collection is not trusted here: a name in `items.csv` may be absolute, climb with
`..`, be a URL, or be a link that leaves. Every refusal is an Unusable with a word short enough for
a placeholder, never a path.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

OUTSIDE = "outside the collection's folder"
LARGEST = 2_000_000_000  # bytes


class Unusable(Exception):
    """A media file that is not shown; its text is the word for the placeholder."""


class NotMade(Unusable):
    """A poster that cannot be made of a file that is there."""


@dataclass(frozen=True)
class Opened:
    """A regular file, open for reading; size in bytes; the version changes when it is replaced.

    modified: seconds since 1970, None where nobody says. known_as: what stands for its content
    where that is known without reading it.
    """

    file: BinaryIO
    size: int
    modified: float | None
    version: str
    known_as: str = ""

    def close(self) -> None:
        """Close the file; a `with` block does it too."""
        self.file.close()

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_inside(folder: Path, root: str, name: str) -> Opened:
    """Open the file `name` below `folder/root`; raises Unusable. The caller closes it.

    The check is made on the open descriptor as well as on the name, so that a link that is swapped
    in between cannot lead outside. Hard links cannot be told apart: whoever runs the app owns the
    folder.
    """
    try:
        base = folder.joinpath(*_parts(root) if root not in ("", ".") else ()).resolve(strict=True)
        if not base.is_relative_to(folder.resolve()):
            raise Unusable(OUTSIDE)
        target = _below(base, base.joinpath(*_parts(name)).resolve(strict=True))
        descriptor = os.open(target, _FLAGS)
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links is a RuntimeError
        denied = isinstance(error, PermissionError)
        raise Unusable("not readable" if denied else "missing") from error
    try:
        return _checked(descriptor, base)
    except BaseException:
        os.close(descriptor)
        raise


_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a named pipe must not make us wait for its writer
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def _checked(descriptor: int, base: Path) -> Opened:
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        raise Unusable("not a file")
    try:
        # the kernel's word, in which no link is left: nothing that is followed once more
        opened = Path(f"/proc/self/fd/{descriptor}").readlink()
    except FileNotFoundError:  # no such folder on this system
        pass
    else:
        _below(base, opened)
    if facts.st_size == 0:
        raise Unusable("empty")
    if facts.st_size > LARGEST:
        raise Unusable("too large (over 2 GB)")
    identity = f"{facts.st_mtime_ns}-{facts.st_size}-{facts.st_ino}".encode()
    version = hashlib.blake2s(identity, digest_size=6).hexdigest()
    return Opened(os.fdopen(descriptor, "rb"), facts.st_size, facts.st_mtime, version)


def _below(base: Path, target: Path) -> Path:
    if not target.is_relative_to(base):
        raise Unusable(OUTSIDE)
    if any(part.startswith(".") for part in target.relative_to(base).parts):
        raise Unusable("hidden")
    return target


def _parts(name: str) -> list[str]:
    """The folders and the file of a plain relative name; `\\` is read as `/`."""
    if not name.strip():
        raise Unusable("no file named")
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
        raise Unusable("not a file name")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name) and not name.lower().startswith("file:"):
        raise Unusable("remote media are off")
    plain = name.replace("\\", "/")
    if plain.startswith("/") or re.match(r"[A-Za-z]:|file:", plain, re.IGNORECASE):
        raise Unusable(OUTSIDE)
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Unusable(OUTSIDE)
    if not parts or any(part.startswith(".") for part in parts):
        raise Unusable("hidden")
    return parts
