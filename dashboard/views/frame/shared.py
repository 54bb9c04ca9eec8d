"""The frame of every screen: links between screens, shared choices, what a link got wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.storage.versions import natural
from dashboard.tables import DataError
from dashboard.views import address, cached, late, summary
from dashboard.views.address.choices import COPIES, NAMES, SHOWN, protocols_of
from dashboard.views.frame.choosers import found_among
from dashboard.views.frame.sharing import share
from dashboard.views.labels import group_name, label, slice_name
from dashboard.views.texts import plain, shown
from dashboard.views.view import View

SHARED = (
    "protocol", "metric", "queries", "slice", "groups", "mapping_threshold", "min_similarity",
    "names", "shown", "anyway", "copies",
)  # fmt: skip

LINK, LETTER = 51, 5.5
"""Pixels of a link to a screen beside its title, and of a letter of it in bold."""


def top_bar(pages: Sequence[Any], current: Any, view: View | None) -> None:
    """Links to the screens, which keep the whole view, and the link to this one for a colleague."""
    with st.container(horizontal=True, vertical_alignment="center", key="screens"):
        for page in pages:
            here = page.url_path == current.url_path
            st.page_link(
                page,
                label=f"**{page.title}**" if here else page.title,
                query_params=address.link(view) if view else None,
                width=round(LINK + LETTER * len(page.title)),
            )
        if view is not None:
            share(view)


def say(problems: Sequence[address.Problem]) -> None:
    """Say in a sentence each what the link asked for and cannot be had."""
    for problem in problems:
        st.error(plain(problem.sentence, None), icon=":material/link_off:")


def screen(title: str, purpose: str) -> View:
    """Open a screen: its title and what it is for; gives the view that the address asks for."""
    view, _ = address.current()
    st.title(title, anchor=False, help=purpose)
    if view is None:
        st.stop()  # the frame has said why
    need(view, *SHARED)
    if view.slice and not summary.selected(view, cached.question(view)):
        st.info("No query in view belongs to the chosen part: choose other queries or all of them.")
        st.stop()
    return view


def need(view: View, *keys: str) -> None:
    """Stop the screen, computing nothing, where a choice that it needs could not be followed."""
    if not cached.versions(view):
        st.warning("This collection has no model version and no run that can be used.")
        st.stop()
    if any(getattr(view, key) is None for key in keys):
        st.info("Choose another value in the side bar; nothing was computed for this link.")
        st.button(
            "Open with the usual values instead",
            on_click=address.leave_out_unusable,
            icon=":material/undo:",
        )
        st.stop()


def sidebar(view: View) -> None:
    """The choices that all screens share."""
    collection = cached.opened(view.collection)
    titles = cached.titles()
    with st.sidebar:
        pick("Collection", "collection", list(titles), view, titles.get, _leave_for)
        st.caption("Versions")
        versions = cached.versions(view)
        pick("Baseline", "baseline", versions, view)
        pick("Candidate", "candidate", versions, view)
        st.caption("What is measured")
        _protocol(view, collection)
        _metric(view)
        kinds = cached.words(collection).queries
        pick("Queries", "queries", list(kinds), view, kinds.get)
        _slice(view)
        if collection.groups:
            _groups(view, collection.groups)
            _threshold(view)
        _copies(view, collection)
        st.caption("How it is shown")
        segments("Names of metrics", "names", NAMES, view)
        segments("Results in a row", "shown", {n: n for n in SHOWN}, view)


def pick(
    title: str,
    key: str,
    options: Sequence[str],
    view: View,
    name: Callable[[str], str | None] = str,
    apply: Callable[[str, str], None] | None = None,
    tip: str | None = None,
) -> None:
    """A drop-down whose value is the address' `key`; a change is a step in the address bar."""
    widget = f"choice-{key}"
    st.session_state[widget] = getattr(view, key)
    st.selectbox(
        title,
        list(options),
        key=widget,
        format_func=lambda option: shown(name(option) or option),
        on_change=apply or _apply,
        args=(key, widget),
        placeholder="choose",
        help=tip,
    )


