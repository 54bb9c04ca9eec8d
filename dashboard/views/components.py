"""Components: files of JavaScript and CSS, read once and registered under a name."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

PROGRAM = Path(__file__).parents[1]


def make_line(**options: Any) -> Any:
    """Return a container whose elements stand side by side."""
    return st.container(horizontal=True, vertical_alignment="center", gap="small", **options)


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
