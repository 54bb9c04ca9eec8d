"""Equation (1) of the hashing protocol for one pair: two codes bit by bit, and their distance."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.evaluation.binary_codes import CodePair
from dashboard.evaluation.protocols.hashing import TYPES
from dashboard.experiment import judging, ranking
from dashboard.experiment.collection import collections
from dashboard.experiment.collection.names import with_id
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.protocols import hash_codes
from dashboard.views import layout
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.cards.rows import row_versions
from dashboard.views.charts.hashing import code_bits
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import distinct_labels
from dashboard.views.texts import plain


def query(view: View, query_id: str) -> None:
    """Draw the section of the Query screen: the query's code and that of one result."""
    experiment = experiment_of(view)
    versions = row_versions(view)
    places = {version: _places(experiment, version, query_id) for version in versions}
    offered = _offered(view, places)
    if not offered:
        return
    st.header("Two codes, bit by bit", anchor=False)
    item_id = _chosen(view, experiment, offered)
    pairs = {v: hash_codes.code_pair(experiment, v, query_id, item_id) for v in versions}
    known = {version: pair for version, pair in pairs.items() if pair is not None}
    st.markdown(_graded(experiment, query_id, item_id))
    if not known:
        st.info("No version has hash codes of both the query and this item.")
        return
    layout.table(_numbers(known, places, item_id), "codes")
    st.caption(
        "Equation (1) of the source: for codes h of −1 and +1 with K bits, K ÷ 4 · ‖h ÷ ‖h‖ − h′ ÷ "
        "‖h′‖‖² = K ÷ 2 · (1 − cos) = (K − ⟨h, h′⟩) ÷ 2, the Hamming distance: the number of "
        "bits that differ. So cosine, inner product and Hamming distance give the same ranking."
    )
    for version, pair in known.items():
        _drawing(version, pair)
    without = [version for version in versions if version not in known]
    if without:
        st.caption(plain(f"Without codes of both: {', '.join(without)}.", None))


def _places(experiment: Experiment, version: str, query_id: str) -> dict[str, int]:
    """The rank of each item for one query."""
    mine = ranking.counted_query_run(experiment, version, query_id)
    return dict(zip(mine["item_id"].astype("str"), mine["rank"].astype(int), strict=True))


def _offered(view: View, places: dict[str, dict[str, int]]) -> list[str]:
    """The items to choose from: what the link names, what is open, and what the rows show."""
    depth = int(view.shown)
    of_rows = [item for ranks in places.values() for item, rank in ranks.items() if rank <= depth]
    named = [item for item in (view.pair, view.clip) if item]
    newest = list(places.values())[min(1, len(places) - 1)] if places else {}
    first = [item for item, rank in newest.items() if rank == 1]
    return list(dict.fromkeys([*named, *first, *of_rows]))


def _chosen(view: View, experiment: Experiment, offered: list[str]) -> str:
    names = collections.item_names(experiment.collection)
    labels = distinct_labels(offered, lambda item: with_id(names.get(item, item), item))
    st.session_state["choice-pair"] = offered[0]
    st.selectbox(
        "Compare query with",
        list(labels),
        key="choice-pair",
        format_func=labels.__getitem__,
        on_change=lambda: bar.go(pair=st.session_state["choice-pair"]),
        help="The item in the player, or any item of the rows above.",
    )
    return offered[0]


def _graded(experiment: Experiment, query_id: str, item_id: str) -> str:
    """Of which type the pair is, in words."""
    judged = judging.judgement(experiment)
    if query_id in judged.unscorable and judged.unscorable[query_id] != "no relevant item":
        return plain(f"Not judged: {judged.unscorable[query_id]}.")
    qrels = judged.qrels
    mine = qrels[(qrels["query_id"] == query_id) & (qrels["item_id"] == item_id)]
    grade = int(mine["grade"].iloc[0]) if len(mine) else 0
    relevant = "relevant" if grade >= judged.relevant_from else "not relevant"
    return f"A pair of **type {TYPES[grade]}**: grade {grade}, gain {2**grade - 1}, {relevant}."


def _numbers(
    pairs: dict[str, CodePair], places: dict[str, dict[str, int]], item_id: str
) -> pd.DataFrame:
    rows = [
        {
            "Version": plain(version),
            "Hamming distance": f"**{pair.distance}** of {pair.bits}",
            "(K − ⟨h, h′⟩) ÷ 2": f"({pair.bits} − {_signed(pair.inner)}) ÷ 2 = {pair.from_inner:g}",
            "K ÷ 2 · (1 − cos)": f"{pair.bits / 2:g} · (1 − {_signed(pair.inner / pair.bits)}) = "
            f"{round(pair.from_cosine, 9):g}",
            "K ÷ 4 · ‖…‖²": f"{round(pair.from_vectors, 9):g}",
            "Rank": f"{places[version][item_id]:,}" if item_id in places[version] else "–",
        }
        for version, pair in pairs.items()
    ]
    return pd.DataFrame(rows).set_index("Version")


def _signed(number: float) -> str:
    """A number as it stands behind a minus: negative ones in brackets."""
    text = f"{number:.4g}"
    return f"(−{text[1:]})" if text.startswith("-") else text


def _drawing(version: str, pair: CodePair) -> None:
    rows = [
        (place, whose, int(sign), bool(differs))
        for whose, code in (("query", pair.query), ("result", pair.item))
        for place, (sign, differs) in enumerate(zip(code, pair.differs, strict=True), start=1)
    ]
    table = pd.DataFrame(rows, columns=["place", "whose", "sign", "differs"])
    st.markdown(f"**{plain(version)}**, {pair.distance} of {pair.bits} bits differ")
    layout.chart(
        code_bits(table),
        alt=f"The codes of query and result in {version}; {pair.distance} bits differ",
    )
