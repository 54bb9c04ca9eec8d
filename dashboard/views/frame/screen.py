"""What stands on every screen: links to the others, the link to this one, what a link got wrong."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

import streamlit as st
from streamlit import auth_util

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment import judging
from dashboard.experiment.collection import collections
from dashboard.experiment.protocols import context_study
from dashboard.experiment.reviews import people
from dashboard.views import address, layout, summary
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of, versions_of
from dashboard.views.server import logins
from dashboard.views.texts import plain, shown

SHARED = (
    "protocol", "metric", "queries", "slice", "groups", "mapping_threshold", "min_similarity",
    "names", "shown", "anyway", "copies", "labels",
)  # fmt: skip

OF_LISTS = "context"
"""The protocol of lists that people saw, which needs no version."""


def top_bar(pages: Sequence[Any], current: Any, view: View | None) -> None:
    """Links to the screens, which keep the whole view, and the link to this one for a colleague."""
    with st.container(horizontal=True, vertical_alignment="center", key="screens"):
        for page in pages if not people.actor().review else ():
            here = page.url_path == current.url_path
            st.page_link(
                page,
                label=f"**{page.title}**" if here else page.title,
                query_params=address.link(view) if view else None,
                width=layout.link_width(page.title),
            )
        if view is not None:
            share(view)


def stop_without_a_role(page: Any) -> None:
    """Draw nothing but the way to log in for whoever may not look, and the way to their review for
    whoever may look at one only."""
    who = people.actor()
    if who.review and (page.url_path, st.query_params.get("review")) != ("reviews", who.review):
        st.title(NAME, anchor=False)
        st.page_link(
            "screens/reviews.py", label="Open your review", query_params={"review": who.review}
        )
        st.stop()
    if who.role != "nobody":
        return
    st.title(NAME, anchor=False)
    if who.name:
        st.error(plain(f"{who.name} has no role here. Ask an admin for one.", None))
        st.button("Log out", on_click=st.logout)
    elif auth_util.get_secrets_auth_section():
        if st.context.cookies.get(logins.COOKIE):
            st.error(logins.REFUSED)
        st.button("Log in", type="primary", on_click=st.login)
    else:
        st.error("Open this page through the proxy that logs you in.")
    st.stop()


NAME = "Search quality"
LONGEST_TITLE = 60
"""Letters of what is seen in the title of the browser's tab."""


def name_tab(title: str, view: View | None) -> None:
    """Name the browser's tab after what is seen."""
    st.set_page_config(page_title=tab_title(title, view))


def tab_title(title: str, view: View | None) -> str:
    """What is seen: a query or search in its words, else the screen and the collection, with the
    versions that are compared."""
    what, more = title, NAME
    if view is not None:
        collection = collections.opened(view.collection)
        more = shown(collection.title, LONGEST_TITLE)
        if title == "Query" and view.query:
            what = collections.query_names(collection).get(view.query, title)
        elif title == "Search" and view.text:
            what = view.text
        pair = (view.candidate, view.baseline)
        if title != "Collections" and all(pair) and pair[0] != pair[1]:
            more = " vs ".join(shown(version, LONGEST_TITLE) for version in pair)
            more = more if what != title else f"{more} · {shown(collection.title, LONGEST_TITLE)}"
    return f"{shown(what, LONGEST_TITLE)} · {more}"


def say(problems: Sequence[address.Problem]) -> None:
    """Say in a sentence each what the link asked for and cannot be had; several keys of a link can
    ask for the same version."""
    for sentence in dict.fromkeys(problem.sentence for problem in problems):
        st.error(plain(sentence, None), icon=":material/link_off:")


