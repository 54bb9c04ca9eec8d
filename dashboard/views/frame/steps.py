"""What a screen lets a reader do beside the shared choices: filter, step, search, open a clip."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from dashboard.experiment.collection import collections
from dashboard.tables import counted
from dashboard.views import layout
from dashboard.views.address import bar
from dashboard.views.address.choices import NOTHING_OPEN, OUTCOMES, View
from dashboard.views.cards.order import Order, order_of
from dashboard.views.frame.widgets import MOST, around, means, segments
from dashboard.views.labels import distinct_labels
from dashboard.views.texts import plain


def filters(view: View) -> None:
    """Which queries are listed: by outcome, by their words, and by what a chart's click chose."""
    with layout.buttons(OUTCOMES.values(), "outcome"):
        segments("Outcome", "outcome", OUTCOMES, view)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        find(view)
        if view.between or view.at or view.find:
            range_ = view.between or view.at.replace("..", " → ")
            st.button(
                f"Clear filter ({plain(range_)})" if range_ else "Clear filter",
                icon=":material/close:",
                on_click=lambda: bar.go(between="", at="", find=""),
            )


WHOLE = {"outcome": "all", "between": "", "at": "", "find": ""}
"""What the keys that narrow the listed queries hold where all are listed."""


def narrowed(view: View, number: int) -> bool:
    """Say what narrows the queries to so many of them, with a way back to all; whether anything
    does."""
    if all(getattr(view, key) == usual for key, usual in WHOLE.items()):
        return False
    ways = [f'"{view.find}"'] if view.find else []
    ways += [f"outcome {OUTCOMES[view.outcome]}"] if view.outcome != WHOLE["outcome"] else []
    ways += [f"difference {view.between.replace('..', ' to ')}"] if view.between else []
    ways += [f"values {view.at.replace('..', ' → ')}"] if view.at else []
    if number:
        listed = f"{counted(number, 'query matches', 'queries match')} {', '.join(ways)}."
    else:
        listed = f"No query matches {', '.join(ways)}."
    with st.container(horizontal=True, vertical_alignment="center", key="narrowed"):
        say = st.caption if number else st.info
        say(plain(listed, None))
        st.button("Clear filter", icon=":material/close:", on_click=lambda: bar.go(**WHOLE))
    return True


def clicked(chart: str, key: str, *fields: str) -> Callable[[], None]:
    """A callback that puts what was clicked in a chart into the address, as `low..high`."""

    def chosen() -> None:
        points = st.session_state[chart]["selection"].get("pick", [])
        if points:
            bar.go(**{key: "..".join(f"{points[0][field]:.6g}" for field in fields)})

    return chosen


def steps(view: View, query_id: str, order: pd.DataFrame, how: str) -> None:
    """Go to the previous or next query of an order, by button or by the keys k and j, where there
    are no cards that step. how: which order it is, in words."""
    ids = order["query_id"].tolist()
    place = ids.index(query_id) if query_id in ids else -1
    with st.container(horizontal=True, vertical_alignment="bottom", key="steps"):
        _step("Previous", "k", ids[place - 1] if place > 0 else "", "arrow_back", 112)
        after = ids[place + 1] if place + 1 < len(ids) else ""
        _step("Next", "j", after, "arrow_forward", 88)
        if len(ids) > MOST or view.find:
            find(view)
        _queries(view, query_id, ids, place, how)


def ordered(view: View, query_id: str, order: pd.DataFrame) -> Order:
    """The order of the queries, worst difference first, for the cards to step through."""
    names = collections.query_names(collections.opened(view.collection))
    worse = (order["outcome"] == "worse").tolist()
    return order_of(order["query_id"].tolist(), worse, names, query_id)


def _queries(view: View, query_id: str, ids: Sequence[str], place: int, how: str) -> None:
    """The drop-down of the queries in their order; of many those around the open one."""
    names = collections.query_names(collections.opened(view.collection))
    offered = around(ids, place)
    labels = distinct_labels([*offered] if place >= 0 else [query_id, *offered], names.__getitem__)
    st.session_state["choice-query"] = query_id
    st.selectbox(
        f"Query {place + 1:,} of {len(ids):,}, {how}" if place >= 0 else "Query",
        list(labels),
        key="choice-query",
        format_func=labels.__getitem__,
        help="Opens another query of this order.",
        on_change=lambda: bar.go(query=st.session_state["choice-query"], **NOTHING_OPEN),
    )


def find(view: View) -> None:
    """A field for words that the listed queries must hold."""
    st.session_state["choice-find"] = view.find
    st.text_input(
        "Find queries",
        key="choice-find",
        max_chars=200,
        help=means("find"),
        on_change=lambda: bar.go(find=st.session_state["choice-find"].strip()),
    )


def _step(title: str, key: str, query_id: str, icon: str, width: int) -> None:
    """A button that leads to a query. width: pixels, so that its neighbours know their places."""
    st.button(
        title,
        shortcut=key,
        disabled=not query_id,
        icon=f":material/{icon}:",
        width=width,
        on_click=lambda: bar.go(query=query_id, **NOTHING_OPEN),
    )


def open_clip(query_id: str, item_id: str) -> None:
    """Put the clip whose player was opened (or none) into the address, with the query that is
    shown (or none), which the address may not name yet."""
    query = {"query": query_id} if query_id else {}
    bar.go(clip=item_id, **query, **({} if item_id else {"beside": ""}))


def show_missed(query_id: str, first: str) -> None:
    """Show the missed items from the one at this place on; the query as above."""
    bar.go(missed=first, **({"query": query_id} if query_id else {}))


def open_beside(query_id: str, item_id: str) -> None:
    """Put the clip that plays in step with the open one (or none) into the address, as above."""
    bar.go(beside=item_id, **({"query": query_id} if query_id else {}))
