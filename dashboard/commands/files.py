"""Writes the files that a call names, each whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from dashboard.tables import DataError

WANTED = "a folder that exists and that you may write in"


def write_file(path: Path, text: str) -> int:
    """Write a text as UTF-8 and return its bytes. Raises DataError where that is not possible.

    A reader of the file, or a call that is interrupted, never meets half of it: a draft beside it
    takes its place. What is no file (a pipe, /dev/stdout) is written to as it is.
    """
    content = text.encode("utf-8", "replace")
    place = path.resolve()  # a link stays a link
    try:
        if place.exists() and not place.is_file():
            path.write_bytes(content)
        else:
            _replace(place, content)
    except OSError as error:
        found = f"a file that cannot be written ({error.strerror})"
        raise DataError(str(path), found, WANTED) from error
    return len(content)


def make_folder(folder: Path) -> None:
    """Make a folder for files, and those above it. Raises DataError where that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        found = f"a folder that cannot be made ({error.strerror})"
        raise DataError(str(folder), found, WANTED) from error


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        if path.exists():
            shutil.copymode(path, draft)
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
