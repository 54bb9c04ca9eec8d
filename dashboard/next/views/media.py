"""Clips and posters, served by id from inside their collection's folder."""

from __future__ import annotations

from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from dashboard.next.commands.options import find_folder
from dashboard.next.errors import DataError
from dashboard.next.storage.collection import Collection, open_collection
from dashboard.next.storage.media import find_media

COLUMNS = {"clip": ("file", "media_root", "media"), "poster": ("poster", "posters_root", "posters")}
"""Column of the items, setting of the folder and its default, by kind."""


async def send_media(request: Request) -> Response:
    """Answer with a file, whole or in ranges; 404 if there is none."""
    names = request.path_params
    path = await run_in_threadpool(_find, names["collection"], names["kind"], names["item"])
    if path is None:
        raise HTTPException(404)
    return FileResponse(path)


def _find(collection: str, kind: str, item: str) -> str | None:
    if "/" in collection or kind not in COLUMNS:
        return None
    try:
        opened = open_collection(find_folder(collection))
    except DataError:
        return None
    column, setting, default = COLUMNS[kind]
    place = opened.items.index.get(item)
    if place is None:
        return None
    root = opened.folder / str(opened.settings.get(setting, default))
    path = find_media(root, opened.items[column][place])
    return None if path is None else str(path)


def address_media(collection: Collection, kind: str, item: str) -> str:
    """Return the address of an item's clip or poster; "" if it names none."""
    place = collection.items.index.get(item)
    if place is None or not collection.items[COLUMNS[kind][0]][place]:
        return ""
    return f"files/{quote(collection.name)}/{kind}/{quote(item, safe='')}"
