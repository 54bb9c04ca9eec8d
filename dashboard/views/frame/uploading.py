"""A picture that a reader uploads to search with, and what it should find."""

from __future__ import annotations

import streamlit as st

from dashboard.storage.media.inside import Unusable
from dashboard.storage.pictures import KINDS, keep
from dashboard.views import address
from dashboard.views.texts import plain
from dashboard.views.view import View

_TAKEN, _REFUSED = "pictures-taken", "picture-refused"


def field(view: View, title: str) -> None:
    """Where a picture is dropped or chosen. What was taken is in the address from then on."""
    taken = st.session_state.setdefault(_TAKEN, 0)
    widget = f"choice-picture-{taken}"  # an empty field again once a picture was taken
    st.file_uploader(
        title,
        type=list(KINDS),
        key=widget,
        on_change=_take,
        args=(widget,),
        help="It stays on this machine, so that the link to this search shows it; whoever has the "
        "link sees it. What its file says beside the pixels (place, time, camera) is not kept.",
    )
    refused = st.session_state.pop(_REFUSED, "")
    if refused:
        st.error(plain(refused, None))


def _take(widget: str) -> None:
    given = st.session_state[widget]
    if given is None:
        return
    st.session_state[_TAKEN] += 1
    try:
        fingerprint = keep(given.getvalue())
    except Unusable as word:
        kinds = ", ".join(KINDS)
        st.session_state[_REFUSED] = (
            f"{given.name}: {word}. A whole picture is wanted ({kinds}), of at most 50 million "
            "pixels."
        )
        return
    address.go(picture=fingerprint, text="", item="", clip="", beside="")


def meaning(view: View) -> None:
    """What an uploaded picture should find: a text that decides ticks and crosses, no more."""
    st.session_state["choice-meant"] = view.text
    st.text_input(
        "What your picture should find",
        key="choice-meant",
        max_chars=1_000,
        help="The keywords of these words decide what is relevant. The versions search with the "
        "picture alone.",
        placeholder="in words, to see ticks and crosses",
        on_change=lambda: address.go(text=st.session_state["choice-meant"].strip()),
    )


def leave() -> None:
    """Search without a picture again."""
    st.button(
        "Without the picture",
        icon=":material/close:",
        on_click=lambda: address.go(picture="", text="", clip="", beside=""),
    )
