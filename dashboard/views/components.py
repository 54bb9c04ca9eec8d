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


def draw_copy(
    link: str | None = None,
    key: str = "copy",
    is_new: bool = False,
    markdown: str = "",
    done: str = "Copied",
) -> None:
    """Draw a button that copies a link, and one before it that copies Markdown if there is some.

    Args:
        link: None for the page's.
        key: Key of the component.
        is_new: Whether the link is copied at once.
        markdown: The view as Markdown.
        done: What the button says when the link is copied.
    """
    buttons = [
        {"label": "Copy as Markdown", "text": markdown},
        {"label": "Copy link", "text": link, "now": is_new, "done": done},
    ]  # the first one is drawn if it has a text
    component = load_component(
        "copy", "views/copy/clipboard.js", "views/copy/copy.js", "views/copy/copy.css"
    )
    component(key=key, data={"buttons": buttons}, width="content")
