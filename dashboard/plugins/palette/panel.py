"""The component that opens with Ctrl K and goes where a person chooses."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import streamlit as st

from dashboard.storage.folders import list_collections
from dashboard.views import cards
from dashboard.views.address import COLLECTION, read_address
from dashboard.views.components import load_component
from dashboard.views.frame import make_pages

FOLDER = Path(__file__).parent
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
        ["Collection", name, "overview", {COLLECTION: name}]
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
