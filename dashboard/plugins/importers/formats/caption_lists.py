"""Captions in lines: Flickr30k's `FILE#K<TAB>caption`, and the same with blanks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from dashboard.plugins.importers.formats.media_folder import list_sidecars
from dashboard.plugins.importers.pieces import (
    Captions,
    Format,
    Items,
    Piece,
    match_lines,
    read_each,
)
from dashboard.plugins.importers.source import Source, find_folder_of

LINE = re.compile(r"(\S+\.\w{2,4})(#\d+)?[\t ]+(\S.*)")


def recognise(source: Source) -> list[str]:
    """Return text files whose first lines name a picture each."""
    beside = set(list_sidecars(source))
    found = [name for name in source.list_left(".token", ".txt") if name not in beside]
    return [name for name in found if _is_list(source.read_head(name), source)]


def _is_list(head: str, source: Source) -> bool:
    lines = [line for line in head.split("\n")[:-1] or [head] if line.strip()][:5]
    matches = [LINE.fullmatch(line.strip()) for line in lines]
    return bool(lines) and all(
        match and (match[2] or source.find_media(match[1])) and len(match[3].split()) > 1
        for match in matches
    )


def _read_list(source: Source, name: str) -> Iterator[Piece]:
    wanted = "FILE#K, a tab, the caption"
    found, odd = match_lines(source.read_text(name), LINE, name, wanted)
    yield from odd
    items, texts = [match[1] for match in found.values()], [match[3] for match in found.values()]
    ids = [match[1] + match[2] if match[2] else "" for match in found.values()]
    yield make_items(source, name, items)
    yield Captions(name, items, texts, ids)


def make_items(source: Source, file: str, names: Sequence[str]) -> Items:
    """Return the pictures that captions name, each once."""
    folder = find_folder_of(file)
    once = list(dict.fromkeys(names))
    return Items(file, once, {"file": [source.find_media(name, folder) for name in once]})


FORMAT = Format(
    "captions in lines",
    "Flickr30k's .token and lines like it",
    recognise,
    partial(read_each, _read_list),
)
