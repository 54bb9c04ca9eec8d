"""WebDataset: tar files whose members belong together by their names up to the first dot."""

import io
import json
import re
import tarfile
from collections.abc import Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter

import numpy as np

from dashboard.errors import explain_errors
from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Pieces,
    Vectors,
    list_lines,
    make_text,
    read_each,
)
from dashboard.plugins.importers.source import BROKEN, Ordered, Source, find_stem
from dashboard.storage.media import EXTENSION

ENDINGS = (".tar", ".tar.gz", ".tgz")
MAX_BYTES = 1 << 28
READ = re.compile(rf"(npy|\.(json|txt|cls|caption))$|{EXTENSION.pattern}", re.I)
"""Endings of members that are read."""


def _read_tar(source: Source, name: str) -> Pieces:
    """Yield the samples of a file, one at a time; nothing is unpacked to the disk.

    Each is an item: its picture, class, further cells, caption and vectors.
    """
    unread: Ordered = {}
    for key, members in groupby(_list_members(source, name), itemgetter(0)):
        sample = {ending: content for _, ending, content in members}
        unread |= {each: None for each in sample if not READ.search(f".{each}")}
        item = key if source.named.setdefault(key, name) == name else f"{find_stem(name)}/{key}"
        pictures = [data for end, data in sample.items() if data and EXTENSION.search(f".{end}")]
        labels = [ending for ending in sample if "cls" in ending.split(".")]
        kinds = {end.rpartition(".")[2]: data for end, data in sample.items() if end not in labels}
        try:
            told = dict(json.loads(kinds.get("json", b"{}")))
        except BROKEN:
            told = {}
            source.say(name, f"no object of JSON in {item}.json", "one; left out")
        cells = {key: [make_text(own)] for key, own in told.items() if key not in ("file", "key")}
        caption = make_text(kinds.get("txt", kinds.get("caption", b""))) or " ".join(
            "".join(cells.pop("caption", ())).split()
        )
        for ending in labels:
            cells["cls"] = [make_text(sample[ending])]
        yield Items(name, [item], cells, ["cls"] if labels else [], pictures[:1])
        yield list_lines(name, item, caption)
        for ending, data in sample.items():
            if ending.endswith("npy"):
                version = ending.removesuffix("npy").strip(".") or "v1"
                try:
                    row = np.load(io.BytesIO(data), allow_pickle=False).reshape(1, -1)
                    yield Vectors(name, version, "items", row, [item])
                except (ValueError, EOFError, OSError):
                    source.say(name, f"no array in the vector of {item}", "one; left out")
    source.count(
        name, list(unread), "other endings of members", "pictures, txt, cls, json and npy; left out"
    )


def _list_members(source: Source, name: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield the name of the sample, the ending and the content of each member.

    Raises:
        DataError: If the file is damaged; the members before have been yielded by then.
    """
    odd = []
    damaged = explain_errors(name, "a damaged tar file", "a whole file", "Copy it again.")
    with damaged, tarfile.open(source.find_path(name), "r|*") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            folder, _, file = member.name.removeprefix("./").rpartition("/")
            if content is None or ".." in member.name or member.size > MAX_BYTES:
                odd += [] if member.isdir() else [member.name]
                continue
            stem, _, ending = file.partition(".")
            yield f"{folder}/{stem}".strip("/"), ending.lower(), content.read()
    source.count(
        name, odd, "members that are links, too large, or lead outside", "plain files; left out"
    )


FORMAT = Format(
    "WebDataset", lambda source: source.list_left(*ENDINGS), partial(read_each, _read_tar)
)
