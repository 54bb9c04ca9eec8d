"""Query by query through the lists that people saw, of a collection that has no version."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.experiment import judging
from dashboard.experiment.collection import collections
from dashboard.experiment.protocols import context_study
from dashboard.views import frame, summary
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of
from dashboard.views.protocols.context.query import query
from dashboard.views.texts import plain

ORDER = "in file order"


def browse(view: View) -> None:
    """Draw the open query, else the first, with steps to the others that lists were seen of."""
    order = seen(view)
    narrowed = frame.narrowed(view, len(order))
    if order.empty and not view.query:
        if not narrowed:
            st.info("No list belongs to these queries. Choose other queries on the left.")
        return
    query_id = view.query or str(order["query_id"].iloc[0])
    frame.show_query(view, query_id)
    frame.steps(view, query_id, order, ORDER)
    st.header(
        plain(collections.query_names(collections.opened(view.collection))[query_id]), anchor=False
    )
    query(view, query_id)


def seen(view: View) -> pd.DataFrame:
    """The queries in view that people saw a list of: query_id, outcome (none of them has one)."""
    known, experiment = context_study.lists_of(view.collection), experiment_of(view)
    listed = set(known.places["query_id"]) if known else set()
    only = summary.selected(view, experiment)
    names = collections.query_names(collections.opened(view.collection))
    ids = [
        query
        for query in judging.queries(experiment)["query_id"].astype("str")
        if query in listed
        and (only is None or query in only)
        and view.find.lower() in names[query].lower()
    ]
    return pd.DataFrame({"query_id": pd.Series(ids, dtype="str"), "outcome": "null"})
