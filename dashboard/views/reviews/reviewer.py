"""The name that reviews are saved under: what a login vouches for, or what a reviewer types."""

from __future__ import annotations

from urllib.parse import unquote

import streamlit as st

from dashboard.experiment.reviews.people import LOGIN, actor, signed
from dashboard.experiment.reviews.reviewing import LONGEST_NAME
from dashboard.views.texts import plain

NAME = "reviewer-name"
COOKIE = "search-quality-reviewer"
"""What review mode keeps the name in; the same name as in `live.js`."""
UNCHECKED = "Nobody checks this name: whoever can open this page can use any."


def reviewer(*, judging: bool = False) -> str:
    """Draw who reviews, with a field for the name where no login gives it; the name.

    judging: a given name takes the field's place, which would go on to take the keys that judge.
    """
    who = actor()
    if who.checked:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(plain(f"You are {who.name}, {who.role}.", None), width="content")
            if who.identity == LOGIN and st.user.get("is_logged_in"):
                st.button("Log out", on_click=st.logout)
        return who.name
    if NAME not in st.session_state:
        st.session_state[NAME] = _remembered()
    st.session_state[NAME] = st.session_state[NAME]  # stays when another page is open
    if judging and name():
        with st.container(horizontal=True, vertical_alignment="center", key="reviewer"):
            st.caption(plain(f"You review as {name()}. {UNCHECKED}", None), width="content")
            st.button("Change name", type="tertiary", on_click=_forget)
        return name()
    st.text_input("Your name", key=NAME, max_chars=LONGEST_NAME, help=UNCHECKED, width=280)
    st.caption(UNCHECKED)
    return name()


def _remembered() -> str:
    """The name that was typed in review mode in this browser; empty where there is none."""
    typed = unquote(str(st.context.cookies.get(COOKIE, ""))).strip()
    return typed if typed.isprintable() and len(typed) <= LONGEST_NAME else ""


def _forget() -> None:
    st.session_state[NAME] = ""


def name() -> str:
    """The name, for callbacks."""
    return signed(str(st.session_state.get(NAME, "")).strip())
