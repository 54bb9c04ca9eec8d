"""Numbers as sentences and tables on a screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.comparison import compare
from dashboard.evaluation.comparison.verdict import SIGNIFICANT
from dashboard.evaluation.digits import number, signed
from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols.hashing import signs_in_a_sentence
from dashboard.evaluation.protocols.protocol import NOT_JUDGED
from dashboard.experiment import collections, judging, ranking
from dashboard.tables import counted
from dashboard.views import layout
from dashboard.views.address import bar
from dashboard.views.experiments import experiment_of, versions_of
from dashboard.views.labels import group_name, label
from dashboard.views.summary import asking
from dashboard.views.summary.measured import comparison, is_measure, metrics_in_view
from dashboard.views.texts import badge, plain, shown
from dashboard.views.view import View

COLUMNS = {
    "Picture": st.column_config.ImageColumn(width=60),
}
TARGET = "Not scored. Describe the target to see scores."
MOST_LISTED = 500
"""The table of a longer list shows its first rows; the files that can be saved have all of them."""


def comparable(view: View) -> bool:
    """Whether a difference may be drawn; if not, says why and offers to draw it anyway."""
    if view.baseline == view.candidate:
        gone = collections.opened(view.collection).broken
        why = f" Left out because of faulty files: {', '.join(gone)}." if gone else ""
        alone = len(versions_of(view)) == 1
        told = (
            "This collection has one version. Add a second one to compare."
            if alone
            else ("Baseline and candidate are the same version. Choose another candidate.")
        )
        st.info(plain(f"{told}{why}", None))
        return False
    experiment = experiment_of(view)
    ways = ranking.unlike(experiment, view.baseline, view.candidate)
    if ranking.identical(experiment, view.baseline, view.candidate):
        st.info(plain(f"{view.baseline} and {view.candidate} have the same content."))
    if not ways:
        return True
    st.error(plain(f"These versions are not comparable: {'; '.join(ways)}.", None))
    if view.anyway != "yes":
        st.button("Compare anyway", on_click=lambda: bar.go(anyway="yes"))
    return bool(view.anyway == "yes")


def verdict(view: View) -> None:
    """Say in one line whether the candidate is better at the metric in front (if comparable)."""
    rows = comparison(view)
    row = rows[rows["metric_name"] == view.metric].iloc[0]
    sentence = compare.verdict(row, view.baseline, view.candidate, label=label(view, view.metric))
    icon, colour = _sign(row)
    with st.container(border=True):
        st.markdown(f":{colour}[:material/{icon}:] {plain(sentence, None)}.")
        by_signs(view, (view.baseline, view.candidate))


def by_signs(view: View, versions: Sequence[str]) -> None:
    """Say which versions are judged by the signs of real-valued outputs, where some are."""
    known = collections.opened(view.collection).by_signs(view.protocol)
    if some := [version for version in dict.fromkeys(versions) if version in known]:
        st.caption(plain(signs_in_a_sentence(some), None))


def _sign(row: pd.Series) -> tuple[str, str]:
    if not row["p_holm"] < SIGNIFICANT:
        return "drag_handle", "gray"
    return ("trending_up", "green") if row["delta"] > 0 else ("trending_down", "red")


def values_table(view: View, table: pd.DataFrame) -> None:
    """One query's value by each metric, a column a version."""
    rows = []
    for metric in metrics_in_view(view):
        mine = table[is_measure(table, parse(metric)[0])].set_index("run")["value"]
        rows.append(
            {
                "Metric": plain(label(view, metric)),
                **{plain(v): _number(x) for v, x in mine.items()},
            }
        )
    with st.expander("All metrics of this query"):
        st.table(pd.DataFrame(rows).set_index("Metric"))


def _number(value: float) -> str:
    return "not scored" if pd.isna(value) else number(value)


def describe(view: View, found: Any) -> None:
    """The query in words, the keywords that it asks for, and how many items have them all."""
    if not asking.has_picture(found):
        _described(view, found)
        return
    left, right = st.columns([1, 6], gap="medium")
    with left:
        asking.picture(found)
    with right:
        _described(view, found)


