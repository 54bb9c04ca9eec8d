"""What an item looks like: its clip or picture, its poster, and the routes that serve both by id.

An address carries the id of an item, never a path. The file is the one that `items.csv` names for
that id, opened by `inside.open_inside`. Whoever knows an address sees the file: put a proxy in
front of private media.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import pandas as pd
from starlette.routing import Route

from dashboard.storage.media.formats import content_type, odd_codec, picture
from dashboard.storage.media.inside import Opened, Unusable, open_inside
from dashboard.storage.media.posters import poster_of
from dashboard.storage.media.serving import Content, answer

CLIPS, POSTERS = "clips", "posters"
_SERVED_AS_IT_IS = 400_000  # bytes; larger posters are made smaller


class HasMedia(Protocol):
    """What is needed of a collection."""

    @property
    def name(self) -> str: ...
    @property
    def folder(self) -> Path: ...
    @property
    def items(self) -> pd.DataFrame: ...


def media(collection: HasMedia, item_ids: Iterable[str]) -> pd.DataFrame:
    """How each item is shown, one row each: its kind, addresses, caption, span, and what is wrong.

    Columns item_id, kind (clip, picture or empty), clip and poster (addresses, empty: none),
    problem (a word for the placeholder), caption, begin and end (seconds of the span that the item
    is of its file; NaN: all of it). Costs a few small reads for each item.
    """
    wanted = list(dict.fromkeys(item_ids))
    rows = _rows(collection, wanted)
    return pd.DataFrame([_shown(collection, item_id, rows.get(item_id)) for item_id in wanted])


def media_url(collection: HasMedia, item_id: str) -> str:
    """The address of an item's clip or picture, relative to the app's root; empty: not shown."""
    return str(media(collection, [item_id])["clip"].iloc[0])


def poster_url(collection: HasMedia, item_id: str) -> str:
    """The address of an item's poster, relative to the app's root; empty: there can be none."""
    return str(media(collection, [item_id])["poster"].iloc[0])


def problem(collection: HasMedia, item_id: str) -> str | None:
    """Why an item's clip or picture is not shown, in a word or two; None: nothing is known."""
    return media(collection, [item_id])["problem"].iloc[0] or None


def routes(open_collection: Callable[[str], HasMedia]) -> list[Route]:
    """The routes `/clips/{collection}` and `/posters/{collection}`, for `st.App(routes=…)`.

    `open_collection` is called for each request, so it should remember what it opened; a DataError
    of it is a 404.
    """
    found: dict[str, tuple[HasMedia, dict[str, dict[str, Any]]]] = {}

    def row(name: str, item_id: str) -> tuple[HasMedia, dict[str, Any]]:
        collection = open_collection(name)
        if name not in found or found[name][0] is not collection:
            found[name] = (collection, _rows(collection))
        return collection, found[name][1][item_id]

    def clip(name: str, item_id: str) -> Content:
        collection, item = row(name, item_id)
        opened = open_inside(collection.folder, _root(collection, "media"), item["file"])
        return _closed_on_error(opened, lambda: Content(opened, content_type(opened.file)))

    def poster(name: str, item_id: str) -> Content:
        return _poster(*row(name, item_id))

    return [
        Route(f"/{CLIPS}/{{collection}}", answer(clip), name="clip"),
        Route(f"/{POSTERS}/{{collection}}", answer(poster, at_once=2), name="poster"),
    ]


def _shown(collection: HasMedia, item_id: str, row: dict[str, Any] | None) -> dict[str, Any]:
    shown = {
        "item_id": item_id,
        "kind": "",
        "clip": "",
        "poster": "",
        "problem": "" if row else "not in the collection",
        "caption": _text(row, "caption"),
        "begin": _second(row, "span_start"),
        "end": _second(row, "span_end"),
    }
    if row is None:
        return shown
    try:
        opened = open_inside(collection.folder, _root(collection, "media"), _text(row, "file"))
    except Unusable as word:
        shown["problem"] = str(word)
    else:
        shown |= _closed_on_error(opened, lambda: _looked_at(opened))
        opened.close()
        if shown["kind"]:
            shown["clip"] = _address(CLIPS, collection, item_id, opened.version)
    version = _poster_version(collection, row) or (shown["clip"] and opened.version)
    if version:
        shown["poster"] = _address(POSTERS, collection, item_id, version)
    return shown


def _looked_at(opened: Opened) -> dict[str, str]:
    """The kind of an open file and what is wrong with it; an odd codec is still offered."""
    try:
        type_ = content_type(opened.file)
        if type_.startswith("image/"):
            picture(opened.file)
            return {"kind": "picture"}
        codec = odd_codec(opened.file, type_)
    except Unusable as word:
        return {"problem": str(word)}
    return {"kind": "clip", "problem": f"codec {codec}" if codec else ""}


def _poster_version(collection: HasMedia, row: dict[str, Any]) -> str:
    """The version of the poster file that comes with the collection; empty: none is usable."""
    if not _text(row, "poster"):
        return ""
    try:
        opened = open_inside(collection.folder, _root(collection, "posters"), row["poster"])
    except Unusable:
        return ""
    problem_found = _closed_on_error(opened, lambda: _looked_at(opened))
    opened.close()
    return opened.version if problem_found.get("kind") == "picture" else ""


def _poster(collection: HasMedia, row: dict[str, Any]) -> Content:
    """The poster of an item: its own file if that is small, else made from it or from the clip."""
    if _poster_version(collection, row):
        opened = open_inside(collection.folder, _root(collection, "posters"), row["poster"])
        if opened.size <= _SERVED_AS_IT_IS and picture(opened.file).width <= 1280:
            return Content(opened, content_type(opened.file))
        second = 0.0
    else:
        opened = open_inside(collection.folder, _root(collection, "media"), _text(row, "file"))
        second = _second(row, "span_start")
    with opened.file:
        made = poster_of(opened, second if second == second else 0.0)
    small = Opened(io.BytesIO(made), len(made), opened.modified, opened.version)
    return Content(small, "image/webp")


def _closed_on_error(opened: Opened, look: Callable[[], Any]) -> Any:
    try:
        return look()
    except BaseException:
        opened.close()
        raise


def _rows(collection: HasMedia, item_ids: list[str] | None = None) -> dict[str, dict[str, Any]]:
    items = collection.items
    if item_ids is not None:
        items = items[items["item_id"].isin(item_ids)]
    return {row["item_id"]: row for row in items.to_dict("records")}


def _root(collection: HasMedia, which: str) -> str:
    return str(getattr(collection, f"{which}_root", which))


def _text(row: dict[str, Any] | None, column: str) -> str:
    value = (row or {}).get(column, "")
    return value if isinstance(value, str) else ""


def _second(row: dict[str, Any] | None, column: str) -> float:
    return float(pd.to_numeric((row or {}).get(column), errors="coerce"))


def _address(route: str, collection: HasMedia, item_id: str, version: str) -> str:
    """Without a leading slash, so that it works below a base path: all screens are at the root."""
    return f"{route}/{quote(collection.name, safe='')}?item={quote(item_id, safe='')}&v={version}"
