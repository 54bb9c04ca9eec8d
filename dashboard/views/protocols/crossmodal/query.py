"""One picture with all its texts, or one text with its picture: their ranks in every version."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.protocols.crossmodal import IMAGE, TEXT
from dashboard.experiment import judging
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.protocols import matching
from dashboard.tables import DataError
from dashboard.views import layout
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of
from dashboard.views.protocols.tables import take_away
from dashboard.views.texts import plain


def query(view: View, query_id: str) -> None:
    """Draw the section of the Query screen: every right answer with its rank in each version."""
    experiment = experiment_of(view)
    kind = judging.judgement(experiment).kinds.get(query_id, "")
    own, asking = matching.answers(experiment, query_id)
    if own.empty:
        return
    is_picture = kind == IMAGE
    gallery = f"{matching.gallery_size(experiment, kind):,} {'texts' if is_picture else 'pictures'}"
    st.header("Its texts" if is_picture else "Its picture", anchor=False)
    best = "; the best per version, in bold, counts for R@K" if len(own) > 1 else ""
    found = [_table(experiment, own, "Text" if is_picture else "Picture")]
    st.caption(f"Ranks among {gallery}{best}.")
    if len(asking):
        st.markdown("**Reverse direction:** rank of this picture for each of its texts")
        found.append(_table(experiment, asking, "Text", bold=False))
        st.caption(f"Ranks among {matching.gallery_size(experiment, TEXT):,} pictures.")
    take_away(view, pd.concat(found, ignore_index=True), f"ranks-{query_id}")


def _table(
    experiment: Experiment, pairs: pd.DataFrame, what: str, bold: bool = True
) -> pd.DataFrame:
    """Draw the rank of each pair in every version; gives the pairs with the ranks as columns."""
    shown, found, left_out = {}, pairs, []
    for version in experiment.collection.versions:
        try:
            ranks = matching.ranks(experiment, pairs, version)
        except DataError as problem:
            left_out.append(str(problem))
            continue
        best = ranks.min() if bold and len(pairs) > 1 else None
        shown[plain(version)] = [_cell(rank, best) for rank in ranks]
        found = found.assign(**{version: ranks.to_numpy()})
    names = pd.Index([plain(name) for name in pairs["name"]], name=what)
    layout.table(pd.DataFrame(shown, index=names), "own" if bold else "asking")
    for sentence in left_out:
        st.caption(plain(f"Left out: {sentence}", None))
    return found


def _cell(rank: Any, best: Any) -> str:
    if pd.isna(rank):
        return "not found"
    return f"**{rank:,}**" if rank == best else f"{rank:,}"
