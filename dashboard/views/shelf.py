"""How collections look side by side: a card each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment.collection import catalogue
from dashboard.experiment.collection.catalogue import Glance
from dashboard.experiment.reviews import reviewing
from dashboard.tables import DataError, listed
from dashboard.views.labels import distinct_labels
from dashboard.views.texts import badge, plain

ACROSS = 3
STRIP = "display:flex;gap:4px;height:96px;overflow:hidden"
PICTURE = "flex:1;min-width:0;height:96px;object-fit:cover;border-radius:6px;background:#fff"


def empty() -> None:
    """Say that there is no collection, and how one comes there."""
    st.info(
        "There is no collection here. A collection is a folder with a file collection.toml; the "
        "README says under “Your own data” what else it holds. DASHBOARD_DATA names the folder "
        "that holds collections, or several with : between them."
    )


def titles() -> dict[str, str]:
    """The name of each collection and its title, with the name behind it where several share it."""
    known = catalogue.titles()
    return distinct_labels(known, known.__getitem__)


def cards(names: Sequence[str]) -> str:
    """Draw a card for each collection; the name of the one whose button was pressed, or nothing."""
    pressed, readable, broken, named = "", [], {}, titles()
    for name in names:
        try:
            readable.append(catalogue.glance(name))
        except DataError as problem:
            broken[name] = str(problem)
    _not_shown(broken)
    for place, known in enumerate(readable):
        if place % ACROSS == 0:
            row = st.columns(ACROSS)
        with row[place % ACROSS], st.container(border=True, height="stretch"):
            chosen = _card(known, named.get(known.name, known.title))
            pressed = known.name if chosen else pressed
    return pressed


def _not_shown(broken: Mapping[str, str]) -> None:
    """Say what has no card and why, above the cards: whoever misses one looks there first."""
    for sentence in catalogue.unlisted():
        st.warning(plain(sentence, None), icon=":material/folder_off:")
    for name, sentence in broken.items():
        st.error(plain(f"{name} cannot be opened: {sentence}", None), icon=":material/error:")


def _card(known: Glance, title: str) -> bool:
    """One collection under a title that no other has; whether its button was pressed."""
    _pictures(known)
    st.markdown(f"**{plain(title)}**")
    st.markdown(" ".join(badge(PROTOCOLS[name].title, "blue") for name in known.protocols))
    if known.about:
        st.caption(plain(known.about, None))
    st.caption(plain(f"{known.words.gallery} · {known.words.query_counts}"))
    st.caption(plain(f"Versions: {listed(known.versions) if known.versions else 'none'}"))
    if known.licence:
        st.caption(plain(f"Licence: {known.licence}"))
    if agreement := reviewing.agreement_on_collection(known.name):
        st.caption(plain(f"Agreement of reviewers: {agreement}", None))
    if known.problem:
        st.warning(plain(known.problem, None), icon=":material/error:")
    return st.button("Open", key=f"open-{known.name}", icon=":material/folder_open:")


def _pictures(known: Glance) -> None:
    addresses = catalogue.cover_pictures(known)
    if not addresses:
        return
    shown = "".join(
        f'<img src="{escape(address)}" alt="" loading="lazy" style="{PICTURE}">'
        for address in addresses
    )
    with st.container(key=f"strip-{known.name}"):
        st.html(f'<div role="img" aria-label="Some of its items" style="{STRIP}">{shown}</div>')
