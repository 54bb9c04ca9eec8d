"""Removed versions and collections: moved to `.trash` of the data folder, and back."""

from __future__ import annotations

import re
from itertools import chain, count
from pathlib import Path
from typing import Any

from dashboard.errors import DataError
from dashboard.storage.drafts import report_full_disk
from dashboard.storage.folders import MARKS, find_folder

TRASH = ".trash"
COLUMNS = ("what", "moved_to")
NUMBER = re.compile(r" \((\d+)\)$")


def list_files(folder: Path, version: str) -> list[Path]:
    """Return the folder and the files of a version; all of a collection for no version.

    Raises:
        DataError: If there is no such version, or the folder is no collection.
    """
    if not _is_collection(folder):
        raise DataError(folder.name, "no collection", f"a folder with {' or '.join(MARKS)}")
    if not version:
        return [folder]
    names = {
        path: path.stem if kind == "runs" else path.name
        for kind in ("models", "runs", "submissions")
        for path in sorted((folder / kind).glob("[!.]*"))
    }
    found = [path for path, name in names.items() if name == version]
    if not found:
        there = ", ".join(dict.fromkeys(names.values())) or "none"
        raise DataError(folder.name, f"no version {version!r}", f"one of {there}")
    return found


def remove(folder: Path, version: str) -> list[dict[str, Any]]:
    """Move a version, or all of a collection, to the trash; return a row a file or folder."""
    base, rows = folder.absolute().parent, []
    for path in list_files(folder.absolute(), version):
        inside = path.relative_to(base)
        with report_full_disk(folder.name):
            target = _find_free(base / TRASH / inside)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
        rows.append({"what": str(inside), "moved_to": str(target.relative_to(base))})
    return rows


def restore(name: str) -> list[dict[str, Any]]:
    """Move back what was removed of a collection, each file to where it was.

    Of what was removed several times under one name, the last is moved back.

    Raises:
        DataError: If there is nothing, or something new is in its place.
    """
    folder = find_folder(name).absolute()
    base, trash = folder.parent, folder.parent / TRASH
    kept = sorted(trash.glob("*"), key=_find_number)
    whole = [path for path in kept if _strip(path) == folder.name and _is_collection(path)]
    parts = sorted((trash / folder.name).glob("*/*"), key=_find_number)
    found = {path.parent / _strip(path): path for path in whole[-1:] or parts}
    if not found:
        names = ", ".join(dict.fromkeys(map(_strip, kept))) or "none"
        raise DataError(TRASH, f"nothing of {folder.name!r}", f"one of {names}")
    rows = []
    for plain, path in found.items():
        place = base / plain.relative_to(trash)
        if place.exists():
            inside = str(place.relative_to(base))
            do = "Rename or remove that first."
            raise DataError(inside, "something new in its place", "a free name", do=do)
        with report_full_disk(folder.name):
            place.parent.mkdir(parents=True, exist_ok=True)
            path.rename(place)
        what = str(path.relative_to(base))
        rows.append({"what": what, "moved_to": str(place.relative_to(base))})
    for each in sorted(trash.glob("**/"), reverse=True):
        if not any(each.iterdir()):
            each.rmdir()
    return rows


def _is_collection(path: Path) -> bool:
    return any((path / mark).is_file() for mark in MARKS)


def _find_number(path: Path) -> int:
    """Return how often something of this name had been removed before."""
    found = NUMBER.search(path.name)
    return int(found[1]) if found else 1


def _strip(path: Path) -> str:
    return NUMBER.sub("", path.name)


def _find_free(path: Path) -> Path:
    """Return a path, or the same with the first number that is free."""
    numbered = (path.with_name(f"{path.name} ({number})") for number in count(2))
    return next(each for each in chain([path], numbered) if not each.exists())
