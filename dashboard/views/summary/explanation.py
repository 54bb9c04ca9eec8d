"""How the value of the metric in front comes about for one query, in numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.digits import decimals, number
from dashboard.evaluation.explain import explain_run
from dashboard.evaluation.metrics.explanation import Explanation
from dashboard.evaluation.metrics.registry import Measure, parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.ticks import ticks
from dashboard.experiment import judging, long_rankings, ranking
from dashboard.experiment.collection import collections
from dashboard.experiment.experiment import Experiment
from dashboard.tables import DataError
from dashboard.views import layout
from dashboard.views.address.choices import View
from dashboard.views.labels import formula, label, short_label
from dashboard.views.texts import plain, shown

SIDE_BY_SIDE = 2
"""So many versions stand beside each other; the tables need their room."""
WHOLE = 20
"""A list of so many ranks is shown whole; of a longer one the ranks that add something."""
MOST = 200
ADDING = ("hit", "has a grade", "term", "ideal term")
LETTER, NUMBER, ITEM = 7, 58, 260  # pixels: of a heading's letter, of 0.000, of an item's id
WHOLE_NUMBERS = ("grade", "ideal gain", "place")


def explained(view: View, experiment: Experiment, query_id: str, versions: Sequence[str]) -> None:
    """Draw how each version's value of one query comes about: equations, and a table of ranks.

    asked, query_id: one of the queries in question, as for the cards.
    """
    measure = parse(view.metric)[0]
    box = st.expander("How this value is computed", key="explained", on_change="rerun")
    if not box.open:  # worked out and sent only where somebody looks
        return
    with box:
        _definition(view, measure)
        for start in range(0, len(versions), SIDE_BY_SIDE):
            some = versions[start : start + SIDE_BY_SIDE]
            for column, version in zip(st.columns(len(some), gap="large"), some, strict=True):
                with column:
                    _version(view, experiment, measure, query_id, version)


def _definition(view: View, measure: Measure) -> None:
    """What the metric is, and where that stands."""
    entry = measure.metric
    st.markdown(f"**{plain(label(view, view.metric), None)}**")
    st.caption(
        plain(
            f"{entry.summary} Formula: {formula(measure)}. Source: {entry.source}.",
            None,
        )
    )


def _version(
    view: View, experiment: Experiment, measure: Measure, query_id: str, version: str
) -> None:
    judged = judging.counted_judgement(experiment)
    try:
        run = mine = ranking.counted_query_run(experiment, version, query_id)
        if judged.kinds:  # a value may depend on other queries
            run = long_rankings.measured_run(experiment, version, [measure])
    except (DataError, ValueError) as problem:
        st.markdown(f"**{plain(version)}**")
        st.caption(plain(str(problem), None))
        return
    protocol = PROTOCOLS[experiment.protocol]
    found = explain_run(measure, run, judged, protocol, query_id, mine)
    value = "not scored" if math.isnan(found.value) else number(found.value)
    st.markdown(f"**{plain(version)}** · {plain(short_label(view, view.metric))} = **{value}**")
    st.markdown("\n".join(f"- {plain(line, None)}" for line in found.lines))
    _steps(experiment, query_id, found)


def _steps(experiment: Experiment, query_id: str, found: Explanation) -> None:
    """The ranks as a table, and how many are left out."""
    steps = worth_a_look(found.steps)
    if steps.empty:
        return
    names = collections.item_names(experiment.collection)
    table = readable(steps, _keywords(experiment, query_id, steps), names)
    layout.rows(
        table,
        {name: _whole for name in table.columns if _is_whole(name, table[name])},
        hide_index=True,
        placeholder="",
        column_config={name: _column(name, table[name]) for name in table.columns},
    )
    if len(steps) < len(found.steps):
        st.caption(f"Table: {len(steps):,} of {len(found.steps):,} ranks, {_which(steps)}.")


def _which(steps: pd.DataFrame) -> str:
    if steps["rank"].iloc[-1] == len(steps):
        return "the first"
    return "all that contribute" if len(steps) < MOST else "the first that contribute"


def worth_a_look(steps: pd.DataFrame) -> pd.DataFrame:
    """All steps of a short list; of a longer one the first that add something."""
    adding = [name for name in ADDING if name in steps]
    if len(steps) <= WHOLE or not adding:
        return steps.head(MOST)
    return steps[(steps[adding].fillna(0) != 0).any(axis=1)].head(MOST)


def readable(
    steps: pd.DataFrame, keywords: dict[str, str], names: Mapping[str, str]
) -> pd.DataFrame:
    """The steps for a table on a screen: yes and no as marks, then the items' keywords, names and
    ids."""
    table = steps.drop(columns="item_id", errors="ignore")
    for name in table.select_dtypes("bool"):
        table[name] = table[name].map({True: "✓", False: "✗"})
    if "item_id" in steps:
        if keywords:
            table["keywords"] = steps["item_id"].map(keywords)
        ids = steps["item_id"]
        called = ids.map(lambda item: names.get(item, item), na_action="ignore")
        table["item"] = called.map(shown, na_action="ignore")
        if not called.equals(ids):
            table["id"] = ids.map(shown, na_action="ignore")
    return table


def _keywords(experiment: Experiment, query_id: str, steps: pd.DataFrame) -> dict[str, str]:
    """How many of the required keywords each item has, where relevance is made of them."""
    if not PROTOCOLS[experiment.protocol].of_keywords or "item_id" not in steps:
        return {}
    required = judging.required_keywords(experiment)
    mine = required[(required["query_id"] == query_id) & required["group"].isin(experiment.groups)]
    items = steps["item_id"].dropna().tolist()
    marks = ticks(mine, experiment.collection.keywords, items)
    known = marks[marks["present"].notna()]
    matched = known["present"].astype(bool).groupby(known["item_id"]).sum()
    return {str(item): f"{count} of {len(mine):,}" for item, count in matched.items()}


def _column(name: str, values: pd.Series) -> Any:
    width = ITEM if name in ("item", "id") else max(NUMBER, 16 + LETTER * len(name))
    if not pd.api.types.is_numeric_dtype(values):
        return st.column_config.TextColumn(width=width)
    if _is_whole(name, values):
        return st.column_config.NumberColumn(width=width)
    return st.column_config.NumberColumn(width=width, format=f"%.{decimals(values)}f")


def _is_whole(name: str, values: pd.Series) -> bool:
    if not pd.api.types.is_numeric_dtype(values):
        return False
    known = name in WHOLE_NUMBERS and bool((values.dropna() % 1 == 0).all())
    return known or pd.api.types.is_integer_dtype(values)


def _whole(value: Any) -> str:
    return "" if pd.isna(value) else layout.whole(value)
