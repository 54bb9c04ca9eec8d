"""What an item looks like: its clip or picture, its poster, and the routes that serve both by id.

An address carries the id of an item, never a path. The file is the one that `items.csv` names for
that id, inside the collection's folder or on a host that the operator allowed (`looks`). Whoever
knows an address sees the file: put a proxy in front of private media.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from math import inf, isnan, nan
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import numpy as np
import pandas as pd
from starlette.routing import Route

from dashboard.progress import report
from dashboard.storage.media.decoding.formats import clip_facts, content_type, picture
from dashboard.storage.media.decoding.posters import poster_of
from dashboard.storage.media.lookup import Lookup, Row, RowsById, rows_of, text_of
from dashboard.storage.media.probe import Look, content_of, look, open_named
from dashboard.storage.media.remote.blocks import RemoteFile
from dashboard.storage.media.remote.hosts import is_remote
from dashboard.storage.media.safe_open import Opened, Unusable
from dashboard.storage.media.serving import Content, answer
from dashboard.storage.media.spans import OVERRULED, USUAL, WHOLE, Part, is_told, part_of

CLIPS, POSTERS = "clips", "posters"
TEXT = "text"
SPAN_REVERSED = "its span does not end after its start"
SPAN_OUTSIDE = "its span lies outside its clip"
COLUMNS = ["item_id", "kind", "clip", "poster", "problem", "caption"]
COLUMNS += ["begin", "end", "length_decides", "cut", "beyond", "far"]
_BLOCK = 4_096  # items that are looked at before the next ones are
_SERVED_AS_IT_IS = 400_000  # bytes; larger posters are made smaller
_WIDE = 1280  # pixels
_POSTER_PATIENCE = 20.0  # seconds for all that is read of another host to make one


class HasMedia(Protocol):
    """What is needed of a collection."""

    @property
    def name(self) -> str: ...
    @property
    def folder(self) -> Path: ...
    @property
    def items(self) -> pd.DataFrame: ...
    @property
    def media_root(self) -> str: ...
    @property
    def posters_root(self) -> str: ...


def media(
    collection: HasMedia, item_ids: Iterable[str], rows: Mapping[str, Row] | None = None
) -> pd.DataFrame:
    """How each item is shown, one row each: its kind, addresses, caption, span, what is wrong.

    Columns item_id, kind (clip, picture, animation, text, or empty: not shown), clip and poster
    (addresses, empty: none; of what is not shown, where there is one, for keeping the file),
    problem (a word for the placeholder), caption, begin and end (seconds of the span that the item
    is of its file; NaN: all of it), length_decides (whether a file that is as long as the span is
    all of it: its length is not known here), cut (whether that is so and was noticed here), beyond
    (seconds by which the span ends after its file; 0: not, or not known), far (whether what its
    poster shows lies on another host). Costs a few small reads for each item;
    another host is never asked.

    rows: those of `rows_of_items`, where somebody has them.
    """
    wanted = list(dict.fromkeys(item_ids))
    rows = rows_of_items(collection, wanted) if rows is None else rows
    return pd.DataFrame(looks(collection, wanted, rows), columns=COLUMNS)


def looks(
    collection: HasMedia, item_ids: Iterable[str], rows: Mapping[str, Row]
) -> list[dict[str, Any]]:
    """The rows of `media`, each as a record."""
    return [_shown(collection, item_id, rows.get(item_id)) for item_id in item_ids]


def problems(collection: HasMedia) -> pd.DataFrame:
    """What `media` says is wrong with each item of a collection, a row each: item_id, problem, cut,
    beyond. A block of items at a time; those that name no file cost nothing."""
    items = collection.items
    found = pd.DataFrame({"item_id": items["item_id"], "problem": "", "cut": False, "beyond": 0.0})
    found = found.reset_index(drop=True).astype({"problem": "object"})
    nameless = (items["file"].fillna("") == "").to_numpy(dtype=bool)
    spoken = (items["kind"].fillna("") == TEXT).to_numpy(dtype=bool)
    none = look(collection.folder, collection.media_root, "").problem
    found.loc[nameless & ~spoken, "problem"] = none
    named = np.flatnonzero(~nameless)
    for start in range(0, len(named), _BLOCK):
        report("look at files", start, len(named))
        places = named[start : start + _BLOCK]
        rows = rows_of(items.iloc[places], "item_id")
        shown = pd.DataFrame([_shown(collection, name, row) for name, row in rows.items()])
        for column in ("problem", "cut", "beyond"):
            found.loc[places, column] = shown[column].to_numpy()
    return found


def poster(collection: HasMedia, item_id: str, row: Row | None = None) -> bytes:
    """The poster of an item as an encoded picture; raises Unusable with the word for it. row: of
    the item, where it is at hand."""
    row = row or rows_of_items(collection, [item_id]).get(item_id)
    if row is None:
        raise Unusable("not in the collection")
    with poster_content(collection, row).opened as opened:
        opened.file.seek(0)
        return opened.file.read()


def routes(open_collection: Callable[[str], HasMedia]) -> list[Route]:
    """The routes `/clips/{collection}` and `/posters/{collection}`, for `st.App(routes=…)`.

    A DataError of `open_collection` is a 404. What it opened is remembered for a few seconds: the
    posters of a page come in one burst.
    """
    lookup = Lookup(open_collection, lambda known: RowsById(known.items, "item_id"))

    def clip(name: str, item_id: str) -> Content:
        collection, item = lookup.find(name, item_id)
        return content_of(
            open_named(collection.folder, collection.media_root, text_of(item, "file"))
        )

    def clip_far(name: str, item_id: str) -> bool:
        return is_remote(text_of(lookup.find(name, item_id)[1], "file"))

    def poster_far(name: str, item_id: str) -> bool:
        return is_far(*lookup.find(name, item_id))

    def poster(name: str, item_id: str) -> Content:
        return poster_content(*lookup.find(name, item_id))

    return [
        Route(f"/{CLIPS}/{{collection}}", answer(clip, clip_far), name="clip"),
        Route(f"/{POSTERS}/{{collection}}", answer(poster, poster_far, at_once=2), name="poster"),
    ]


def _shown(collection: HasMedia, item_id: str, row: Row | None) -> dict[str, Any]:
    shown = {"item_id": item_id, "kind": "", "clip": "", "poster": "", "caption": "", "far": False}
    shown |= {"begin": nan, "end": nan, "length_decides": False, "cut": False, "beyond": 0.0}
    if row is None:
        return {**shown, "problem": "not in the collection"}
    if text_of(row, "kind") == TEXT and not text_of(row, "file"):
        return {**shown, **_spoken(row)}
    name = text_of(row, "file")
    file = look(collection.folder, collection.media_root, name, text_of(row, "kind"))
    part = part_of(row, _usual_cut(collection), file.seconds, file.frame)
    if file.kind == "clip" and (word := _no_span(part, file.seconds)):
        file = Look(problem=word)
    poster = _own_poster(collection, row)
    version = poster.version or (file.version if file.kind else "")
    return {
        **shown,
        "kind": "animation" if file.moves else file.kind,
        "clip": _address(CLIPS, collection, item_id, file.version) if file.version else "",
        "poster": _address(POSTERS, collection, item_id, version) if version else "",
        "problem": file.problem,
        "caption": text_of(row, "caption"),
        **part._asdict(),
        "cut": file.kind == "clip" and isnan(part.begin) and isnan(part.end) and is_told(row),
        "beyond": _beyond(part, file),
        "far": _lies_far(row, poster),
    }


def _usual_cut(collection: HasMedia) -> str:
    """Whether a collection says that its clips were cut to their spans beforehand."""
    return str(getattr(collection, OVERRULED, USUAL))


def _no_span(part: Part, seconds: float | None) -> str:
    """Why a span is no part of a clip that is so long, in a few words; empty: it is one.

    Comparisons with NaN, which is no limit, are false.
    """
    if part.end <= part.begin:
        return SPAN_REVERSED
    return SPAN_OUTSIDE if part.end <= 0 or part.begin >= (seconds or inf) else ""


def _beyond(part: Part, file: Look) -> float:
    """Seconds by which a span ends after its clip; 0: within a frame, or a length is not known."""
    if isnan(part.end) or not file.seconds:
        return 0.0
    beyond = part.end - file.seconds
    return beyond if beyond > (file.frame or 0.0) else 0.0


def is_far(collection: HasMedia, row: Row) -> bool:
    """Whether an item's poster, or what it is made from, lies on another host.

    Nothing is read of an item that names no other host.
    """
    named = any(is_remote(text_of(row, column)) for column in ("poster", "file"))
    return named and _lies_far(row, _own_poster(collection, row))


def _lies_far(row: Row, own_poster: Look) -> bool:
    return is_remote(text_of(row, "poster" if own_poster.version else "file"))


def _spoken(row: Row) -> dict[str, Any]:
    """How an item is shown that is a text: by its caption, which is all there is of it."""
    caption = text_of(row, "caption")
    return {"kind": TEXT, "caption": caption, "problem": ""}


def _own_poster(collection: HasMedia, row: Row) -> Look:
    """A look at the poster that comes with the collection; no version: none is usable."""
    name = text_of(row, "poster")
    found = look(collection.folder, collection.posters_root, name, "image") if name else Look()
    return found if found.kind == "picture" else Look()


def poster_content(collection: HasMedia, row: Row) -> Content:
    """The poster of an item: its own file if that is small, else made from it or from the clip."""
    own = bool(_own_poster(collection, row).version)
    if own:
        opened = open_named(collection.folder, collection.posters_root, text_of(row, "poster"))
        if opened.size <= _SERVED_AS_IT_IS and picture(opened.file).width <= _WIDE:
            return content_of(opened)
    else:
        opened = open_named(collection.folder, collection.media_root, text_of(row, "file"))
    if isinstance(opened.file, RemoteFile):
        opened.file.hurry(_POSTER_PATIENCE)
    with opened:
        part = WHOLE if own else part_of_open(collection, row, opened)
        made = poster_of(opened, part, collection.name)
    small = Opened(io.BytesIO(made), len(made), opened.modified, opened.version)
    return Content(small, "image/webp")


def part_of_open(collection: HasMedia, row: Row, opened: Opened) -> Part:
    """The part of an open file that an item is, be it on another host."""
    if not is_told(row):
        return WHOLE
    seconds = frame = None
    with suppress(Unusable):  # what is wrong with it is said when its poster is made
        type_ = content_type(opened.file)
        if not type_.startswith("image/"):
            _, seconds, frame = clip_facts(opened.file, type_)
    return part_of(row, _usual_cut(collection), seconds, frame)


def rows_of_items(collection: HasMedia, item_ids: list[str] | None = None) -> dict[str, Row]:
    """The rows of items by their ids: of all, or of some."""
    return rows_of(collection.items, "item_id", item_ids)


def _address(route: str, collection: HasMedia, item_id: str, version: str) -> str:
    """Without a leading slash, so that it works below a base path: all screens are at the root."""
    return f"{route}/{quote(collection.name, safe='')}?item={quote(item_id, safe='')}&v={version}"
