"""The side bar: the choices that all screens share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from dashboard.evaluation.duplicates import LARGEST
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.reviewing.corrections import LEFT_ALONE, RULE
from dashboard.experiment import measuring
from dashboard.experiment.collection import collections, near_duplicates
from dashboard.tables import DataError, natural
from dashboard.views import summary
from dashboard.views.address import bar
from dashboard.views.address.choices import (
    CHOICES,
    COPIES,
    LABELS,
    NAMES,
    SHOWN,
    View,
    protocols_of,
)
from dashboard.views.experiments import versions_of
from dashboard.views.frame.widgets import apply_choice, found_among, pick, segments
from dashboard.views.labels import distinct_labels, group_name, short_label, slice_option, tooltip
from dashboard.views.shelf import titles as collection_titles
from dashboard.views.texts import plain

HELP = {
    "collection": "The folder of items, queries and versions that all screens are about.",
    "baseline": "The version that the candidate is compared with.",
    "candidate": "The version under test.",
    "queries": "Which kind of queries counts on all screens.",
    "slice": "Only the queries of this slice count on all screens.",
    "copies": "Whether near-duplicates of an item count as results of their own, in a gallery of "
    f"up to {LARGEST:,} items.",
    "labels": f"Labels of the collection's files, or with the reviewers' corrections. {RULE}",
    "names": "What metrics are called: as in the protocol's source, or by their standard names.",
    "shown": "How many results of each version stand on Query and Search.",
}
IN_MORE = (
    "protocol", "queries", "slice", "groups", "mapping_threshold", "copies", "labels", "names",
    "shown",
)  # fmt: skip


def sidebar(view: View) -> None:
    """The choices that all screens share: the usual ones, and the others under More."""
    collection = collections.opened(view.collection)
    titles = collection_titles()
    with st.sidebar:
        tip = HELP["collection"]
        pick("Collection", "collection", list(titles), view, titles.get, _leave_for, tip)
        versions = versions_of(view)
        if versions:
            pick("Baseline", "baseline", versions, view, tip=HELP["baseline"])
            pick("Candidate", "candidate", versions, view, tip=HELP["candidate"])
        else:
            st.caption("No version")
        _metric(view)
        changed = _changed(view, collection)
        title = f"More ({changed} changed)" if changed else "More"
        with st.expander(title, key="more", expanded=view.protocol is None):
            _more(view, collection, bool(versions))


def _more(view: View, collection: Any, versions: bool) -> None:
    """The choices that are rarely changed."""
    _protocol(view, collection)
    kinds = collections.words(collection).queries
    pick("Queries", "queries", list(kinds), view, kinds.get, tip=HELP["queries"])
    _slice(view)
    if collection.groups:
        _groups(view, collection.groups)
        _threshold(view)
    if versions:
        _copies(view, collection)
        if view.protocol not in LEFT_ALONE:
            segments("Labels", "labels", LABELS, view, tip=HELP["labels"])
    segments("Metric names", "names", NAMES, view, tip=HELP["names"])
    if versions:
        each = {number: number for number in SHOWN}
        segments("Results per version", "shown", each, view, tip=HELP["shown"])


def _changed(view: View, collection: Any) -> int:
    """How many of the choices under More are not the usual ones."""
    usual = {key: CHOICES[key].default.of(collection) for key in IN_MORE}
    return sum(getattr(view, key) not in (usual[key], None) for key in IN_MORE)


def _protocol(view: View, collection: Any) -> None:
    """Whose rules judge, where a collection can be judged by several."""
    known = protocols_of(collection)
    if len(known) > 1 or view.protocol is None:
        titles = {name: PROTOCOLS[name].title for name in known}
        judging = PROTOCOLS.get(view.protocol or "")
        tip = plain(judging.definition, None) if judging else None
        pick("Protocol", "protocol", known, view, titles.get, _judge_by, tip)


def _metric(view: View) -> None:
    """The metric in front, by its short name; its formula and source on request."""
    if view.protocol is None:
        return
    metric = view.metric
    tip = "The metric that all screens show." if metric is None else tooltip(view, metric)
    known = summary.metrics_in_view(view)
    pick("Metric", "metric", known, view, partial(short_label, view), tip=plain(tip, None))


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
    segments("Near-duplicates", "copies", COPIES, view, tip=HELP["copies"])
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
        offered = found_among(what, "slice", options, slice_option, chosen)
        pick("Query slice", "slice", ["", *offered], view, slice_option, tip=HELP["slice"])
