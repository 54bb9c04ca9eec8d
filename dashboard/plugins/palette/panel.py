"""The component that opens with Ctrl K, and the route that names collections and queries."""

from contextlib import suppress
from urllib.parse import quote

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from dashboard.errors import ChoiceError, DataError
from dashboard.retrieval.encoders import list_sides
from dashboard.storage.collection import open_named
from dashboard.storage.settings import find_setting, list_collections
from dashboard.study.choices import resolve
from dashboard.study.study import open_study
from dashboard.views.address import COLLECTION, read_address
from dashboard.views.components import load_component
from dashboard.views.frame import find_pages

MAX_NAMED = 5_000
"""Queries that are sent."""
FIRST_STEPS = (
    ("Is the candidate better?", "overview"),
    ("Which queries got worse, and why?", "compare"),
    ("Look at the worst query", "query"),
    ("Search with a text, an item or a picture", "search"),
    ("Add a version", "add"),
    ("Bring a collection of your own", "collections"),
)
"""What a new user wants, and the page where it is."""


def draw_palette() -> None:
    """Draw the palette, closed, and go to the page that was chosen in it."""
    given = read_address()
    pages = find_pages()
    steps = [["First steps", text, page] for text, page in FIRST_STEPS if page in pages]
    screens = [["Screen", page.title, name] for name, page in pages.items()]
    data = {"entries": steps + screens, "collection": quote(given.get(COLLECTION, ""))}
    files = ("views/cards/elements.js", "plugins/palette/palette.js", "plugins/palette/palette.css")
    go = load_component("palette", *files)(key="palette", data=data, on_go_change=lambda: None).go
    if go and go["page"] in pages:
        kept = {} if COLLECTION in go["values"] else given
        st.switch_page(pages[go["page"]], query_params=kept | go["values"])


def list_entries(request: Request) -> JSONResponse:
    """Answer with ids and titles of other collections and of a collection's queries.

    One that is broken has none; `typed` says whether a text can be typed to search it with.
    """
    name = request.path_params["collection"]
    names = list_collections()
    queries, typed = [], False
    others = [[each, str(find_setting(each, "title") or each)] for each in names if each != name]
    with suppress(DataError, ChoiceError):  # the pages of the collection say what is wrong
        if name in names:
            collection = open_named(name)
            typed = "text" in list_sides(collection.versions.values())
            asked = open_study(collection, resolve(collection, {}))
            titles = map(collection.query_names.__getitem__, asked.queries.tolist())
            queries = [*zip(asked.query_ids, titles, strict=True)][:MAX_NAMED]
    return JSONResponse({"collections": others, "queries": queries, "typed": typed})


ROUTES = (Route("/palette/{collection:path}", list_entries),)
