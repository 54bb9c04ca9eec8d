"""Opens the file that a collection names, wherever it lies, and takes a look at what it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dashboard.storage.media import remote
from dashboard.storage.media.formats import content_type, odd_codec, picture
from dashboard.storage.media.inside import Opened, Unusable, open_inside
from dashboard.storage.media.remote.hosts import is_remote
from dashboard.storage.media.serving import Content


@dataclass(frozen=True)
class Look:
    """What a look at a file found: its kind (empty: not shown), what is wrong, its version."""

    kind: str = ""
    problem: str = ""
    version: str = ""


def open_named(folder: Path, root: str, name: str) -> Opened:
    """Open the file `name` below `folder/root`, or on an allowed host; raises Unusable."""
    return remote.open_remote(name) if is_remote(name) else open_inside(folder, root, name)


def look(folder: Path, root: str, name: str, kind: str = "") -> Look:
    """What is known of a file that a collection names. No other host is asked for it: a file there
    is taken for what its `kind` (image, video) or its name says."""
    try:
        if is_remote(name):
            return Look(remote.promise(name, kind), "", remote.version_of(name))
        with open_inside(folder, root, name) as opened:
            type_, problem = checked(opened)
    except Unusable as word:
        return Look(problem=str(word))
    return Look("picture" if type_.startswith("image/") else "clip", problem, opened.version)


def checked(opened: Opened) -> tuple[str, str]:
    """The media type of an open file, and what is odd about its codec; raises Unusable."""
    type_ = content_type(opened.file)
    if type_.startswith("image/"):
        picture(opened.file)
        return type_, ""
    codec = odd_codec(opened.file, type_)
    return type_, f"codec {codec}" if codec else ""


def content_of(opened: Opened) -> Content:
    """An open file with its media type; closes it and raises Unusable where it has none."""
    try:
        return Content(opened, checked(opened)[0])
    except Unusable:
        opened.close()
        raise
