"""Why the candidate is wrong: a sentence on Compare and in the report, and queries of a cause."""

from html import escape

import streamlit as st

from dashboard.plugins.diagnosis.causes import find_wrong
from dashboard.study.changes import find_cutoff
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Row
from dashboard.texts import count_things
from dashboard.views.address import draw_reset, write_link
from dashboard.views.comparison import show_progress
from dashboard.views.components import make_line
from dashboard.views.queries import Pick

HELP = (
    "Suspected causes, the first that holds, by the candidate's own vectors. Doubtful label: lacks "
    "one keyword that 7 of its 10 nearest neighbours have, as at most 5 % of such items do. Near "
    "miss: lacks one keyword of several. Look-alike: as similar to a relevant item, or to the item "
    "that the query is about, as the most similar 1 % of pairs are. Model error: none of these."
)


def draw_why(study: Study, choices: Choices) -> None:
    """Draw the sentence; each part of it chooses a cause."""

    def mark(text: str, cause: str) -> str:
        if not cause:
            return escape(text)
        link = escape(write_link("compare", cause=cause))
        style = "color: inherit; text-underline-offset: 2px"
        return f'<a href="{link}" target="_self" style="{style}">{escape(text)}</a>'

    with show_progress("Looking for causes"):
        told = find_wrong(study, choices, mark)[1]
    if told:
        st.html(told)


def draw_pick(study: Study, choices: Choices) -> Pick | None:
    """Draw the chosen cause; return the queries that have results of it, None for all."""
    if not (picked := choices["cause"]):
        return None
    found, _ = find_wrong(study, choices)
    cutoff = find_cutoff(choices["metric"], int(choices["shown"]))

    def is_chosen(name: str, detail: str, *_: str) -> bool:
        return picked in (name, f"{name}: {detail}")

    def is_meant(row: Row) -> bool:
        is_shown = row["run"] == choices["candidate"] and row["rank"] <= cutoff
        return is_shown and is_chosen(row.get("cause", ""), row.get("detail", ""))

    counts = {query: sum(is_chosen(*cause) for cause in each) for query, each in found.items()}
    queries = frozenset(query for query, number in counts.items() if number)
    with make_line(key="chips-cause"):
        draw_reset(f"{picked} ✕", "cause", key="chip-cause")
        told = "No wrong result of the queries that got worse has this cause."
        if queries:
            results = count_things(sum(counts.values()), "result")
            told = f"{results} in {count_things(len(queries), 'query')} that got worse"
        st.markdown(f":small[{told}]", width="content", help=HELP)
    return Pick(picked, queries, is_meant)


def write_why(study: Study, choices: Choices) -> str:
    """Return the sentence for the report."""
    return find_wrong(study, choices)[1]
