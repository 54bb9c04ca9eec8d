"""What reviewers say of the results of a query: kept from the player, shown on the cards.

It stands beside the judgements that metrics are computed from and enters none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dashboard.experiment import reviewing
from dashboard.tables import DataError, counted
from dashboard.views.report.exports import as_csv
from dashboard.views.texts import plain, shown

if TYPE_CHECKING:
    from dashboard.views.cards.results import Found

WORDS = {"relevant": "relevant", "not": "not relevant", "unsure": "unsure", "": "removed"}
LAST = 5  # reviewers whose words go to the player; the card counts them all
NOTE = 300  # letters of a note there
_ANSWER = "verdict-answer"


def names_of(found: Found) -> list[str]:
    """What names the query beyond its collection: what comes late of another one is not for it."""
    return reviewing.subject_of(found.experiment, found.query_id)


def verdicts(found: Found) -> pd.DataFrame:
    """The last word of each reviewer on each result of this query: the table REVIEWS.

    Raises DataError where the file of reviews cannot be read.
    """
    return reviewing.verdicts(found.experiment, found.query_id)


def by_item(said: pd.DataFrame) -> dict[str, list[Any]]:
    """For each item what the cards are told: all verdicts in words, and the last ones with author,
    verdict, note and day."""
    return {str(item): [_counted(mine), _last(mine)] for item, mine in said.groupby("item_id")}


def _counted(said: pd.DataFrame) -> str:
    """`relevant`, or `relevant 2, not relevant 1` where there is more than one word."""
    numbers = said["value"].value_counts()
    if len(said) == 1:
        return WORDS[said["value"].iloc[0]]
    return ", ".join(f"{word} {numbers[v]}" for v, word in WORDS.items() if v in numbers)


def _last(said: pd.DataFrame) -> list[list[str]]:
    rows = said.tail(LAST).iloc[::-1]
    return [
        [shown(row["author"]), WORDS[row["value"]], shown(row["note"], NOTE), row["time"][:10]]
        for row in rows.to_dict("records")
    ]


def say(found: Found, told: Mapping[str, Any]) -> None:
    """Keep a verdict that came from the player; what is wrong with it is told back to it.

    For callbacks: it is on the disk before the script runs. told: item, value, note, author, about
    (the names of the query) and once, the name of this saying.
    """
    once = str(told.get("once", ""))[:80]
    st.session_state[_ANSWER] = [once, _kept(found, told, once)]


def _kept(found: Found, told: Mapping[str, Any], once: str) -> str:
    item = str(told.get("item", ""))
    if told.get("about") != names_of(found):
        return "Not saved: another query is open now. Open this one again and save there."
    try:
        reviewing.save_verdict(
            found.experiment,
            found.query_id,
            item,
            str(told.get("value", "")),
            str(told.get("author", "")).strip(),
            str(told.get("note", "")).strip(),
            once or None,
        )
    except ValueError as problem:
        return f"Not saved: {problem}"
    except DataError as problem:
        return f"Not saved: {problem} Your text stays in this form: save again after that."
    return ""


def answer() -> list[str] | None:
    """What came of the last saying of this session: its name and what was wrong, if anything."""
    known = st.session_state.get(_ANSWER)
    return None if known is None else [known[0], shown(known[1], 500)]


def below(found: Found, said: pd.DataFrame) -> None:
    """What reviewers said of this query's results as a table, and all of the collection's as CSV.

    said: the verdicts of this query.
    """
    name = names_of(found)[0]
    with st.expander(f"Reviews of these results: {counted(len(said), 'verdict')}"):
        st.caption(
            "Open a result to review it. Verdicts are saved separately; metrics do not change."
        )
        if apart := _apart(found):
            st.caption(plain(apart, None))
        if len(said):
            st.dataframe(
                _readable(said, reviewing.names_of_items(found.experiment)), hide_index=True
            )
        st.download_button(
            "Download all verdicts (CSV)",
            lambda: as_csv(_in_words(reviewing.all_verdicts(found.experiment))).encode(),
            file_name=f"{name}-verdicts.csv",
            icon=":material/download:",
            on_click="ignore",
        )


def _apart(found: Found) -> str:
    """Where reviews under this name are another collection's, that and where its own are."""
    name, key = names_of(found)[0], reviewing.other_name(found.experiment)
    if not key:
        return ""
    return (
        f"Another collection named {name} has reviews here. Reviews of this collection are saved "
        f"under {key}."
    )


def _in_words(said: pd.DataFrame) -> pd.DataFrame:
    """Verdicts with the words that the screen has for them."""
    return said.assign(value=said["value"].map(WORDS))


def _readable(said: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    called = said["item_id"].map(lambda item: names.get(item, item))
    return pd.DataFrame(
        {
            "Result": called.map(shown),
            "Reviewer": said["author"].map(shown),
            "Verdict": said["value"].map(WORDS),
            "Note": said["note"].map(shown),
            "Time": said["time"],
            **({} if called.equals(said["item_id"]) else {"Id": said["item_id"].map(shown)}),
        }
    )


def read(found: Found) -> pd.DataFrame | None:
    """The verdicts of this query, or `None` and a sentence on the screen where they cannot be
    read."""
    try:
        return verdicts(found)
    except DataError as problem:
        st.warning(plain(str(problem), None), icon=":material/error:")
        return None
