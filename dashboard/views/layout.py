"""The two columns of a screen, and the sections that plugins draw on it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard.plugins import load_sections
from dashboard.study.choices import Choices
from dashboard.study.study import Study

STYLE = """<style>
@media (max-width: 1023px) {
  .st-key-split [data-testid="stColumn"] { flex: 1 1 100%; min-width: 100%; }
  .st-key-split [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
}
</style>"""


def split_page(left: int, right: int) -> tuple[Any, Any]:
    """Return two columns of these relative widths, one below the other on narrow screens."""
    st.html(STYLE)
    with st.container(key="split"):
        first, second = st.columns([left, right], gap="medium")
    return first, second


def draw_sections(page: str, study: Study, choices: Choices) -> list[Any]:
    """Draw the sections of plugins on a page; return what they return."""
    return [draw(study, choices) for draw in load_sections(page, study.rules.name)]