def segments(
    title: str, key: str, options: dict[str, str], view: View, beside: bool = False
) -> None:
    """A row of buttons of which one is on: the address' `key`. beside: it stands beside others."""
    widget = f"choice-{key}"
    st.session_state[widget] = getattr(view, key)
    st.segmented_control(
        title,
        list(options),
        key=widget,
        format_func=lambda option: options[option],
        on_change=_apply,
        args=(key, widget),
        width=late.width(options.values(), title) if beside else "content",
    )


def _apply(key: str, widget: str) -> None:
    value = st.session_state[widget]
    if value is not None and value != []:
        address.go(**{key: tuple(value) if isinstance(value, list) else value})


def _protocol(view: View, collection: Any) -> None:
    """Whose rules judge, where a collection can be judged by several."""
    known = protocols_of(collection)
    if len(known) > 1 or view.protocol is None:
        titles = {name: PROTOCOLS[name].title for name in known}
        judging = PROTOCOLS.get(view.protocol or "")
        tip = plain(judging.definition, None) if judging else None
        pick("Judged by", "protocol", known, view, titles.get, _judge_by, tip)


def _metric(view: View) -> None:
    """The metric in front, and its name in full."""
    if view.protocol is None:
        return
    pick("Metric", "metric", summary.metrics_in_view(view), view, partial(label, view))
    if view.metric is not None:
        st.caption(plain(label(view, view.metric), None))


def _judge_by(key: str, widget: str) -> None:
    address.judge_by(st.session_state[widget])


def _leave_for(key: str, widget: str) -> None:
    address.open_collection(st.session_state[widget])


def _groups(view: View, groups: Sequence[str]) -> None:
    st.session_state["choice-groups"] = list(view.groups or ())
    st.pills(
        "Keyword groups that decide relevance",
        list(groups),
        selection_mode="multi",
        key="choice-groups",
        format_func=lambda group: plain(group_name(group)),
        on_change=_apply,
        args=("groups", "choice-groups"),
        help="An item is relevant when it has every keyword of the query in these groups.",
    )


def _threshold(view: View) -> None:
    usual = cached.opened(view.collection).mapping_threshold
    given = view.mapping_threshold
    st.session_state["choice-mapping_threshold"] = usual if given is None else given
    st.slider(
        "Words count as a keyword from similarity",
        0.0,
        1.0,
        step=0.05,
        key="choice-mapping_threshold",
        on_change=_apply,
        args=("mapping_threshold", "choice-mapping_threshold"),
        help="Parts of a text query are mapped to the keyword that they are most similar to.",
    )


def _copies(view: View, collection: Any) -> None:
    segments("Near-duplicates", "copies", COPIES, view)
    if view.copies != "left_out":
        return
    try:
        number = len(cached.copies(view.collection, collection.digest))
    except DataError as problem:
        st.error(plain(str(problem), None))
        return
    st.caption(
        f"{number:,} of {len(collection.items):,} items are copies: of several the first in a "
        "ranking stands for all."
    )


def _slice(view: View) -> None:
    """Which part of the queries counts, of all that they are divided into."""
    known = cached.known_slices(cached.opened(view.collection))
    options = [f"{by}={name}" for by, of in known.items() for name in sorted(of, key=natural)]
    options += [view.slice] * (bool(view.slice) and view.slice not in options)
    if options:
        what, chosen = "a part of the queries", view.slice or ""
        offered = found_among(what, "slice", options, _slice_name, chosen)
        pick("Only queries", "slice", ["", *offered], view, _slice_name)


def _slice_name(option: str) -> str:
    by, _, name = option.partition("=")
    return f"{slice_name(by, name)} ({group_name(by)})" if option else "all of them"
