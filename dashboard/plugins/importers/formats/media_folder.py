"""Folders of pictures and clips; a folder a class; a text beside a picture is its caption."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath

from dashboard.errors import list_names
from dashboard.plugins.importers.deciding import SPLITS
from dashboard.plugins.importers.pieces import Captions, Format, Items, Piece, read_each
from dashboard.plugins.importers.source import Source, find_folder_of, find_kind
from dashboard.storage.media import EXTENSION

GENERAL = frozenset(
    {"images", "image", "imgs", "img", "pictures", "photos", "videos", "video", "clips", "media",
     "data", "files", "jpg", "jpeg", "png", "posters", "gifs", "raw", "all", "dataset"}
)  # fmt: skip
"""Names of folders that are no classes."""


def recognise(source: Source) -> list[str]:
    """Return pictures and clips, and texts beside them."""
    media = [name for name in source.left if EXTENSION.search(name)]
    return [*media, *list_sidecars(source)]


def list_sidecars(source: Source) -> list[str]:
    """Return the files left that have the name of a picture but for the ending."""
    stems = {EXTENSION.sub("", name) for name in source.media}
    return [
        name
        for name in source.list_left(".txt", ".caption", ".json")
        if name.rpartition(".")[0] in stems
    ]


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield an item a file, with its folders as classes, and captions."""
    media = [name for name in files if EXTENSION.search(name)]
    clips = {EXTENSION.sub("", name) for name in media if find_kind(name) == "video"}
    posters = {
        EXTENSION.sub("", name): name
        for name in media
        if find_kind(name) == "image" and EXTENSION.sub("", name) in clips
    }
    shown = [name for name in media if name not in set(posters.values())]
    columns = {
        "file": shown,
        "poster": [posters.get(EXTENSION.sub("", name), "") for name in shown],
    }
    folders_of = list(dict.fromkeys(map(find_folder_of, shown)))
    label = list_names([f"{each or source.root.name}/" for each in folders_of], 2)
    folders = list_class_folders(shown)
    labels = ["class"] if list(folders) == ["class"] else []
    yield Items(label, shown, columns | folders, labels)
    named = {EXTENSION.sub("", name): name for name in shown}
    texts = {name for name in files if name.endswith(".txt")}
    doubled = {f"{name[:-4]}.json" for name in texts}
    beside = [n for n in files if not EXTENSION.search(n) and n not in doubled]
    yield from read_each(partial(_read_sidecar, named=named), source, beside)


def _read_sidecar(source: Source, name: str, named: Mapping[str, str]) -> Iterator[Piece]:
    """Yield the caption that a file beside a picture holds; img2dataset writes it as JSON, too."""
    stem, _, ending = name.rpartition(".")
    found = source.read_json(name) if ending == "json" else source.read_text(name)
    text = found.get("caption") if isinstance(found, dict) else found
    if isinstance(text, str) and stem in named and text.strip():
        yield Captions(name, [named[stem]], [" ".join(text.split())])


def list_class_folders(files: Sequence[str]) -> dict[str, list[str]]:
    """Return the classes that folders name: `class`, or `folder_1` and on where they are nested."""
    own = [
        [
            part
            for part in PurePosixPath(name).parts[:-1]
            if part.lower() not in GENERAL
            and part.lower().rstrip("0123456789") not in SPLITS
            and not re.fullmatch(r"\d{5,}", part)  # img2dataset's shards
        ]
        for name in files
    ]
    levels = max(map(len, own), default=0)
    columns = [[parts[at] if at < len(parts) else "" for parts in own] for at in range(levels)]
    several = [column for column in columns if len(set(column)) > 1]
    if len(several) == 1:
        return {"class": several[0]}
    return {f"folder_{at}": column for at, column in enumerate(several, start=1)}


def make_labelled(
    file: str, labels: Iterable[tuple[str, Iterable[str]]], column: str = "label"
) -> Items:
    """Return items by the names of their files, with the classes that a format declares."""
    rows = [(name, list(dict.fromkeys(filter(None, map(str, own))))) for name, own in labels]
    cells = [json.dumps(own, ensure_ascii=False) if own else "" for _, own in rows]
    return Items(file, [name for name, _ in rows], {column: cells}, [column])


FORMAT = Format("pictures and clips", "folders of pictures and clips, imagefolder", recognise, read)
