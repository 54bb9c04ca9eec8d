"""The side bar: the choices that all screens share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment import measuring
from dashboard.experiment.collection import collections, near_duplicates
from dashboard.tables import DataError, natural
from dashboard.views import summary
from dashboard.views.address import bar
from dashboard.views.address.choices import COPIES, NAMES, SHOWN, View, protocols_of
from dashboard.views.experiments import versions_of
from dashboard.views.frame.widgets import apply_choice, found_among, pick, segments
from dashboard.views.labels import distinct_labels, group_name, label, slice_name
from dashboard.views.shelf import titles as collection_titles
from dashboard.views.texts import plain


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
        on_change=apply_choice,
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
        on_change=apply_choice,
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
    known = measuring.slices_of(collections.opened(view.collection))
    options = [f"{by}={name}" for by, of in known.items() for name in sorted(of, key=natural)]
    options += [view.slice] * (bool(view.slice) and view.slice not in options)
    if options:
        what, chosen = "a slice", view.slice or ""
        offered = found_among(what, "slice", options, _slice_name, chosen)
        pick("Query slice", "slice", ["", *offered], view, _slice_name)


def _slice_name(option: str) -> str:
    by, _, name = option.partition("=")
    return f"{slice_name(by, name)} ({group_name(by)})" if option else "all"
