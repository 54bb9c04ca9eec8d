"""What reviewers hold to be the cause of wrong results: counts of verdicts by cause and slice."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.evaluation.reviewing.cause_counts import NO_CAUSE, RULE
from dashboard.experiment.reviews import reviewing
from dashboard.views import layout
from dashboard.views.address.choices import View
from dashboard.views.cards.verdicts import CAUSES
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import group_name, slice_name
from dashboard.views.summary.measurements import selected
from dashboard.views.texts import plain, shown


def verdicts_by_cause(view: View, by: str = "") -> None:
    """Draw how many results reviewers judged, by cause: on all queries, and on each slice of a kind
    or, of all kinds, on those with a judged result. Nothing where nobody judged one.

    by: the kind of slices; empty: all kinds.
    """
    experiment = experiment_of(view)
    counts = reviewing.verdicts_by_cause(experiment, selected(view, experiment), by)
    table, sentence = counts.table, counts.sentence
    if table.empty:
        st.caption(plain(sentence, None))
    elif table["judged"].notna().any():
        rows = table if by else table[table["judged"].notna()]
        with layout.section(plain(f"Verdicts: {sentence}", None), "verdicts"):
            layout.rows(_readable(rows, kinds=not by), hide_index=True, key=f"causes-{by}")
            agreement = reviewing.agreement_on_labels(experiment)
            st.caption(plain(f"{RULE} {agreement}".strip(), None))
    if counts.machines:
        st.caption(plain(counts.machines, None), help="A machine's answers are no verdicts.")


def _readable(table: pd.DataFrame, *, kinds: bool) -> pd.DataFrame:
    """The counts under names that a reader knows; `kinds`: slices of several kinds are in it."""
    parts = zip(table["by"], table["slice"], strict=True)
    names = [
        f"{shown(slice_name(by, part))} ({group_name(by)})"
        if kinds and by != "all"
        else shown(part)
        for by, part in parts
    ]
    counts = {"judged": "Judged", "people": "People"}
    counts |= {cause: CAUSES.get(cause, cause).capitalize() for cause in table.columns[5:-1]}
    counts[NO_CAUSE] = NO_CAUSE.capitalize()
    return pd.DataFrame({"Slice": names}).assign(
        **{words: table[name].to_numpy() for name, words in counts.items()}
    )
