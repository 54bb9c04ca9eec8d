"""The results of one query: choices of how they are shown, the cards, the numbers behind them."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from dashboard.experiment.collection import collections
from dashboard.experiment.experiment import Experiment
from dashboard.views import layout, summary
from dashboard.views.address import bar
from dashboard.views.address.choices import DENSITIES, DIFFERING, View
from dashboard.views.address.columns import columns_of
from dashboard.views.cards.grid import draw_grid
from dashboard.views.cards.order import Order
from dashboard.views.cards.query_results import results_of
from dashboard.views.cards.rows import MOST_ROWS, row_versions
from dashboard.views.cards.similarity_histogram import histogram, similarities
from dashboard.views.cards.verdicts import draw_verdicts, read_verdicts
from dashboard.views.experiments import versions_of
from dashboard.views.frame.steps import find, open_beside, open_clip, show_missed
from dashboard.views.frame.widgets import MOST, segments
from dashboard.views.labels import distinct_labels
from dashboard.views.texts import plain

TIPS = {
    "columns": "How many cards stand side by side; Scroll puts each row in one line.",
    "differing": "Differences only hides results that have the same rank in every version.",
    "density": "A compact card shows the rest of what is known while you rest on it.",
}


def show_results(
    view: View, experiment: Experiment, query_id: str, order: Order | None = None
) -> None:
    """Draw one query with the results of each version, and how its values come about.

    order: the queries to step through.
    """
    versions = row_versions(view)
    results = results_of(experiment, query_id, versions, order.together if order else ())
    front = summary.in_front(view, results)
    verdicts = read_verdicts(results)
    with st.container(key="found"):
        look(view, order)
        draw_grid(
            results,
            view,
            front,
            summary.head_of(view, results, front),
            verdicts,
            order,
            on_open=partial(open_clip, view.query),
            on_beside=partial(open_beside, view.query),
            on_missed=partial(show_missed, view.query),
        )
    if verdicts is not None:
        draw_verdicts(view, results, verdicts)
    summary.values_table(view, results)
    summary.explained(view, experiment, query_id, versions)
    similarity(view, results)


def look(view: View, order: Order | None) -> None:
    """How the rows of cards are shown, and which queries are stepped through."""
    columns = columns_of(collections.opened(view.collection))
    with st.container(key="look"), st.popover("View", icon=":material/tune:"):
        _further(view)
        segments("Cards per row", "columns", columns, view, tip=TIPS["columns"])
        if len(row_versions(view)) > 1:
            segments("Show", "differing", DIFFERING, view, tip=TIPS["differing"])
        segments("Density", "density", DENSITIES, view, tip=TIPS["density"])
        if order is not None and (order.total > MOST or view.find):
            find(view)


def _further(view: View) -> None:
    known = versions_of(view)
    others = [version for version in known if version not in (view.baseline, view.candidate)]
    if not others:
        return
    chosen = [version for version in row_versions(view) if version in others]
    st.session_state["choice-also"] = chosen
    title, offered = "Add version", chosen if len(chosen) == MOST_ROWS - 2 else others
    labels = distinct_labels(offered, str)
    with layout.buttons(labels.values(), "also", layout.width(labels.values(), title)):
        st.pills(
            title,
            list(labels),
            selection_mode="multi",
            key="choice-also",
            format_func=lambda version: plain(labels[version], None),
            help="Adds a row with the results of another version.",
            on_change=lambda: bar.go(also=",".join(st.session_state["choice-also"])),
        )


def similarity(view: View, found: Any) -> None:
    """How similar relevant and other items are to this query, and the least that counts."""
    box = st.expander(
        "Similarity of relevant and other items",
        expanded=view.min_similarity > -1,
        key="similarity",
        on_change="rerun",
    )
    if not box.open:  # drawn and sent only where somebody looks
        return
    with box:
        counted = similarities(found)
        if counted.empty:
            st.info("No version has similarities for this query.")
            return
        _least(view)
        for version, column in zip(found.whole, st.columns(len(found.whole)), strict=True):
            with column:
                st.markdown(f"**{plain(version)}**")
                layout.chart(
                    histogram(counted, version, view.min_similarity),
                    alt=f"Items by similarity in {version}, relevant and not relevant",
                )
                st.caption(plain(_left(found, version), None))


def _least(view: View) -> None:
    """The least similarity that counts, to choose."""
    st.session_state["choice-min_similarity"] = view.min_similarity
    st.slider(
        "Similarity threshold",
        -1.0,
        1.0,
        step=0.01,
        key="choice-min_similarity",
        on_change=lambda: bar.go(min_similarity=st.session_state["choice-min_similarity"]),
        help="Results below this similarity are removed on all screens and from all metrics; "
        "P@K still divides by K.",
    )


def _left(found: Any, version: str) -> str:
    relevant = set(found.relevant)
    whole = found.every(version)
    run = whole if version in found.brief else found.unbroken(version)
    kept, there = len(relevant & set(run["item_id"])), len(relevant & set(whole["item_id"]))
    return f"{len(run):,} of {len(whole):,} items remain, {kept:,} of {there:,} relevant."
