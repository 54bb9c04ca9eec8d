"""Buttons that copy a view as Markdown, or its link."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

FOLDER = Path(__file__).parent


@cache
def _component() -> Any:
    return st.components.v2.component(
        "copy",
        css=(FOLDER / "copy.css").read_text(encoding="utf-8"),
        js=(FOLDER / "copy.js").read_text(encoding="utf-8"),
    )


def draw_copy_buttons(markdown: str) -> None:
    """Draw the buttons *Copy as Markdown* and *Copy link*."""
    buttons: list[dict[str, str]] = [
        {"label": "Copy as Markdown", "text": markdown},
        {"label": "Copy link"},
    ]
    _component()(key="copy", data={"buttons": buttons}, width="content")
