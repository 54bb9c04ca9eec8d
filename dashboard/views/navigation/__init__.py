"""The links to the screens; each keeps what the address says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dashboard.views.components import load_component

FOLDER = Path(__file__).parent


def _component() -> Any:
    return load_component("navigation", (FOLDER / "navigation.js",), (FOLDER / "navigation.css",))


def draw_links(pages: Mapping[str, Any], current: str, given: Mapping[str, str]) -> None:
    """Draw a link to each page, and go to the one that was clicked.

    Args:
        pages: Pages of `st.Page` by name.
        current: Name of the page that is shown.
        given: Keys and values that every link keeps.
    """
    keys = f"?{urlencode(given)}" if given else ""
    links = [
        {"name": name, "title": page.title, "href": f"./{page.url_path}{keys}"}
        for name, page in pages.items()
    ]
    data = {"links": links, "current": current}
    clicked = _component()(key="navigation", data=data, on_go_change=lambda: None).go
    if clicked in pages and clicked != current:
        st.switch_page(pages[clicked], query_params=dict(given))
