"""One composed query: where what fulfils it stands, and what else is asked of the same picture."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.digits import number
from dashboard.experiment import judging, measuring
from dashboard.experiment.collection import collections
from dashboard.views import layout, summary
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.cards.query_results import results_of
from dashboard.views.cards.rows import row_versions
from dashboard.views.experiments import experiment_of, submitted_of
from dashboard.views.protocols.composed.board import METRIC
from dashboard.views.texts import shown

MOST = 12
"""So many places are listed of one version."""


def query(view: View, query_id: str) -> None:
    """Draw the section of the Query screen."""
    experiment = experiment_of(view)
    found = results_of(experiment, query_id, row_versions(view))
    st.header("Ranks of the fulfilled items", anchor=False)
    submitted = {given.name for given in submitted_of(view)}
    layout.rows(
        places(found, summary.values(view, found), submitted),
        {"AP": number},
        hide_index=True,
        column_config={"AP": st.column_config.NumberColumn(width=60)},
    )
    st.caption(
        f"{len(found.relevant):,} of {len(found.labels):,} annotated items fulfil the query. AP is "
        "the mean over these of (fulfilled items up to a rank ÷ that rank), with ranks among the "
        "annotated items only."
    )
    _siblings(view, query_id)


def places(found: Any, values: pd.DataFrame, submitted: Collection[str]) -> pd.DataFrame:
    """A row for each version: AP, and the places of the fulfilled items among the annotated items
    and in the whole gallery. submitted: the versions of which nothing else is known."""
    measured = values[values["metric"] == METRIC].set_index("run")["value"]
    rows = []
    for version, whole in found.whole.items():
        ranked = found.ranked(version)
        rows.append(
            {
                "Version": shown(version),
                "AP": measured.get(version),
                f"Ranks among the {len(ranked):,} annotated": _listed(ranked, found.relevant),
                "Ranks in the whole gallery": "only annotated items are scored"
                if version in submitted
                else f"{_listed(whole, found.relevant)} of {_deep(whole)}",
            }
        )
    return pd.DataFrame(rows)


def _deep(whole: pd.DataFrame) -> str:
    """How many items a ranking holds; the first ones only where more would not fit in memory."""
    first = "the first " if whole.attrs.get("cut") else ""
    return f"{first}{whole.attrs.get('length', len(whole)):,}"


def _listed(run: pd.DataFrame, relevant: tuple[str, ...]) -> str:
    ranks = sorted(run.loc[run["item_id"].isin(relevant), "rank"].astype(int))
    more = f" and {len(ranks) - MOST:,} more" if len(ranks) > MOST else ""
    return ", ".join(map(str, ranks[:MOST])) + more or "none"


def siblings(queries: pd.DataFrame, query_id: str) -> list[str]:
    """The other queries that ask with the same picture. queries: query_id, item_id, image."""
    known = queries.set_index("query_id")
    asked_with = known["image"].where(known["image"] != "", known["item_id"])
    mine = asked_with[query_id]
    return [] if not mine else asked_with.index[asked_with == mine].drop(query_id).tolist()


def _siblings(view: View, query_id: str) -> None:
    """The same picture with other feedbacks, each with its AP; a click opens it."""
    experiment = experiment_of(view)
    others = siblings(judging.queries(experiment), query_id)
    if not others:
        return
    names, measured = (
        collections.query_names(collections.opened(view.collection)),
        _measured(view, others),
    )
    st.header("Same picture, other feedback", anchor=False)
    layout.rows(
        pd.DataFrame({"Query": [shown(names[other]) for other in others], **measured}),
        dict.fromkeys(measured, number),
        key="same-picture",
        hide_index=True,
        on_select=lambda: _open(others),
        selection_mode="single-row",
    )
    st.caption("Each row is another query. Select one to open it.")


def _measured(view: View, queries: list[str]) -> dict[str, Any]:
    """A column of AP, one a query, for the baseline and the candidate."""
    versions = tuple(dict.fromkeys([view.baseline, view.candidate]))
    values = measuring.measurements(experiment_of(view), versions, METRIC)
    table = values[values["query_id"].isin(queries)].pivot(
        index="query_id", columns="run", values="value"
    )
    table = table.loc[queries, list(versions)]
    return {f"AP in {shown(version)}": table[version].to_numpy() for version in versions}


def _open(others: list[str]) -> None:
    rows = st.session_state["same-picture"]["selection"]["rows"]
    if rows:
        bar.go(query=others[rows[0]], clip="")
