"""WebDataset: tar files whose members belong together by their names up to the first dot."""

import io
import json
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from dashboard.errors import DataError, list_names
from dashboard.plugins.importers.blocks import make_text
from dashboard.plugins.importers.pieces import (
    Captions,
    Format,
    Items,
    Pieces,
    Vectors,
    read_each,
)
from dashboard.plugins.importers.source import Source, find_stem
from dashboard.storage.media import EXTENSION

MAX_BYTES = 1 << 28
READ = {"json", "txt", "cls", "caption"}
Sample = dict[str, bytes]


def recognise(source: Source) -> list[str]:
    """Return tar files."""
    return source.list_left(".tar", ".tar.gz", ".tgz")


def read(source: Source, files: Sequence[str]) -> Pieces:
    """Yield the samples of each file, one at a time; nothing is unpacked to the disk."""
    yield from read_each(partial(_read_tar, seen={}), source, files)


def _read_tar(source: Source, name: str, seen: dict[str, str]) -> Pieces:
    endings: set[str] = set()
    for key, sample in _list_samples(source, name):
        endings.update(sample)
        item = key if seen.setdefault(key, name) == name else f"{find_stem(name)}/{key}"
        yield from _read_sample(source, name, item, sample)
    unread = [e for e in sorted(endings - READ) if not EXTENSION.search(f".{e}")]
    unread = [ending for ending in unread if not ending.endswith("npy")]
    if unread:
        said = f"members that end with {list_names(unread)}"
        source.say(name, said, "pictures, txt, cls, json and npy; left out")


def _list_samples(source: Source, name: str) -> Iterator[tuple[str, Sample]]:
    """Yield the name of each sample and its members by their endings.

    Raises:
        DataError: If the file is damaged; the samples before have been yielded by then.
    """
    key, sample = "", Sample()
    odd: list[str] = []
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
                if own != key and sample:
                    yield key, sample
                    sample = Sample()
                key, content = own, archive.extractfile(member)
                sample[ending.lower()] = content.read() if content else b""
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        found = f"a damaged tar file after {key!r} ({str(error)[:60]})"
        yield from [(key, sample)] if sample else []
        raise DataError(name, found, "a whole file", do="Copy it again.") from error
    if sample:
        yield key, sample
    what = f"members that are links, too large, or lead outside ({''.join(odd[:1])!r})"
    source.count(name, len(odd), what, "plain files; left out")


def _read_sample(source: Source, file: str, item: str, sample: Sample) -> Pieces:
    """Yield the item of a sample: its picture, class, further cells, caption and vectors."""
    pictures = [data for end, data in sample.items() if data and EXTENSION.search(f".{end}")]
    try:
        told = dict(json.loads(sample.get("json", b"{}")))
    except (ValueError, TypeError, RecursionError):
        told = {}
        source.say(file, f"no object of JSON in {item}.json", "one; left out")
    cells = {name: [make_text(each)] for name, each in told.items() if name not in ("file", "key")}
    text = make_text(sample.get("txt", sample.get("caption", b""))).strip()
    caption = text or "".join(cells.pop("caption", ()))
    if "cls" in sample:
        cells["cls"] = [make_text(sample["cls"]).strip()]
    yield Items(file, [item], cells, ["cls"] if "cls" in sample else (), pictures[:1])
    if caption:
        yield Captions(file, [(item, " ".join(caption.split()), "")])
    for ending, data in sample.items():
        if ending.endswith("npy"):
            version = ending.removesuffix("npy").strip(".") or "v1"
            try:
                row = np.load(io.BytesIO(data), allow_pickle=False).reshape(1, -1)
                yield Vectors(file, version, "items", row, [item])
            except (ValueError, EOFError, OSError):
                source.say(file, f"no array in the vector of {item}", "one; left out")


FORMAT = Format("WebDataset", recognise, read)