def _described(view: View, found: Any) -> None:
    st.header(plain(asking.title(found)), anchor=False)
    asking.feedback(found)
    scores = judging.query_keywords(found.experiment)
    scores = scores[(scores["query_id"] == found.query_id) & scores["kept"]]
    needed = judging.required_keywords(found.experiment)
    chips = [
        _chip(row, scores, row["group"] in view.groups)
        for row in needed[needed["query_id"] == found.query_id].to_dict("records")
    ]
    reason = judging.counted_judgement(found.experiment).unscorable.get(found.query_id)
    relevant = len({found.as_one(item) for item in found.relevant})
    count = f"{counted(relevant, 'relevant item')} {_among(found)}"
    if found.experiment.picture and not found.experiment.text and found.protocol.of_keywords:
        reason = TARGET
    elif reason == NOT_JUDGED and found.experiment.live:
        asks = ", and none asks for this item" * bool(
            found.experiment.item and found.protocol.mutual
        )
        reason = f"only stored queries have judgements{asks}"
    scored = TARGET if reason == TARGET else f"Not scored: {reason}." if reason else count
    st.markdown(" ".join([*chips, plain(scored)]))
    asking.judged_how(found.experiment)


def _among(found: Any) -> str:
    """Of how many the relevant items are: of the annotated ones, where others are not ranked."""
    if not found.protocol.condensed:
        return "in the collection"
    annotated = len({found.as_one(item) for item in found.judged})
    return f"of {counted(annotated, 'annotated item')}; others are not ranked"


def _chip(row: dict[str, str], scores: pd.DataFrame, counts: bool) -> str:
    """A keyword with what it was mapped from; grey where its group does not count."""
    mine = scores[(scores["group"] == row["group"]) & (scores["keyword"] == row["keyword"])]
    words = [f"“{n}” {s:.2f}" for n, s in zip(mine["ngram"], mine["score"], strict=True)]
    source = f" ← {', '.join(words)}" if words else ""
    text = (
        f"{row['keyword']}{source}"
        if counts
        else f"{row['keyword']} ({group_name(row['group'])} does not count)"
    )
    return badge(text, "blue" if counts else "gray")


def readable(table: pd.DataFrame, view: View) -> pd.DataFrame:
    """The queries by difference with words a reader knows, for the table on a screen."""
    pictures = asking.pictures(view, table["query_id"])
    return pd.DataFrame(
        {
            "Difference": table["delta"],
            **({} if pictures is None else {"Picture": pictures}),
            "Query": asking.words(view, table["query_id"]),
            "Baseline": table["baseline"],
            "Candidate": table["candidate"],
            **({"Why not scored": table["why"]} if (table["why"] != "").any() else {}),
        }
    )


WRITTEN = {"Difference": signed, "Baseline": number, "Candidate": number}


def pick_query(view: View, table: pd.DataFrame, total: int) -> str:
    """The queries by difference as a table; the id of the one that was ticked, or nothing."""
    if table.empty:
        st.info(plain(no_match(view), None))
        return ""
    first = table.head(MOST_LISTED)
    ticked = layout.rows(
        readable(first, view),
        key="queries-by-difference",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        column_config=COLUMNS,
        written=WRITTEN,
    )
    st.caption(f"{listed(len(table), total)} Select one to open it.")
    rows = ticked["selection"]["rows"]
    return str(table["query_id"].iloc[rows[0]]) if rows else ""


def no_match(view: View) -> str:
    """Why no query is listed."""
    if view.find and not view.between and not view.at and view.outcome == "all":
        return f'No query matches "{view.find}".'
    return "No query matches these filters."


def listed(number: int, total: int) -> str:
    """How many queries a table lists, of how many.

    >>> listed(113, 113), listed(2, 113), listed(2400, 2400), listed(900, 2400)
    ('113 queries.', '2 of 113 queries.', 'First 500 of 2,400 queries.', \
'First 500 of 900 selected queries, 2,400 in all.')
    """
    if number <= MOST_LISTED:
        few = f"{number:,} of " if number < total else ""
        return f"{few}{counted(total, 'query', 'queries')}."
    if number == total:
        return f"First {MOST_LISTED} of {total:,} queries."
    return f"First {MOST_LISTED} of {number:,} selected queries, {total:,} in all."


SLICE_COLUMNS = {
    "Difference": st.column_config.NumberColumn(width=76),
    "from": st.column_config.NumberColumn(width=60),
    "to": st.column_config.NumberColumn(width=60),
    "Queries": st.column_config.NumberColumn(width=60),
}
SLICES_WRITTEN = dict.fromkeys(("Difference", "from", "to"), signed)


def readable_slices(table: pd.DataFrame) -> pd.DataFrame:
    """Slices of the candidate by their difference, for the table on a screen."""
    return pd.DataFrame(
        {
            "Slice": table["slice"].map(shown),
            "Difference": table["delta"],
            "from": table["delta_low"],
            "to": table["delta_high"],
            "Queries": table["common"],
        }
    )
