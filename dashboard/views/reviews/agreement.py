"""How far reviewers agree on labels, and where a curator has to decide: labels and keywords."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.digits import number, percent
from dashboard.experiment.collection import collections
from dashboard.experiment.reviews import assigned_reviews, keyword_changes, review_queue
from dashboard.experiment.reviews.assigned_reviews import DECIDE, actor
from dashboard.tables import DataError, counted
from dashboard.views import address, layout
from dashboard.views.address.choices import View
from dashboard.views.cards.verdicts import keyword_in_words
from dashboard.views.labels import group_name
from dashboard.views.reviews.reviewer import name
from dashboard.views.texts import plain, shown

VALUES = {"relevant": "Relevant", "not": "Not relevant", "unsure": "Label stays"}
MOST = 20
"""Disagreements that are drawn; the others follow once these are decided."""
_PROBLEM = "decision-problem"


def agreement(view: View) -> None:
    """Draw alpha and kappa, and the pairs on which reviewers differ; nothing without pairs that
    several judged."""
    collection = collections.opened(view.collection)
    table = review_queue.agreement(collection)
    st.header("Agreement on labels", anchor=False)
    if table.empty:
        st.caption("No result was judged by two reviewers yet.")
        return
    layout.table(_readable(table).set_index("Measure"), "agreement")
    st.caption(
        "Krippendorff's alpha of all reviewers, Cohen's kappa of each two, with 95 % intervals "
        "(bootstrap over pairs of query and result that two or more judged)."
    )
    left = review_queue.undecided(collection)
    if left.empty:
        st.caption("No disagreement is undecided.")
        return
    st.subheader(f"{counted(len(left), 'disagreement')} to decide", anchor=False)
    _problem()
    queries, items = collections.query_names(collection), collections.item_names(collection)
    for row in left.head(MOST).to_dict("records"):
        query, item = str(row["query_id"]), str(row["item_id"])
        _pair(view, query, item, queries.get(query, query), items.get(item, item), row["values"])
    if len(left) > MOST:
        st.caption(f"First {MOST} of {len(left):,}.")


def _readable(table: pd.DataFrame) -> pd.DataFrame:
    rows = table.to_dict("records")
    return pd.DataFrame(
        {
            "Measure": [str(row["measure"]) for row in rows],
            "Reviewers": [plain(shown(str(row["reviewers"]))) for row in rows],
            "Value": [number(row["value"]) for row in rows],
            "95 % interval": [f"{number(row['low'])} to {number(row['high'])}" for row in rows],
            "Pairs": [f"{row['pairs']:,}{' (few)' if row['few'] else ''}" for row in rows],
            "Alike, %": [percent(row["alike"]) for row in rows],
        }
    )


def _disagreement(about: str) -> Any:
    """A frame; on a phone the name in it takes as many lines as it needs."""
    return st.container(
        border=True, horizontal=True, vertical_alignment="center", key=f"to-decide-{about}"
    )


def _pair(view: View, query: str, item: str, title: str, result: str, values: str) -> None:
    """One pair with what reviewers say, a link to it, and a curator's choices."""
    with _disagreement(f"{query}-{item}"):
        st.page_link(
            "screens/query.py",
            label=plain(f"{title}: {result}"),
            query_params=address.link(view, query=query, clip=item),
        )
        st.caption(plain(values, None), width="content")
        if not actor().may(DECIDE):
            return
        for value, words in VALUES.items():
            st.button(
                words,
                key=f"decide-{value}-{query}-{item}",
                on_click=_decide,
                args=(view.collection, query, item, value),
            )


def _decide(collection: str, query: str, item: str, value: str) -> None:
    """Save a decision: for callbacks."""
    try:
        opened = collections.opened(collection)
        assigned_reviews.decide(opened, query, item, value, name())
    except (ValueError, DataError) as problem:
        st.session_state[_PROBLEM] = f"Not saved: {problem}"


def keywords_to_decide(view: View) -> None:
    """Draw the keywords of items and of queries' words on which reviewers differ; nothing where
    they do not."""
    collection = collections.opened(view.collection)
    left = keyword_changes.undecided_keywords(collection)
    if left.empty:
        return
    st.header(f"{counted(len(left), 'keyword')} to decide", anchor=False)
    _problem()
    queries, items = collections.query_names(collection), collections.item_names(collection)
    for row in left.head(MOST).to_dict("records"):
        of_item = row["kind"] == keyword_changes.KEYWORD
        name = (items if of_item else queries).get(row["id"], row["id"])
        with _disagreement(f"{row['kind']}-{row['id']}-{row['group']}-{row['keyword']}"):
            title = f"{row['keyword']} ({group_name(row['group'])}): {name}"
            st.page_link(
                "screens/query.py",
                label=plain(title),
                query_params=address.link(view, **({"clip" if of_item else "query": row["id"]})),
            )
            words = ", ".join(f"{who}: {keyword_in_words(value)}" for who, value in row["reviews"])
            st.caption(plain(words, None), width="content")
            if actor().may(DECIDE):
                _choices(view.collection, row)
    if len(left) > MOST:
        st.caption(f"First {MOST} of {len(left):,}.")


def _choices(collection: str, row: dict[Hashable, Any]) -> None:
    """A button for each thing that reviewers say."""
    about = tuple(str(row[name]) for name in ("kind", "id", "group", "keyword"))
    for value in sorted({value for _, value in row["reviews"]}):
        st.button(
            plain(keyword_in_words(value)).capitalize(),
            key=f"decide-{value}-{'-'.join(about)}",
            on_click=_decide_keyword,
            args=(collection, *about, value),
        )


def _decide_keyword(
    collection: str, kind: str, subject: str, group: str, keyword: str, value: str
) -> None:
    """Save a decision: for callbacks."""
    try:
        opened = collections.opened(collection)
        decision = keyword_changes.DECISIONS[kind]
        keyword_changes.save(opened, decision, subject, group, keyword, value, name())
    except (ValueError, DataError) as problem:
        st.session_state[_PROBLEM] = f"Not saved: {problem}"


def _problem() -> None:
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.error(plain(problem, None), icon=":material/error:")
