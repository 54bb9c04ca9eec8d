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
from dashboard.views.table_files import save_button, table_file
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
    _table(experiment, own, "Text" if is_picture else "Picture")
    st.caption(f"Ranks among {gallery}{best}.")
    if len(asking):
        st.markdown("**Reverse direction:** rank of this picture for each of its texts")
        _table(experiment, asking, "Text", bold=False)
        st.caption(f"Ranks among {matching.gallery_size(experiment, TEXT):,} pictures.")
    save_button(view, "ranks.csv", query=query_id)


@table_file("ranks", lambda view: f"{view.collection}-ranks-{view.query}", under="crossmodal")
def ranks_of_answers(view: View) -> pd.DataFrame:
    """Every right answer of the query in view, and every query that it answers, version by version:
    query_id, item_id, name, version, rank (null where none is known)."""
    experiment = experiment_of(view)
    if not judging.is_query(experiment, view.query):
        raise DataError(view.collection, f"no query {view.query[:80]!r}", "one of its queries")
    own, asking = matching.answers(experiment, view.query)
    ranked = []
    for part in (own, asking):
        found, _ = _ranks(experiment, part)
        for version in experiment.collection.versions:
            ranks = found.get(version, pd.Series(pd.NA, index=part.index, dtype="Int64"))
            ranked.append(part.assign(version=version, rank=ranks))
    return pd.concat(ranked, ignore_index=True)


def _ranks(
    experiment: Experiment, pairs: pd.DataFrame
) -> tuple[dict[str, pd.Series], list[DataError]]:
    """The rank of each pair by version, and why some have none."""
    found, problems = {}, []
    for version in experiment.collection.versions:
        try:
            found[version] = matching.ranks(experiment, pairs, version).set_axis(pairs.index)
        except DataError as problem:
            problems.append(problem)
    return found, problems


def _table(experiment: Experiment, pairs: pd.DataFrame, what: str, bold: bool = True) -> None:
    """Draw the rank of each pair in every version."""
    shown, (found, problems) = {}, _ranks(experiment, pairs)
    for version, ranks in found.items():
        best = ranks.min() if bold and len(pairs) > 1 else None
        shown[plain(version)] = [_cell(rank, best) for rank in ranks]
    names = pd.Index([plain(name) for name in pairs["name"]], name=what)
    layout.table(pd.DataFrame(shown, index=names), "own" if bold else "asking")
    for problem in problems:
        st.caption(plain(f"Left out: {problem}", None))


def _cell(rank: Any, best: Any) -> str:
    if pd.isna(rank):
        return "not found"
    return f"**{rank:,}**" if rank == best else f"{rank:,}"
