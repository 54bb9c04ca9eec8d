"""Buttons that copy a view as Markdown, or its link."""

from pathlib import Path
from typing import Any

from dashboard.views.components import load_component

FOLDER = Path(__file__).parent


def _component() -> Any:
    return load_component("copy", *(FOLDER / f for f in ("clipboard.js", "copy.js", "copy.css")))


def draw_copy_buttons(markdown: str) -> None:
    """Draw the buttons *Copy as Markdown* and *Copy link*."""
    buttons = [
        {"label": "Copy as Markdown", "text": markdown},
        {"label": "Copy link"},
    ]
    _component()(key="copy", data={"buttons": buttons}, width="content")


def draw_copy_link(link: str | None = None, key: str = "copy", is_new: bool = False) -> None:
    """Draw a button that copies a link, for None the page's; of a new one it is pressed already."""
    data = {"buttons": [{"label": "Copy link", "text": link, "now": is_new}]}
    _component()(key=key, data=data, width="content")
