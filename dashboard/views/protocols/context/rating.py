"""How content a reviewer is with a list, from 1 to 5: asked, kept, and shown."""

from __future__ import annotations

import streamlit as st

from dashboard.experiment.protocols import context_study
from dashboard.experiment.protocols.context_study import (
    BEST,
    REAL,
    REVIEWERS,
    SIMULATED,
    WORST,
    Study,
)
from dashboard.experiment.reviews import reviewing
from dashboard.tables import DataError
from dashboard.views.texts import plain

WORDS = {"1": "1, not at all", "5": "5, entirely"}
_NAME, _PROBLEM = "reviewer-name", "rating-problem"
TAKES_PLACE = {
    REAL: "This collection has real satisfaction ratings. Yours are saved separately.",
    SIMULATED: "The first rating replaces the simulated satisfaction on all screens; removing all "
    "ratings (click a chosen value again) restores it. A reviewer counts after three lists with "
    "at least two different ratings.",
    REVIEWERS: "The tables on the Overview use reviewers' ratings. A reviewer counts after three "
    "lists with at least two different ratings.",
}


def rate(collection: str, query_id: str, list_id: str, version: str, asked: Study) -> None:
    """Ask how content a reviewer is with a list, and show what reviewers said of it."""
    given = context_study.ratings(asked)
    mine = given[given["list_id"] == list_id].set_index("author")["value"]
    with st.container(border=True):
        st.markdown("**How satisfied would you be with this list?**")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = _name()
            key = f"rating-{list_id}"
            st.session_state[key] = mine.get(name)
            st.segmented_control(
                f"From {WORST} to {BEST}",
                list(reviewing.RATINGS),
                key=key,
                format_func=lambda value: WORDS.get(value, value),
                on_change=_keep,
                args=(key, collection, query_id, list_id, version),
            )
        problem = st.session_state.pop(_PROBLEM, "")
        if problem:
            st.error(plain(problem, None), icon=":material/error:")
        if len(mine):
            said = ", ".join(f"{author} {value}" for author, value in mine.items())
            st.caption(plain(f"Ratings: {said}.", None))
        st.caption(TAKES_PLACE.get(context_study.kind(asked), TAKES_PLACE[REVIEWERS]))


def _name() -> str:
    """The reviewer's name, which lasts as long as the page: a session that takes the place of one
    that was lost gets it from the field."""

    def remember() -> None:
        st.session_state[_NAME] = st.session_state["reviewer"].strip()

    if _NAME in st.session_state:
        st.session_state["reviewer"] = st.session_state[_NAME]

    st.text_input(
        "Your name", key="reviewer", max_chars=reviewing.LONGEST_NAME, on_change=remember, width=220
    )
    remember()
    return str(st.session_state.get(_NAME, ""))


def _keep(key: str, collection: str, query_id: str, list_id: str, version: str) -> None:
    """Keep a rating; one that is clicked away is taken back. For callbacks."""
    value = st.session_state[key]
    # what was typed last: a click may arrive together with the name, before it is remembered
    name = str(st.session_state.get("reviewer", "")).strip()
    try:
        reviewing.save_rating(collection, query_id, list_id, version, value, name)
    except (ValueError, DataError) as problem:
        st.session_state[_PROBLEM] = f"Not saved: {problem}"
