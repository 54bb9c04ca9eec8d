"""Clips, pictures and posters, served by the ids of items from inside their collection's folder."""

import math
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import anyio.to_thread
from anyio import CapacityLimiter
from cachetools import LRUCache, cached
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from dashboard.errors import DataError
from dashboard.storage.collection import MAX_OPEN, Collection, open_named
from dashboard.storage.media import (
    FILES,
    REMOTE,
    Span,
    find_media,
    is_video,
    read_span,
    recognise_type,
)
from dashboard.storage.posters import make_poster
from dashboard.tables import Names, Row
from dashboard.texts import digest_text

CLIP, POSTER = FILES
COLUMNS = {"clip": (CLIP,), "poster": (POSTER, CLIP), "query": (("image", "media_root", "media"),)}
"""Columns that may name the file of a kind, each with the setting of its folder and its default; a
poster may be made of the clip. A query's picture is named in queries.csv."""
MAX_POSTER_BYTES = 64_000_000
"""Posters that are held in memory, of all collections."""
DECODERS = CapacityLimiter(2)
"""Posters that are made at once."""
LOOKUPS = CapacityLimiter(16)
"""Files that are looked for at once: a host that is silent must not hold up verdicts."""
HEADERS = {"Cache-Control": "private, max-age=31536000, immutable"}
"""An address names the state of its file, so what it answers never changes."""


class Shown(NamedTuple):
    """A file that an item names. A poster is to be made of it unless it is one."""

    path: Path
    type: str
    span: Span | None
    is_poster: bool


async def send_media(request: Request) -> Response:
    """Answer with a file, whole or in ranges, or with a poster; 404 if there is none."""
    names = request.path_params
    found = await anyio.to_thread.run_sync(
        _find_by_name, names["collection"], names["kind"], names["item"], limiter=LOOKUPS
    )
    if found is None:
        raise HTTPException(404)
    if names["kind"] == "clip" or found.is_poster:
        return FileResponse(found.path, media_type=found.type, headers=HEADERS)
    try:
        poster = await anyio.to_thread.run_sync(_make_poster, found, limiter=DECODERS)
    except DataError as error:
        raise HTTPException(404) from error
    return Response(poster, media_type="image/webp", headers=HEADERS)


def _find_by_name(collection: str, kind: str, item: str) -> Shown | None:
    if Path(collection).name != collection or kind not in COLUMNS:
        return None
    try:
        return _find(open_named(collection), kind, item)
    except (DataError, OSError):
        return None


def _find(collection: Collection, kind: str, item: str) -> Shown | None:
    table = _read_files(collection, kind)
    place = table.rows.get(item, -1)
    for (column, *_), (root, files) in zip(COLUMNS[kind], table.files, strict=True):
        path = find_media(collection.folder, root, files[place])
        if path and (media_type := recognise_type(path)):
            return Shown(path, media_type, table.spans.get(place), is_poster=column == "poster")
    return None


@cached(
    LRUCache(MAX_POSTER_BYTES, getsizeof=len),
    key=lambda found: (found, found.path.stat().st_mtime_ns, found.path.stat().st_size),
    lock=threading.Lock(),
)
def _make_poster(found: Shown) -> bytes:
    return make_poster(found.path, found.span)


def read_poster(collection: Collection, kind: str, item: str) -> tuple[str, bytes] | None:
    """Return the media type and content of a small picture; None if there is none.

    Args:
        collection: Collection that names its file.
        kind: "poster" for that of an item, "query" for that of a query's picture.
        item: Id of the item, or of the query.
    """
    found = _find(collection, kind, item)
    if found is None:
        return None
    if found.is_poster:
        return found.type, found.path.read_bytes()
    try:
        return "image/webp", _make_poster(found)
    except DataError:
        return None


def describe_media(collection: Collection, item: str) -> Row:
    """Return how an item is shown; texts are "" where nothing is there.

    Returns:
        caption; picture (address of a small one), file (address of the picture or clip), clip
        (whether it moves, by its name) and span: the seconds of it, None for all, an end of None
        for that of the clip.
    """
    table = _read_files(collection, "clip")
    place, (_, files) = table.rows.get(item, -1), table.files[0]
    span = table.spans.get(place)
    return {
        "caption": table.captions[place],
        "picture": address_media(collection, "poster", item),
        "file": address_media(collection, "clip", item),
        "clip": is_video(files[place]),
        "span": span and [span.start, span.end if math.isfinite(span.end) else None],
    }


def address_media(collection: Collection, kind: str, item: str) -> str:
    """Return the address of a file; "" if it is missing.

    The address ends with the state of the file and the span of the item, so that what it answers
    never changes.

    Args:
        collection: Collection that names it.
        kind: "clip" for the file of an item, "poster" for a small picture of it, "query" for a
            small picture of a query's.
        item: Id of the item, or of the query.
    """
    table = _read_files(collection, kind)
    place = table.rows.get(item, -1)
    version = ""
    for root, file in ((root, files[place]) for root, files in table.files if files[place]):
        if REMOTE.match(file):  # its state is not known before it is fetched
            version = digest_text(file)[:16]
            break
        with suppress(OSError, ValueError):  # it is missing, or its name holds NUL
            # a page asks for hundreds, and a Path takes five times as long
            state = os.stat(f"{collection.folder}/{root}/{file}")  # noqa: PTH116
            version = f"{state.st_mtime_ns:x}-{state.st_size:x}"
            if span := table.spans.get(place):
                version += f"-{span.start:g}-{span.end:g}"
            break
    return version and f"files/{table.name}/{kind}/{quote(item, safe='')}?v={version}"


class _Files(NamedTuple):
    """Columns of a table that name the files of a kind, read once for hundreds of cards.

    Attributes:
        name: Name of the collection in addresses.
        files: Folder in the collection's and name of the file of each row, for each column; names
            and captions end with "", that of what is not there.
        spans: Span of each row that has one.
    """

    name: str
    rows: Mapping[str, int]
    files: Sequence[tuple[str, Names]]
    spans: Mapping[int, Span | None]
    captions: Names


@lru_cache(maxsize=MAX_OPEN * len(COLUMNS))
def _read_files(collection: Collection, kind: str) -> _Files:
    table = collection.queries if kind == "query" else collection.items
    files = [
        (collection.settings.get(setting, default), (*table[column], ""))
        for column, setting, default in COLUMNS[kind]
    ]
    ends = enumerate(table.list_rows("span_start", "span_end"))
    spans = {place: read_span(table, place) for place, (_, *each) in ends if any(each)}
    return _Files(quote(collection.name), table.index, files, spans, (*table["caption"], ""))
