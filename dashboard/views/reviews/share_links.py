"""Share links on the screen Reviews: what there is, a form for a new one, and an end to each."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.experiment.collection import collections
from dashboard.experiment.reviews import assigned_reviews, share_links
from dashboard.experiment.reviews.assigned_reviews import ASSIGN, actor
from dashboard.experiment.reviews.share_links import ShareLink
from dashboard.tables import DataError
from dashboard.views.address.choices import View
from dashboard.views.reviews.reviewer import name
from dashboard.views.summary.sharing import copy_button
from dashboard.views.texts import plain, shown

_MADE, _PROBLEM = "share-made", "share-problem"
MOST = 50
"""Links that are listed."""


def sharing(view: View) -> None:
    """Draw the share links of the collection for whoever may make them; nothing where no login is
    set up, as everybody may do everything there."""
    if not (share_links.possible() and actor().may(ASSIGN)):
        return
    with st.expander("Share links", key="share-links", expanded=_MADE in st.session_state):
        _form(view)
        there = share_links.of(collections.opened(view.collection))
        if not there:
            st.caption("No share link yet.")
            return
        table = pd.DataFrame([_row(link) for link in there[:MOST]])
        st.dataframe(table, hide_index=True, key="share-table")
        with st.container(horizontal=True):
            for link in there[:MOST]:
                if link.state == "open":
                    what = plain(f"Revoke {link.label} ({link.id})")
                    st.button(what, key=f"revoke-{link.id}", on_click=_revoke, args=(link.id,))


def _form(view: View) -> None:
    every = f"All of {view.collection}"
    collection = collections.opened(view.collection)
    open_reviews = [r for r in assigned_reviews.all_reviews_of(collection) if not r.closed]
    titles = {"": every} | {review.id: review.title for review in open_reviews}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("For", list(titles), key="share-review", format_func=titles.__getitem__)
        st.selectbox("As", share_links.ROLES, key="share-role", format_func=str.capitalize)
        st.number_input("Days", 1, share_links.MOST_DAYS, share_links.DAYS, key="share-days")
        st.text_input("Guest", key="share-label", max_chars=share_links.LONGEST_LABEL)
        st.button("Create share link", on_click=_create, args=(view,))
    st.caption(
        "Whoever has the link sees only this, without a login, under the name “guest …”. "
        "The link can be copied once, now; it ends on its day, or when it is revoked."
    )
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.error(plain(problem, None), icon=":material/error:")
    if made := st.session_state.pop(_MADE, ""):
        base = (st.context.url or "").rpartition("/")[0]
        st.html(copy_button("Copy share link", f"{base}/{made}", "Link copied"), width="content")


def _row(link: ShareLink) -> dict[str, str | int]:
    return {
        "Guest": shown(link.label),
        "For": "one review" if link.review else "the collection",
        "As": link.role,
        "State": link.state,
        "Until (UTC)": link.until[:16].replace("T", " "),
        "Last use": link.used[:16].replace("T", " "),
        "Visitors": link.visitors,
        "Made by": shown(link.author),
        "Id": link.id,
    }


def _create(view: View) -> None:
    typed = st.session_state
    try:
        _, typed[_MADE] = share_links.create(
            collections.opened(view.collection),
            name(),
            role=typed["share-role"],
            days=int(typed["share-days"]),
            label=typed["share-label"],
            review=typed["share-review"],
        )
    except (ValueError, DataError) as problem:
        typed[_PROBLEM] = f"Not made: {problem}"
        return
    typed["share-label"] = ""


def _revoke(id: str) -> None:
    try:
        share_links.revoke(id, name())
    except (ValueError, DataError) as problem:
        st.session_state[_PROBLEM] = f"Not revoked: {problem}"
