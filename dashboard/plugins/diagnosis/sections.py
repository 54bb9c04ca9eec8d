"""Why the candidate is wrong: a sentence on Compare and in the report, each part a link."""

import streamlit as st

from dashboard.plugins.diagnosis.causes import find_wrong, write_plain
from dashboard.study.changes import find_cutoff
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Row
from dashboard.templates import TEMPLATES
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


def draw_why(study: Study, choices: Choices) -> Pick | None:
    """Draw the sentence; return the queries that have results of the chosen cause."""
    with show_progress("Looking for causes"):
        found, pieces = find_wrong(study, choices)
    if pieces:
        why = TEMPLATES.get_template("plugins/diagnosis/why.html")
        st.html(why.render(pieces=pieces, link=write_link))
    if not (picked := choices["cause"]):
        return None
    cutoff = find_cutoff(choices["metric"], int(choices["shown"]))

    def is_chosen(name: str, detail: str, *_: str) -> bool:
        return picked in (name, f"{name}: {detail}")

    def is_meant(row: Row) -> bool:
        is_shown = row["run"] == choices["candidate"] and row["rank"] <= cutoff
        return is_shown and is_chosen(row.get("cause", ""), row.get("detail", ""))

    counts = {query: sum(is_chosen(*cause) for cause in each) for query, each in found.items()}
    queries = frozenset(query for query, number in counts.items() if number)
    with make_line():
        draw_reset(f"{picked} ✕", "cause", key="chip-cause")
        told = "No wrong result of the queries that got worse has this cause."
        if queries:
            results = count_things(sum(counts.values()), "result")
            told = f"{results} in {count_things(len(queries), 'query')} that got worse"
        st.markdown(told, width="content")
    st.caption(HELP)
    return Pick(picked, queries, is_meant)


def write_why(study: Study, choices: Choices) -> str:
    """Return the sentence for the report."""
    return write_plain(find_wrong(study, choices)[1])
