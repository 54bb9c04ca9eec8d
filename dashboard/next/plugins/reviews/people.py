"""Who reviews: a name that is typed once in a browser, until a login says who it is."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.next.errors import ChoiceError
from dashboard.next.plugins.reviews.verdicts import MAX_NAME, check_text
from dashboard.next.views.address import escape_markdown

AUTHOR = "reviewer"
NOT_VERIFIED = "Names are not verified."


@cache
def _component() -> Any:
    script = Path(__file__).with_name("person.js").read_text(encoding="utf-8")
    return st.components.v2.component("reviews-person", js=script)


def find_author() -> str:
    """Return the name of who reviews, "" if it is not known."""
    return str(st.session_state.get(AUTHOR, ""))


def draw_author() -> None:
    """Draw the input of the name, which the browser remembers."""
    widget, memory = f"input-{AUTHOR}", f"memory-{AUTHOR}"

    def keep(text: str) -> None:
        try:
            check_text("name", text.strip())
            st.session_state[AUTHOR] = text.strip()[:MAX_NAME]
        except ChoiceError as error:
            st.session_state[AUTHOR] = ""
            st.toast(escape_markdown(str(error)))

    st.session_state[widget] = find_author()
    st.text_input(
        "Your name",
        key=widget,
        max_chars=MAX_NAME,
        placeholder="Your name",
        help=NOT_VERIFIED,
        label_visibility="collapsed",
        width=200,
        on_change=lambda: keep(st.session_state[widget]),
    )
    st.caption(NOT_VERIFIED, width="content")
    _component()(
        key=memory,
        data={"name": st.session_state.get(AUTHOR)},
        on_name_change=lambda: keep(str(st.session_state[memory]["name"] or "")),
        height=1,
    )
