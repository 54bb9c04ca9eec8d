"""A picture that a reader uploads to search with, and what it should find."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.experiment.collection import media
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.texts import plain

_TAKEN, _REFUSED = "pictures-taken", "picture-refused"


HELP = (
    "The picture is stored on this server, so everyone with the link to this search sees it. "
    "Metadata such as place, time and camera is removed. When the cache folder is full, pictures "
    "that were not used for a long time are deleted, and their links stop working."
)


def field(title: str, beside: bool = False) -> None:
    """Where a picture is dropped or chosen. What was taken is in the address from then on.

    beside: it stands in one line with other ways to search."""
    taken = st.session_state.setdefault(_TAKEN, 0)
    widget = f"choice-picture-{taken}"  # an empty field again once a picture was taken
    st.file_uploader(
        title,
        type=list(media.UPLOADED_KINDS),
        key=widget,
        on_change=_take,
        args=(widget,),
        help=None if beside else HELP,
        label_visibility="collapsed" if beside else "visible",
        width=130 if beside else "stretch",
    )
    if beside:
        st.caption("or drop one", help=HELP, width="content")
    refused = st.session_state.pop(_REFUSED, "")
    if refused:
        st.error(plain(refused, None))


def _take(widget: str) -> None:
    given = st.session_state[widget]
    if not isinstance(given, UploadedFile):  # taken before and told again, or taken out by hand
        return
    st.session_state[_TAKEN] += 1
    content = given.getvalue()
    _forget(given.file_id)
    try:
        fingerprint = media.save_upload(content, given.name)
    except ValueError as problem:
        st.session_state[_REFUSED] = str(problem)
        return
    bar.go(picture=fingerprint, text="", item="", clip="", beside="")


def _forget(file_id: str) -> None:
    """Remove a file as it was sent, with all that it says of place and camera, from the memory of
    Streamlit, which would hold it until the reader leaves."""
    run = get_script_run_ctx()
    if run is not None and isinstance(run.uploaded_file_mgr, MemoryUploadedFileManager):
        run.uploaded_file_mgr.remove_file(run.session_id, file_id)


def meaning(view: View) -> None:
    """What an uploaded picture should find: a text that decides ticks and crosses, no more."""
    st.session_state["choice-meant"] = view.text
    st.text_input(
        "Target description",
        key="choice-meant",
        max_chars=1_000,
        help="Keywords in this text decide which results are relevant. The search itself uses the "
        "picture only.",
        placeholder="what the picture should find, such as: red car at night",
        on_change=lambda: bar.go(text=st.session_state["choice-meant"].strip()),
    )


def leave() -> None:
    """Search without a picture again."""
    st.button(
        "Remove picture",
        icon=":material/close:",
        on_click=lambda: bar.go(picture="", text="", clip="", beside=""),
    )
