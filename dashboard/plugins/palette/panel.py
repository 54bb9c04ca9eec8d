"""The component that opens with Ctrl K, and the route that names the queries of a collection."""

from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import anyio.to_thread
import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from dashboard.errors import DataError
from dashboard.storage.collection import open_collection
from dashboard.storage.folders import find_data, list_collections
from dashboard.storage.settings import read_toml
from dashboard.study.choices import resolve
from dashboard.views import cards
from dashboard.views.address import COLLECTION, read_address
from dashboard.views.components import load_component
from dashboard.views.frame import make_pages

FOLDER = Path(__file__).parent
KINDS = ("item", "text")
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
    given, pages = read_address(), make_pages()
    steps = [["First steps", text, page, {}] for text, page in FIRST_STEPS if page in pages]
    screens = [["Screen", page.title, name, {}] for name, page in pages.items()]
    others = [
        ["Collection", _find_title(name), "overview", {COLLECTION: name}, name]
        for name in list_collections()
        if name != given.get(COLLECTION)
    ]
    component = load_component(
        "palette",
        (cards.FOLDER / "elements.js", FOLDER / "palette.js"),
        (FOLDER / "palette.css",),
    )
    data = {"entries": steps + screens + others, "collection": quote(given.get(COLLECTION, ""))}
    go = component(key="palette", data=data, on_go_change=lambda: None).go
    if go and go["page"] in pages:
        chosen = {str(key): str(value) for key, value in go["values"].items()}
        kept = {} if COLLECTION in chosen else given
        st.switch_page(pages[go["page"]], query_params=kept | chosen)


def _find_title(name: str) -> str:
    with suppress(DataError):  # its own page says what is wrong
        return str(read_toml(find_data() / name / "collection.toml", name).get("title") or name)
    return name


async def list_queries(request: Request) -> JSONResponse:
    """Answer with the id and the name of each query of a collection; 404 if it is unknown."""
    name = request.path_params["collection"]
    if name not in list_collections():
        return JSONResponse({"error": "There is no such collection."}, 404)
    try:
        collection = await anyio.to_thread.run_sync(lambda: open_collection(find_data() / name))
    except DataError as error:
        return JSONResponse({"error": str(error)}, 409)
    kind = resolve(collection, {})["queries"]
    named = zip(collection.queries.ids, collection.query_names, collection.is_text, strict=True)
    shown = [[id, name] for id, name, is_text in named if kind in ("all", KINDS[bool(is_text)])]
    return JSONResponse(shown[:MAX_NAMED])


ROUTES = (Route("/palette/{collection}", list_queries),)
