"""The frame of every screen: links between screens, shared choices, what a link got wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.views import address, cached
from dashboard.views.choices import NAMES, SHOWN, WHICH_QUERIES
from dashboard.views.labels import by_name, group_name, label
from dashboard.views.texts import plain, shown

SHARED = (
    "protocol", "metric", "queries", "slice", "groups", "mapping_threshold", "min_similarity",
    "names", "shown",
)  # fmt: skip


def top_bar(pages: Sequence[Any], current: Any, view: address.View | None) -> None:
    """Links to the screens, which keep the whole view, and the link to this one for a colleague."""
    with st.container(horizontal=True, vertical_alignment="center"):
        for page in pages:
            here = page.url_path == current.url_path
            st.page_link(
                page,
                label=f"**{page.title}**" if here else page.title,
                query_params=address.link(view) if view else None,
            )
        if view is not None:
            with st.popover("Share", icon=":material/link:"):
                st.write("Whoever opens this link sees exactly this view.")
                full = urlencode(address.link(view), doseq=True)
                st.code(f"{st.context.url or ''}?{full}", language=None, wrap_lines=True)


def say(problems: Sequence[address.Problem]) -> None:
    """Say in a sentence each what the link asked for and cannot be had."""
    for problem in problems:
        st.error(plain(problem.sentence, None), icon=":material/link_off:")


def screen(title: str, purpose: str) -> Any:
    """Open a screen: its title and what it is for; gives the view that the address asks for."""
    view, _ = address.current()
    st.title(title, anchor=False, help=purpose)
    need(view, *SHARED)
    return view


def need(view: Any, *keys: str) -> None:
    """Stop the screen, computing nothing, where a choice that it needs could not be followed."""
    if not cached.opened(view.collection).versions:
        st.warning("This collection has no model version and no run that can be used.")
        st.stop()
    if any(getattr(view, key) is None for key in keys):
        st.info("Choose another value in the side bar; nothing was computed for this link.")
        st.stop()


def sidebar(view: address.View) -> None:
    """The choices that all screens share."""
    collection = cached.opened(view.collection)
    titles = cached.titles()
    with st.sidebar:
        pick("Collection", "collection", list(titles), view, titles.get, _leave_for)
        st.caption("Versions")
        pick("Baseline", "baseline", collection.versions, view)
        pick("Candidate", "candidate", collection.versions, view)
        st.caption("What is measured")
        if view.protocol is not None:
            pick("Metric", "metric", metrics(view), view, lambda metric: label(view, metric))
            if view.metric is not None:
                st.caption(plain(label(view, view.metric), None))
        pick("Queries", "queries", list(WHICH_QUERIES), view, WHICH_QUERIES.get)
        _slice(view)
        if collection.groups:
            _groups(view, collection.groups)
            _threshold(view)
        st.caption("How it is shown")
        segments("Names of metrics", "names", NAMES, view)
        segments("Results in a row", "shown", {n: n for n in SHOWN}, view)


def metrics(view: Any) -> list[str]:
    """The metrics that the protocol shows, and the one in front if it is another."""
    usual = [str(measure) for measure in parse(PROTOCOLS[view.protocol].metrics)]
    return usual + [view.metric] * (view.metric not in usual and view.metric is not None)


def pick(
    title: str,
    key: str,
    options: Sequence[str],
    view: Any,
    name: Callable[[str], str | None] = str,
    apply: Callable[[str, str], None] | None = None,
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
    )


def segments(title: str, key: str, options: dict[str, str], view: Any) -> None:
    """A row of buttons of which one is on: the address' `key`."""
    widget = f"choice-{key}"
    st.session_state[widget] = getattr(view, key)
    st.segmented_control(
        title,
        list(options),
        key=widget,
        format_func=lambda option: options[option],
        on_change=_apply,
        args=(key, widget),
    )


def _apply(key: str, widget: str) -> None:
    value = st.session_state[widget]
    if value is not None and value != []:
        address.go(**{key: tuple(value) if isinstance(value, list) else value})


def _leave_for(key: str, widget: str) -> None:
    address.open_collection(st.session_state[widget])


def _groups(view: Any, groups: Sequence[str]) -> None:
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


def _threshold(view: Any) -> None:
    st.session_state["choice-mapping_threshold"] = view.mapping_threshold
    st.slider(
        "Words count as a keyword from similarity",
        0.3,
        1.0,
        step=0.05,
        key="choice-mapping_threshold",
        on_change=_apply,
        args=("mapping_threshold", "choice-mapping_threshold"),
        help="Parts of a text query are mapped to the keyword that they are most similar to.",
    )


def _slice(view: Any) -> None:
    known = cached.keywords_of(cached.opened(view.collection))
    options = [f"{g}={k}" for g, k in zip(known["group"], known["keyword"], strict=True)]
    options += [view.slice] * (bool(view.slice) and view.slice not in options)
    if options:
        pick("Only queries", "slice", ["", *options], view, _slice_name)


def _slice_name(option: str) -> str:
    by, _, name = option.partition("=")
    return f"{name} ({by_name(by)})" if option else "all of them"


def steps(view: Any, query_id: str, order: pd.DataFrame) -> None:
    """Go to the previous or next query of an order, by button or by the keys k and j."""
    ids = order["query_id"].tolist()
    place = ids.index(query_id) if query_id in ids else -1
    names = cached.query_names(view.collection)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _step("Previous", "k", ids[place - 1] if place > 0 else "", ":material/arrow_back:")
        _step(
            "Next", "j", ids[place + 1] if place + 1 < len(ids) else "", ":material/arrow_forward:"
        )
        st.session_state["choice-query"] = query_id
        st.selectbox(
            f"Query {place + 1} of {len(ids)}, worst difference first" if place >= 0 else "Query",
            ids if place >= 0 else [query_id, *ids],
            key="choice-query",
            format_func=lambda each: shown(names[each]),
            on_change=lambda: address.go(query=st.session_state["choice-query"], clip=""),
        )


def _step(title: str, key: str, query_id: str, icon: str) -> None:
    st.button(
        title,
        shortcut=key,
        disabled=not query_id,
        icon=icon,
        on_click=lambda: address.go(query=query_id, clip=""),
    )


def open_clip(item_id: str) -> None:
    """Put the clip whose player was opened (or none) into the address."""
    address.go(clip=item_id)


def search_form(view: Any) -> None:
    """Where a text is typed or an item chosen to search with."""
    st.session_state["choice-text"] = view.text
    st.text_input(
        "Text",
        key="choice-text",
        max_chars=1_000,
        placeholder="for example: cyclist entering the ego lane",
        on_change=lambda: address.go(
            text=st.session_state["choice-text"].strip(), item="", clip=""
        ),
    )
    items = cached.opened(view.collection).items["item_id"].tolist()
    st.session_state["choice-item"] = view.item or None
    st.selectbox(
        "or an item of the collection",
        items,
        key="choice-item",
        format_func=shown,
        placeholder="choose",
        on_change=lambda: address.go(item=st.session_state["choice-item"] or "", text="", clip=""),
    )


@st.fragment(run_every=1.0)
def wait_for_text_model() -> None:
    """Say that the text model is being loaded, and go on by itself once it is there."""
    state = cached.text_model()
    if state == "ready":
        st.rerun()
    if state == "failed":
        st.error("The text model could not be loaded; the stored queries can still be searched.")
    else:
        st.info("The text model is being loaded, which takes some seconds after the start …")
