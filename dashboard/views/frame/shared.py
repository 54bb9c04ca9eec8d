"""The frame of every screen: links between screens, shared choices, what a link got wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment import (
    collections,
    context_study,
    judging,
    measuring,
    near_duplicates,
)
from dashboard.tables import DataError, natural
from dashboard.views import address, late, summary
from dashboard.views.address import bar
from dashboard.views.address.choices import COPIES, NAMES, SHOWN, protocols_of
from dashboard.views.experiments import experiment_of, versions_of
from dashboard.views.frame.choosers import found_among
from dashboard.views.frame.sharing import share
from dashboard.views.labels import distinct_labels, group_name, label, slice_name
from dashboard.views.shelf import titles as collection_titles
from dashboard.views.texts import plain
from dashboard.views.view import View

SHARED = (
    "protocol", "metric", "queries", "slice", "groups", "mapping_threshold", "min_similarity",
    "names", "shown", "anyway", "copies",
)  # fmt: skip

OF_LISTS = "context"
"""The protocol of lists that people saw, which needs no version."""
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


def screen(title: str, purpose: str, comparing: str = "", *, stored: bool = True) -> View:
    """Open a screen: its title and what it is for; gives the view that the address asks for.

    comparing: what the screen does with versions, in words; without any it says what is missing and
    stops. Empty: the screen has something to show without them.
    stored: whether it shows stored queries, and so stops where none is of the kind in view.
    """
    view, _ = bar.current()
    st.title(title, anchor=False, help=purpose)
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


def spinner(work: str) -> AbstractContextManager[Any]:
    """Shows what is being worked on while a page waits for it; nothing where no page does."""
    waits = get_script_run_ctx(suppress_warning=True) is not None
    return st.spinner(work) if waits else nullcontext()


def sidebar(view: View) -> None:
    """The choices that all screens share."""
    collection = collections.opened(view.collection)
    titles = collection_titles()
    with st.sidebar:
        pick("Collection", "collection", list(titles), view, titles.get, _leave_for)
        versions = versions_of(view)
        st.caption("Versions" if versions else "No version")
        if versions:
            pick("Baseline", "baseline", versions, view)
            pick("Candidate", "candidate", versions, view)
        st.caption("Evaluation")
        _protocol(view, collection)
        _metric(view)
        kinds = collections.words(collection).queries
        pick("Queries", "queries", list(kinds), view, kinds.get)
        _slice(view)
        if collection.groups:
            _groups(view, collection.groups)
            _threshold(view)
        if versions:
            _copies(view, collection)
        st.caption("Display")
        segments("Metric names", "names", NAMES, view)
        if versions:
            segments("Results per version", "shown", {n: n for n in SHOWN}, view)


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
    widget, labels = f"choice-{key}", distinct_labels(options, lambda of: name(of) or of)
    st.session_state[widget] = getattr(view, key)
    st.selectbox(
        title,
        list(labels),
        key=widget,
        format_func=lambda option: labels.get(option, option),
        on_change=apply or _apply,
        args=(key, widget),
        placeholder="choose",
        help=tip,
    )


def segments(
    title: str, key: str, options: dict[str, str], view: View, beside: bool = False
) -> None:
    """A row of buttons of which one is on: the address' `key`. beside: it stands beside others."""
    widget, labels = f"choice-{key}", distinct_labels(options, options.__getitem__)
    st.session_state[widget] = getattr(view, key)
    st.segmented_control(
        title,
        list(labels),
        key=widget,
        format_func=lambda option: plain(labels[option], None),
        on_change=_apply,
        args=(key, widget),
        width=late.width(options.values(), title) if beside else "content",
    )


def _apply(key: str, widget: str) -> None:
    value = st.session_state[widget]
    if value is not None and value != []:
        bar.go(**{key: tuple(value) if isinstance(value, list) else value})


def _protocol(view: View, collection: Any) -> None:
    """Whose rules judge, where a collection can be judged by several."""
    known = protocols_of(collection)
    if len(known) > 1 or view.protocol is None:
        titles = {name: PROTOCOLS[name].title for name in known}
        judging = PROTOCOLS.get(view.protocol or "")
        tip = plain(judging.definition, None) if judging else None
        pick("Protocol", "protocol", known, view, titles.get, _judge_by, tip)


def _metric(view: View) -> None:
    """The metric in front, and its name in full."""
    if view.protocol is None:
        return
    pick("Metric", "metric", summary.metrics_in_view(view), view, partial(label, view))
    if view.metric is not None:
        st.caption(plain(label(view, view.metric), None))


def _judge_by(key: str, widget: str) -> None:
    bar.judge_by(st.session_state[widget])


def _leave_for(key: str, widget: str) -> None:
    bar.open_collection(st.session_state[widget])


def _groups(view: View, groups: Sequence[str]) -> None:
    labels = distinct_labels(groups, group_name)
    st.session_state["choice-groups"] = list(view.groups or ())
    st.pills(
        "Relevance keyword groups",
        list(labels),
        selection_mode="multi",
        key="choice-groups",
        format_func=lambda group: plain(labels[group], None),
        on_change=_apply,
        args=("groups", "choice-groups"),
        help="An item is relevant when it has every keyword of the query in these groups.",
    )


def _threshold(view: View) -> None:
    usual = collections.opened(view.collection).mapping_threshold
    given = view.mapping_threshold
    st.session_state["choice-mapping_threshold"] = usual if given is None else given
    st.slider(
        "Keyword match threshold",
        0.0,
        1.0,
        step=0.05,
        key="choice-mapping_threshold",
        on_change=_apply,
        args=("mapping_threshold", "choice-mapping_threshold"),
        help="A phrase of a text query counts as its most similar keyword if their cosine "
        "similarity is at least this.",
    )


def _copies(view: View, collection: Any) -> None:
    segments("Near-duplicates", "copies", COPIES, view)
    if view.copies != "left_out":
        return
    try:
        number = len(near_duplicates.copies(str(collection.folder), collection.digest))
    except DataError as problem:
        st.error(plain(str(problem), None))
        return
    st.caption(
        f"{number:,} of {len(collection.items):,} items are near-duplicates. Only the first of "
        "each group in a ranking counts."
    )


def _slice(view: View) -> None:
    """Which part of the queries counts, of all that they are divided into."""
    known = measuring.known_slices(collections.opened(view.collection))
    options = [f"{by}={name}" for by, of in known.items() for name in sorted(of, key=natural)]
    options += [view.slice] * (bool(view.slice) and view.slice not in options)
    if options:
        what, chosen = "a slice", view.slice or ""
        offered = found_among(what, "slice", options, _slice_name, chosen)
        pick("Query slice", "slice", ["", *offered], view, _slice_name)


def _slice_name(option: str) -> str:
    by, _, name = option.partition("=")
    return f"{slice_name(by, name)} ({group_name(by)})" if option else "all"
