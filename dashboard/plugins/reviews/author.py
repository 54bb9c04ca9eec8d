"""The name of a person who reviews, typed once in a browser until a login gives it."""

from typing import Any
from urllib.parse import unquote

import streamlit as st

from dashboard.errors import ChoiceError
from dashboard.plugins.reviews.verdicts import MAX_NAME, check_text, clean_name
from dashboard.views.address import escape_markdown
from dashboard.views.components import load_component
from dashboard.views.people import find_reader

AUTHOR, COOKIE = "reviewer", "dashboard-reviewer"
"""Key of the session, and the browser's cookie, for the name that was typed."""
NOT_VERIFIED = "Names are not verified."


def load_answers(name: str, *files: str) -> Any:
    """Load the component of a script that sends what a person says, with files before it."""
    own = (f"plugins/reviews/{each}" for each in ("outbox.js", "answers.css", *files, f"{name}.js"))
    return load_component(f"reviews-{name}", "views/cards/elements.js", *own)


def draw_waiting() -> None:
    """Say on every page what waits in the browser to be saved, and send it."""
    load_answers("person")(key="waiting", data={})


def find_author() -> str:
    """Return the name of a login, or the one that was typed here before; "" if there is none."""
    person = find_reader()
    if person.is_verified:
        return clean_name(person.name)
    if AUTHOR not in st.session_state:
        _keep_name(unquote(st.context.cookies.get(COOKIE, "")))
    return str(st.session_state[AUTHOR])


def _keep_name(text: str) -> None:
    name = clean_name(text)
    try:
        check_text("author", name)
    except ChoiceError as error:
        name = ""
        st.toast(escape_markdown(error))
    st.session_state[AUTHOR] = name


def draw_author(has_focus: bool = False) -> None:
    """Draw the name of a login, or the input of a name, which the browser remembers."""
    if find_reader().is_verified:
        st.caption(escape_markdown(find_author()), width="content")
        return
    # a box of its own for each name: the browser never sends one back that it has not shown
    box = f"input-{AUTHOR}-{find_author()}"
    st.text_input(
        "Your name",
        find_author(),
        key=box,
        max_chars=MAX_NAME,
        placeholder="Your name",
        help=NOT_VERIFIED,
        label_visibility="collapsed",
        width=200,
        on_change=lambda: _keep_name(st.session_state[box]),
    )
    st.caption(NOT_VERIFIED, width="content")
    # it draws nothing, and lies above the choice of a part
    data = {"name": find_author(), "focus": has_focus}
    load_answers("person")(key="memory", data=data, width=1, height=1)
