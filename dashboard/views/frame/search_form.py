"""What the screen Search lets a reader search with: what cannot work is not offered."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment.collection import collections
from dashboard.experiment.collection.collections import Searchable
from dashboard.experiment.collection.names import with_id
from dashboard.views.address import bar
from dashboard.views.address.choices import NOTHING_OPEN, View
from dashboard.views.cards.rows import row_versions
from dashboard.views.frame import picture_upload
from dashboard.views.frame.widgets import found_among
from dashboard.views.labels import distinct_labels
from dashboard.views.texts import any_of, plain, shown


def search_form(view: View) -> bool:
    """Where a text is typed, an item chosen or a picture uploaded to search with; whether what the
    link asks for can be searched with, and something is asked for at all."""
    collection = collections.opened(view.collection)
    words, which = collections.words(collection), row_versions(view)
    can = collections.searched_with(collection, tuple(which))
    lost = bool(view.text) and not can.encode and view.text not in can.texts
    if view.picture is None:  # the link's is not kept any more
        picture_upload.field("Upload a picture")
        return False
    if view.picture:
        return _with_picture(view, can, which)
    called = "an item" if words.item == "a text" else words.item  # a text is what is typed
    kind = called.partition(" ")[2]
    ways = ["text"] * bool(can.encode)
    ways += ["stored text"] * (not can.encode and bool(can.texts)) + [kind] * bool(len(can.items))
    ways += ["uploaded picture" if "picture" in ways else "picture"] * bool(can.see)
    if not can.encode:
        _say_unable(view, can, which, lost)
    with st.container(horizontal=True, vertical_alignment="center", key="searched"):
        if can.encode:
            _text(view, can, words.example, called)
        elif can.texts:
            _stored_text(view, can)
        if len(can.items):
            with st.popover(kind.capitalize(), icon=":material/image_search:"):
                _item(view, can, words.item)
        if can.see:
            picture_upload.field("Upload a picture", beside=bool(ways[1:]))
    if ways and not view.text and not view.item:
        st.info(plain(f"Search by {any_of(ways)}."))
    return bool(view.text or view.item) and not lost


def _with_picture(view: View, can: Searchable, names: Sequence[str]) -> bool:
    """What can be said of an uploaded picture, and another one in its place; whether some version
    can be searched with it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if PROTOCOLS[view.protocol].of_keywords and collections.opened(view.collection).groups:
            picture_upload.meaning(view)
        picture_upload.leave()
    picture_upload.field("Upload another picture")
    if not can.see:
        st.warning(plain(f"Your picture was not searched: {unable(names, 'pictures')}."))
    return bool(can.see)


def _say_unable(view: View, can: Searchable, names: Sequence[str], lost: bool) -> None:
    """In the place of the text field, why there is none."""
    others = f" Choose {any_of(can.others)} as baseline or candidate."
    why = f"{unable(names)}.{others if can.others else ''}"
    if lost:
        st.warning(plain(f"“{view.text}” was not searched: {why}", None))
    elif can.texts:
        st.caption(plain(f"Only the texts of stored queries can be searched: {why}", None))
    elif len(can.items):
        st.caption(plain(f"Text search is not available: {why}", None))
    else:
        st.info(
            plain(
                f"Search is not available: {why} The Query screen shows the stored results.", None
            )
        )


def unable(names: Sequence[str], what: str = "text") -> str:
    """That none of the versions encodes text, in words.

    >>> unable(["v1"]), unable(["v1", "v2"]), unable(["v1", "v2", "v3"])
    ('v1 encodes no text', 'neither v1 nor v2 encodes text', 'none of v1, v2, v3 encodes text')
    """
    if len(names) == 1:
        return f"{names[0]} encodes no {what}"
    if len(names) == 2:
        return f"neither {names[0]} nor {names[1]} encodes {what}"
    return f"none of {', '.join(names)} encodes {what}"


def _text(view: View, can: Searchable, example: str, called: str) -> None:
    """A field for a text, or for the name or id of an item. called: `a clip`, `an item`."""
    st.session_state["choice-text"] = view.text
    such_as = f", for example: {shown(example, 80)}" if example else ""
    st.text_input(
        "Text",
        key="choice-text",
        max_chars=1_000,
        label_visibility="collapsed",
        placeholder=f"Text, or the id of {called}{such_as}" if len(can.items) else f"Text{such_as}",
        on_change=lambda: _search_with(st.session_state["choice-text"].strip(), can),
    )


def _search_with(typed: str, can: Searchable) -> None:
    """Search with the item of this id, else with the text."""
    item = typed in can.items
    bar.go(text="" if item else typed, item=typed if item else "", **NOTHING_OPEN)


def _stored_text(view: View, can: Searchable) -> None:
    chosen = view.text if view.text in can.texts else ""
    labels = distinct_labels(found_among("a text", "text", can.texts, str, chosen), str)
    st.session_state["choice-stored-text"] = chosen or None
    st.selectbox(
        "Text of a stored query",
        list(labels),
        key="choice-stored-text",
        format_func=labels.__getitem__,
        placeholder="choose",
        help="Searches with the text of a stored query.",
        on_change=lambda: bar.go(
            text=st.session_state["choice-stored-text"] or "", item="", **NOTHING_OPEN
        ),
    )


def _item(view: View, can: Searchable, kind: str) -> None:
    """kind: what an item is called, `a picture`."""
    names, chosen = collections.item_names(collections.opened(view.collection)), view.item or ""

    def name(item: str) -> str:
        return with_id(names[item], item)

    offered = found_among(kind, "item", can.items, name, chosen)
    labels = distinct_labels([*offered, *([chosen] if chosen else [])], name)
    st.session_state["choice-item"] = chosen or None
    st.selectbox(
        f"{kind} of the collection".capitalize(),
        list(labels),
        key="choice-item",
        format_func=labels.__getitem__,
        placeholder="choose",
        help="Searches with an item of the collection.",
        on_change=lambda: bar.go(
            item=st.session_state["choice-item"] or "", text="", **NOTHING_OPEN
        ),
    )


SECONDS = 0.5
"""After so long a page that waits looks whether its reader has gone on to something else."""


def wait_for_text_model() -> None:
    """Say that the text model is being loaded, and go on by itself once it is there."""
    if collections.text_model() == "failed":
        st.error("The text model could not be loaded. Stored queries can still be searched.")
    else:
        _wait([])


@st.fragment(run_every=1.0)
def _wait(drawn: list[bool]) -> None:
    """drawn: empty while the whole screen is drawn, which must end; the run after it waits.

    That one run lasts until loading ends. Were there a run each second, the garbage that Streamlit
    collects after each would take its time from the loading as long as a page waits: on a busy
    machine, or with a few such pages, loading would never end.
    """
    place = st.empty()
    while collections.text_model(SECONDS if drawn else 0.0) == "loading":
        place.info("Loading the text model, some seconds …")
        if not drawn:
            drawn.append(True)
            return
    st.rerun()
