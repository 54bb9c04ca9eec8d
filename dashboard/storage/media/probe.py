"""Opens the file that a collection names, wherever it lies, and takes a look at what it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cachetools import LRUCache

from dashboard.storage.media.decoding.formats import (
    Unshown,
    clip_facts,
    content_type,
    moves,
    picture,
)
from dashboard.storage.media.remote import opening
from dashboard.storage.media.remote.hosts import is_remote
from dashboard.storage.media.remote.shared_cache import SharedCache
from dashboard.storage.media.safe_open import Opened, Unusable, open_inside
from dashboard.storage.media.serving import DOWNLOAD, Content
from dashboard.storage.media.state import state


@dataclass(frozen=True)
class Look:
    """What a look at a file found.

    kind: picture or clip; empty: not shown. problem: what is wrong. version: empty where there is
    nothing to send. moves: of a picture, whether it is an animation. seconds, frame: how long a
    clip and one frame of it are; None: not known.
    """

    kind: str = ""
    problem: str = ""
    version: str = ""
    moves: bool = False
    seconds: float | None = None
    frame: float | None = None


def open_named(folder: Path, root: str, name: str) -> Opened:
    """Open the file `name` below `folder/root`, or on an allowed host; raises Unusable."""
    return opening.open_remote(name) if is_remote(name) else open_inside(folder, root, name)


def look(folder: Path, root: str, name: str, kind: str = "") -> Look:
    """What is known of a file that a collection names, read anew where the file has changed. No
    other host is asked for it: a file there is taken for what its `kind` (image, video) or its name
    says."""
    try:
        if is_remote(name):
            return Look(opening.promise(name, kind), "", opening.version_of(name))
    except Unusable as word:
        return Look(problem=str(word))
    stamp = state([folder / root.replace("\\", "/") / name.replace("\\", "/")])
    file = (str(folder), root, name)
    known = _LOOKS.get(file)
    if known is not None and known[0] == stamp:
        return known[1]
    found = _look_inside(folder, root, name)
    _LOOKS.put(file, (stamp, found))
    return found


_LOOKS: SharedCache[tuple[str, Look]] = SharedCache(LRUCache(20_000))
"""For each file what a look found, and the stamp that the file had before it."""


def _look_inside(folder: Path, root: str, name: str) -> Look:
    try:
        with open_inside(folder, root, name) as opened:
            return _looked(opened)
    except Unusable as word:
        return Look(problem=str(word))


def _looked(opened: Opened) -> Look:
    try:
        if not content_type(opened.file).startswith("image/"):
            return _clip(opened)
        moving = moves(picture(opened.file))
    except Unshown as word:
        return Look("", str(word), opened.version)
    return Look("picture", "", opened.version, moving)


def _clip(opened: Opened) -> Look:
    codec, seconds, frame = clip_facts(opened.file, content_type(opened.file))
    problem = f"codec {codec}" if codec else ""
    return Look("clip", problem, opened.version, seconds=seconds, frame=frame)


def content_of(opened: Opened) -> Content:
    """An open file as it is sent; closes it and raises Unusable where it is not."""
    try:
        type_ = content_type(opened.file)
        if type_.startswith("image/"):
            picture(opened.file)
        else:
            clip_facts(opened.file, type_)
    except Unshown as other:
        return Content(opened, DOWNLOAD, other.ending)
    except Unusable:
        opened.close()
        raise
    return Content(opened, type_)