def screen(
    title: str, purpose: str, comparing: str = "", *, stored: bool = True, headed: bool = True
) -> View:
    """Open a screen: its title and what it is for; gives the view that the address asks for.

    comparing: what the screen does with versions, in words; without any it says what is missing and
    stops. Empty: the screen has something to show without them.
    stored: whether it shows stored queries, and so stops where none is of the kind in view.
    headed: whether its title stands on the page; else it is there for screen readers only.
    """
    view, _ = bar.current()
    key = "heading" if headed else "unseen-title"
    heading = st.container(horizontal=True, vertical_alignment="center", key=key)
    heading.title(title, anchor=False, help=purpose if headed else None, width="content")
    _heading.set(heading)
    if view is None:
        st.stop()  # the frame has said why
    need(view, *SHARED)
    if comparing and not versions_of(view):
        without_versions(view, comparing)
        st.stop()
    if view.slice and not summary.selected(view, experiment_of(view)):
        st.info("No query of this kind is in the chosen slice.")
        st.button("Clear slice", icon=":material/close:", on_click=lambda: bar.go(slice=""))
        st.stop()
    collection = collections.opened(view.collection)
    if stored and len(collection.queries) and judging.queries(experiment_of(view)).empty:
        kinds = collections.words(collection).queries
        st.info(f"This collection has no {kinds[view.queries].lower()}. Choose others on the left.")
        st.stop()
    if headed or not stored:  # on Query the notes above the cards say it
        summary.labels_line(view, stored=stored)
    return view


def need(view: View, *keys: str) -> None:
    """Stop the screen, computing nothing, where a choice that it needs could not be followed."""
    if any(getattr(view, key) is None for key in keys):
        st.info("Nothing was computed for this link. Choose another value in the sidebar.")
        st.button(
            "Open with default values",
            on_click=bar.leave_out_unusable,
            icon=":material/undo:",
        )
        st.stop()


def without_versions(view: View, comparing: str, elsewhere: bool = True) -> None:
    """Say that a collection has no version, what each would need, and which screens go without.

    comparing: what a version would be needed for, a clause: "Compare holds two versions ...".
    elsewhere: this screen shows nothing else, so that others are named.
    """
    collection = collections.opened(view.collection)
    broken = "; ".join(str(problem).rstrip(".") for problem in collection.broken.values())
    gone = f"no usable version ({broken})" if broken else "no version"
    ways = [
        f"type python -m dashboard embed {view.collection} --version v1 --encoder MODEL",
        "put a model's vectors into models/NAME (items.npy with items.txt, queries.npy with "
        "queries.txt)",
        "put ranked results into runs/NAME.trec",
    ]
    if PROTOCOLS[view.protocol].takes_features:
        ways.append(f"submit features {'on the Overview' if elsewhere else 'above'}")
    there = f"{comparing}, but this collection has {gone}. To add one, {', or '.join(ways)}."
    st.info(plain(there, None), icon=":material/deployed_code_alert:")
    if not elsewhere or not context_study.has_lists(collection):
        return
    if view.protocol != OF_LISTS and OF_LISTS not in collection.protocols:
        told = f'To view its lists, write protocols = ["{OF_LISTS}"] in collection.toml.'
        st.caption(plain(told, None))
        return
    st.caption("Lists and satisfaction ratings can be viewed without a version:")
    # another protocol has other metrics and columns: its own usual ones stand in the link's place
    usual = {"collection": [view.collection], "protocol": [OF_LISTS]}
    lead = address.link(view) if view.protocol == OF_LISTS else usual
    with st.container(horizontal=True):
        st.page_link("screens/overview.py", label="Overview", query_params=lead)
        st.page_link("screens/query.py", label="Query", query_params=lead)


@st.fragment(run_every=timedelta(days=1))
def draw_after_a_break() -> None:
    """Let the browser ask for the screen as soon as it is connected again.

    Without this it waits for a click, which reaches a session that has drawn nothing yet where the
    server was started again or the old session is forgotten: no callback is known there, so that
    what was clicked would be lost. Streamlit asks at once only where something runs by the clock.
    """


_place: ContextVar[Any] = ContextVar("place of the link")
_heading: ContextVar[Any] = ContextVar("the line of the title")


def beside_title() -> Any:
    """The container for what a screen offers beside its title."""
    return _heading.get()


def share(view: View) -> None:
    """A button that copies the link to exactly this view."""
    with st.container(width="content", key="share"):
        _place.set(st.empty())
    _write(view)


def show_query(view: View, query_id: str) -> None:
    """Let the view, and the link to it, name the query that is open: without it another one would
    be the first in order as soon as there is another version."""
    if view.query != query_id:
        view.query = query_id
        name_tab("Query", view)
        _write(view)


def _write(view: View) -> None:
    _place.get().html(summary.copy_link(view))
