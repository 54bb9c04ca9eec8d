"""The name of a person who reviews, typed once in a browser until a login gives it."""

from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.errors import ChoiceError
from dashboard.plugins.reviews.verdicts import MAX_NAME, check_text, clean_name
from dashboard.views import cards
from dashboard.views.address import escape_markdown, restore_address
from dashboard.views.components import load_component
from dashboard.views.people import find_reader

FOLDER = Path(__file__).parent
AUTHOR = "reviewer"
NOT_VERIFIED = "Names are not verified."
SENDING = (cards.FOLDER / "elements.js", FOLDER / "outbox.js")
"""First parts of a module that sends what a person says."""


def _component() -> Any:
    files = (*SENDING, FOLDER / "person.js", FOLDER / "answers.css")
    return load_component("reviews-person", *files)


def load_answers(name: str) -> Any:
    """Load the component of a script and a style sheet that asks for answers and sends them."""
    files = ("answers.js", f"{name}.js", "answers.css", f"{name}.css")
    return load_component(f"reviews-{name}", *SENDING, *(FOLDER / each for each in files))


def draw_waiting() -> None:
    """Say on every page what waits in the browser to be saved, and send it."""
    _component()(key="waiting", data={})


def find_author() -> str:
    """Return the name of a login, or the one that was typed; "" if there is none."""
    person = find_reader()
    return clean_name(person.name if person.is_verified else st.session_state.get(AUTHOR, ""))


def explain_lack(role: str) -> str:
    """Return why the reader may not do what a role may; "" if they may."""
    try:
        find_reader().require(role)
    except ChoiceError as error:
        return str(error)
    return ""


def _name_box() -> str:
    """Return the key of the input of the name, an own one for each that it shows."""
    return f"input-{AUTHOR}-{find_author()}"


def draw_author() -> None:
    """Draw the name of a login, or the input of a name, which the browser remembers."""
    if find_reader().is_verified:
        st.caption(escape_markdown(find_author()), width="content")
        return
    box = _name_box()
    memory = f"memory-{AUTHOR}"

    def keep(text: str) -> None:
        try:
            check_text("author", clean_name(text))
            st.session_state[AUTHOR] = clean_name(text)
        except ChoiceError as error:
            st.session_state[AUTHOR] = ""
            st.toast(escape_markdown(error))

    def read() -> None:
        if box == _name_box():  # what an older box holds may come late
            keep(st.session_state[box])

    def remember() -> None:
        if name := st.session_state[memory]["name"]:
            keep(str(name))
            restore_address()

    st.text_input(
        "Your name",
        find_author(),
        key=box,
        max_chars=MAX_NAME,
        placeholder="Your name",
        help=NOT_VERIFIED,
        label_visibility="collapsed",
        width=200,
        on_change=read,
    )
    st.caption(NOT_VERIFIED, width="content")
    _component()(
        key=memory,
        data={"name": st.session_state.get(AUTHOR)},
        on_name_change=remember,
        width=1,  # it draws nothing, and lies above the choice of a part
        height=1,
    )
