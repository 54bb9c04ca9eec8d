"""WebDataset: tar files whose members belong together by their names up to the first dot."""

from __future__ import annotations

import io
import json
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from dashboard.errors import DataError, Finding, count_odd, list_names
from dashboard.plugins.importers.blocks import make_text
from dashboard.plugins.importers.pieces import Captions, Format, Items, Piece, Vectors, read_each
from dashboard.plugins.importers.source import Source, find_stem
from dashboard.storage.media import EXTENSION

MAX_BYTES = 1 << 28
Sample = dict[str, bytes]


def recognise(source: Source) -> list[str]:
    """Return tar files."""
    return source.list_left(".tar", ".tar.gz", ".tgz")


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the samples of each file, one at a time; nothing is unpacked to the disk."""
    yield from read_each(partial(_read_tar, seen={}), source, files)


def _read_tar(source: Source, name: str, seen: dict[str, str]) -> Iterator[Piece]:
    key, sample = "", Sample()
    odd: list[str] = []
    endings: set[str] = set()
    broken: DataError | None = None
    try:
        with tarfile.open(source.find_path(name), "r|*") as archive:
            for member in archive:
                parts = [part for part in member.name.split("/") if part not in ("", ".", "..")]
                is_odd = ".." in member.name or member.size > MAX_BYTES or not parts
                if not member.isfile() or is_odd:
                    odd += [] if member.isdir() else [member.name]
                    continue
                stem, _, ending = parts[-1].partition(".")
                own = "/".join([*parts[:-1], stem])
                if own != key:
                    yield from _read_sample(name, key, sample, seen)
                    key, sample = own, Sample()
                content = archive.extractfile(member)
                sample[ending.lower()] = content.read() if content else b""
                endings.add(ending.lower())
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        found = f"a damaged tar file after {key!r} ({str(error)[:60]})"
        broken = DataError(name, found, "a whole file", do="Copy it again.")
    yield from _read_sample(name, key, sample, seen)
    if broken:
        raise broken
    unread = sorted(endings - {"json", "txt", "cls", "caption"})
    unread = [end for end in unread if not end.endswith("npy") and not EXTENSION.search(f".{end}")]
    if unread:
        said = f"members that end with {list_names(unread)}"
        yield Finding("warning", name, None, said, "pictures, txt, cls, json and npy; left out")
    what = f"members that are links, too large, or lead outside ({''.join(odd[:1])!r})"
    yield from count_odd(name, len(odd), what, "plain files; left out")


def _read_sample(file: str, key: str, sample: Sample, seen: dict[str, str]) -> Iterator[Piece]:
    """Yield the item of a sample: its picture, class, further cells, caption and vectors."""
    if not sample:
        return
    item = key if seen.setdefault(key, file) == file else f"{find_stem(file)}/{key}"
    picture = next((data for end, data in sample.items() if EXTENSION.search(f".{end}")), None)
    told: dict[str, Any] = {}
    if "json" in sample:
        try:
            told = json.loads(sample["json"])
        except (ValueError, RecursionError):
            found = f"no JSON in {key}.json"
            yield Finding("warning", file, None, found, "an object; left out")
    every = told.items() if isinstance(told, dict) else ()
    cells = {name: [make_text(value)] for name, value in every if name not in ("file", "key")}
    caption = sample.get("txt", sample.get("caption", b"")).decode("utf-8", "replace").strip()
    caption = caption or "".join(cells.pop("caption", ()))
    if "cls" in sample:
        cells["cls"] = [sample["cls"].decode("utf-8", "replace").strip()]
    inside = [picture] if picture else ()
    yield Items(file, [item], cells, ["cls"] if "cls" in cells else (), inside)
    if caption:
        yield Captions(file, [item], [" ".join(caption.split())])
    for ending, data in sample.items():
        if ending.endswith("npy"):
            version = ending.removesuffix("npy").strip(".") or "v1"
            yield from _read_vector(file, item, version, data)


def _read_vector(file: str, item: str, version: str, data: bytes) -> Iterator[Piece]:
    try:
        row = np.load(io.BytesIO(data), allow_pickle=False).reshape(1, -1)
        yield Vectors(file, version, "items", row, [item])
    except (ValueError, EOFError, OSError):
        yield Finding("warning", file, None, f"no array in the vector of {item}", "one; left out")


FORMAT = Format("WebDataset", "tar files of samples", recognise, read)
