"""Components: files of JavaScript and CSS, read once and registered under a name; copy buttons."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

PROGRAM = Path(__file__).parents[1]


def make_line(**options: Any) -> Any:
    """Return a container whose elements stand side by side."""
    return st.container(horizontal=True, vertical_alignment="center", **options)


@cache
def load_component(name: str, *files: str) -> Any:
    """Return the component of a name.

    Args:
        name: Its own among all components.
        files: Parts of its module, .js, and of its style sheet, .css, in their order; paths from
            the folder of the program on.
    """
    js, css = (
        "\n".join((PROGRAM / each).read_text("utf-8") for each in files if each.endswith(kind))
        for kind in (".js", ".css")
    )
    return st.components.v2.component(name, js=js, css=css or None)


def draw_copy(key: str = "copy", markdown: str = "", **link: object) -> None:
    """Draw a button that copies a link, and one before it that copies Markdown if there is some.

    Args:
        key: Key of the component.
        markdown: The view as Markdown.
        link: Keys of copy.js that are not usual: text (else the page's address), now (whether it
            is copied at once), done (what the button says then).
    """
    buttons = [
        {"label": "Copy as Markdown", "text": markdown},
        {"label": "Copy link", **link},
    ]  # the first one is drawn if it has a text
    component = load_component(
        "copy", "views/copy/clipboard.js", "views/copy/copy.js", "views/copy/copy.css"
    )
    component(key=key, data={"buttons": buttons}, width="content")
