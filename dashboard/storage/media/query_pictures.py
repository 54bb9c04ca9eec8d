"""What a query looks like: the item that it is about, or a picture of its own under the media.

The column `image` of the queries holds the id of an item or the name of a file. An address carries
the id of the query, never a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol
from urllib.parse import quote

import pandas as pd
from starlette.routing import Route

from dashboard.storage.media.item_media import HasMedia, media, poster_content, rows_of_items
from dashboard.storage.media.lookup import Lookup, Row, RowsById, rows_of, text_of
from dashboard.storage.media.probe import look
from dashboard.storage.media.remote.hosts import is_remote
from dashboard.storage.media.serving import Content, answer

PICTURES = "questions"
COLUMNS = ["query_id", "item_id", "picture", "text", "problem"]


class HasQueries(HasMedia, Protocol):
    """What is needed of a collection."""

    @property
    def queries(self) -> pd.DataFrame: ...


def pictures(collection: HasQueries, query_ids: Iterable[str]) -> pd.DataFrame:
    """What each query is asked with, one row each.

    Columns query_id, item_id (the item that it is about or whose picture it shows; empty: none),
    picture (an address; empty: none), text (of a text item that is asked with), problem (why a
    picture that is named is not shown).
    """
    wanted = list(dict.fromkeys(query_ids))
    rows = rows_of(collection.queries, "query_id", wanted)
    images = {text_of(row, "image").strip() for row in rows.values()} - {""}
    known = set(rows_of_items(collection, list(images))) if images else set()
    named = {query: item_of(rows[query], known) for query in wanted if query in rows}
    items = media(collection, [item for item in named.values() if item]).set_index("item_id")
    shown = [_shown(collection, query, rows[query], item, items) for query, item in named.items()]
    return pd.DataFrame(shown, columns=COLUMNS)


def item_of(row: Row, items: set[str]) -> str:
    """The item that a query is about, or whose picture it names; empty: neither."""
    about, image = text_of(row, "item_id"), text_of(row, "image").strip()
    return about or (image if image in items else "")


def _shown(
    collection: HasQueries, query_id: str, row: Row, item_id: str, items: pd.DataFrame
) -> dict[str, Any]:
    shown = {"query_id": query_id, "item_id": item_id, "picture": "", "text": "", "problem": ""}
    if item_id:
        item = items.loc[item_id]
        text = str(item["caption"]) if item["kind"] == "text" else ""
        return {**shown, "picture": item["poster"], "text": text, "problem": item["problem"]}
    file = text_of(row, "image").strip()
    if not file:
        return shown
    found = look(collection.folder, collection.media_root, file, "image")
    if found.kind != "picture":
        return {**shown, "problem": found.problem or "no picture"}
    place = f"{PICTURES}/{quote(collection.name, safe='')}"
    address = f"{place}?item={quote(query_id, safe='')}&v={found.version}"
    return {**shown, "picture": address}


def routes(open_collection: Callable[[str], HasQueries]) -> list[Route]:
    """The route `/questions/{collection}?item=QUERY`, for `st.App(routes=…)`; only for pictures of
    queries that are no items."""
    lookup = Lookup(open_collection, lambda known: RowsById(known.queries, "query_id"))

    def find(name: str, query_id: str) -> Content:
        collection, row = lookup.find(name, query_id)
        return poster_content(collection, {"file": text_of(row, "image").strip()})

    def far(name: str, query_id: str) -> bool:
        return is_remote(text_of(lookup.find(name, query_id)[1], "image").strip())

    return [Route(f"/{PICTURES}/{{collection}}", answer(find, far, at_once=2), name="question")]
