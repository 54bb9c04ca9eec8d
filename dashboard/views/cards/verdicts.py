"""Reviewers' verdicts on the results of a query: saved from the player, shown on the cards.

They are stored apart from the judgements; no metric changes with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.experiment.reviews import reviewing
from dashboard.tables import DataError, counted
from dashboard.views.address.choices import View
from dashboard.views.cards.query_results import QueryResults
from dashboard.views.experiments import experiment_of
from dashboard.views.table_files import save_button, table_file
from dashboard.views.texts import plain, shown

WORDS = {"relevant": "relevant", "not": "not relevant", "unsure": "unsure", "": "removed"}
CAUSES = {"mapping": "keyword mapping"}
LAST = 5  # reviewers whose words go to the player; the card counts them all
NOTE = 300  # letters of a note there
_OUTCOME = "verdict-answer"


def names_of_query(results: QueryResults) -> list[str]:
    """Collection and query: a verdict that arrives late names the query that it was given for."""
    return reviewing.subject_of(results.experiment, results.query_id)


def latest_verdicts(results: QueryResults) -> pd.DataFrame:
    """The latest verdict of each reviewer on each result of this query: the table REVIEWS.

    Raises DataError where the file of reviews cannot be read.
    """
    return reviewing.verdicts(results.experiment, results.query_id)


def verdicts_by_item(verdicts: Sequence[Mapping[Any, Any]]) -> dict[str, list[Any]]:
    """For each item what its card shows: all verdicts in words, and the last ones with author,
    verdict, note and day. verdicts: rows of the table REVIEWS, oldest first."""
    by_item: dict[str, list[Mapping[Any, Any]]] = {}
    for verdict in verdicts:
        by_item.setdefault(str(verdict["item_id"]), []).append(verdict)
    return {item: [_counted(mine), _last(mine)] for item, mine in sorted(by_item.items())}


def in_words(value: str, cause: str = "") -> str:
    """A verdict in words, with the cause that its reviewer named: `not relevant: model`."""
    word = WORDS.get(value, f"grade {value}")
    return f"{word}: {CAUSES.get(cause, cause)}" if cause else word


def keyword_in_words(value: str) -> str:
    """`right`, `wrong`, or the words of the query that mean a keyword: see `evaluation.reviewing.
    keyword_corrections`."""
    value, _, words = value.partition(" ")
    return f"“{shown(words)}”" if words else {"add": "right", "remove": "wrong"}[value]


def _counted(verdicts: Sequence[Mapping[Any, Any]]) -> str:
    """`relevant`, or `relevant 2, not relevant 1` where there is more than one word."""
    if len(verdicts) == 1:
        return in_words(verdicts[0]["value"], verdicts[0]["cause"])
    numbers = Counter(verdict["value"] for verdict in verdicts)
    order = [*WORDS, *sorted(set(numbers) - set(WORDS), reverse=True)]
    return ", ".join(f"{in_words(value)} {numbers[value]}" for value in order if value in numbers)


def _last(verdicts: Sequence[Mapping[Any, Any]]) -> list[list[str]]:
    return [
        [
            shown(verdict["author"]),
            in_words(verdict["value"], verdict["cause"]),
            shown(verdict["note"], NOTE),
            verdict["time"][:10],
        ]
        for verdict in reversed(verdicts[-LAST:])
    ]


def save_verdict(results: QueryResults, verdict: Mapping[str, Any]) -> None:
    """Save a verdict that came from the player; `save_outcome` says what was wrong with it.

    For callbacks: it is on the disk before the script runs. verdict: item, value, note, author,
    about (the names of the query), once, the name under which it is sent again, and seen, the
    verdict that a note is added to (empty where a verdict was chosen).
    """
    once = str(verdict.get("once", ""))[:80]
    try:
        st.session_state[_OUTCOME] = [once, "", _saved_cause(results, verdict, once)]
    except ValueError as problem:
        st.session_state[_OUTCOME] = [once, f"Not saved: {problem}", ""]
    except DataError as problem:
        words = f"Not saved: {problem} Your text stays in this form: save again after that."
        st.session_state[_OUTCOME] = [once, words, ""]


def _saved_cause(results: QueryResults, verdict: Mapping[str, Any], once: str) -> str:
    item = str(verdict.get("item", ""))
    if verdict.get("about") != names_of_query(results):
        raise ValueError("another query is open now. Open this one again and save there.")
    return reviewing.save_verdict(
        results.experiment,
        results.query_id,
        item,
        str(verdict.get("value", "")),
        str(verdict.get("author", "")).strip(),
        str(verdict.get("note", "")).strip(),
        once or None,
        str(verdict.get("seen", "")),
    )


def save_outcome() -> list[str] | None:
    """The name of the last verdict that this session saved, what was wrong, if anything, and the
    cause that it keeps."""
    last = st.session_state.get(_OUTCOME)
    return None if last is None else [last[0], shown(last[1], 500), last[2]]


def draw_verdicts(view: View, results: QueryResults, verdicts: pd.DataFrame) -> None:
    """What reviewers said of this query's results as a table, and all of the collection's as CSV.

    verdicts: the verdicts of this query.
    """
    with st.expander(f"Reviews of these results: {counted(len(verdicts), 'verdict')}"):
        st.caption(
            "Open a result to review it. Verdicts are saved separately; metrics do not change."
        )
        if apart := _apart(results):
            st.caption(plain(apart, None))
        if len(verdicts):
            st.dataframe(
                _readable(verdicts, reviewing.names_of_items(results.experiment)), hide_index=True
            )
        save_button(view, "verdicts.csv", "Download all verdicts (CSV)")


@table_file("verdicts")
def exported_verdicts(view: View) -> pd.DataFrame:
    """All verdicts of a collection."""
    verdicts = reviewing.all_verdicts(experiment_of(view))
    return verdicts.assign(value=verdicts["value"].map(in_words))


def _apart(results: QueryResults) -> str:
    """Where reviews under this name are another collection's, that and where its own are."""
    name, key = names_of_query(results)[0], reviewing.other_name(results.experiment)
    if not key:
        return ""
    return (
        f"Another collection named {name} has reviews here. Reviews of this collection are saved "
        f"under {key}."
    )


def _readable(verdicts: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    ids = verdicts["item_id"]
    called = ids.map(lambda item: names.get(item, item))
    return pd.DataFrame(
        {
            "Result": called.map(shown),
            "Reviewer": verdicts["author"].map(shown),
            "Verdict": verdicts["value"].map(in_words),
            "Cause": verdicts["cause"],
            "Note": verdicts["note"].map(shown),
            "Time": verdicts["time"],
            **({} if called.equals(ids) else {"Id": ids.map(shown)}),
        }
    )


def read_verdicts(results: QueryResults) -> pd.DataFrame | None:
    """The verdicts of this query, or `None` and a sentence on the screen where they cannot be
    read."""
    try:
        return latest_verdicts(results)
    except DataError as problem:
        st.warning(plain(str(problem), None), icon=":material/error:")
        return None
