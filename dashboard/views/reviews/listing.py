"""The reviews of a collection, and a form that makes a new one."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.experiment import measuring
from dashboard.experiment.collection import collections
from dashboard.experiment.reviews import assigned_reviews, sampled_reviews
from dashboard.experiment.reviews.assigned_reviews import ASSIGN, CHOSEN, Assignment, actor
from dashboard.tables import DataError, counted
from dashboard.views import summary
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import slice_option
from dashboard.views.reviews.reviewer import name
from dashboard.views.texts import plain

_OUTCOME = "review-made"
MOST = 100
"""Reviews that are listed."""


def listing(view: View) -> None:
    """Draw all reviews of the collection, the newest first, and the form for a new one."""
    collection = collections.opened(view.collection)
    made = assigned_reviews.all_reviews_of(collection)
    given = assigned_reviews.answers_by_review(collection) if made else {}
    lacking = summary.same_version(view)
    if lacking:
        summary.say_faulty_versions(view)
        st.info(plain(f"A review compares two versions. {lacking}", None))
    elif not made:
        st.info("No review yet. Make one below and send its link to reviewers.")
    for each in made[:MOST]:
        _line(each, given.get(each.id))
    if actor().may(ASSIGN) and not lacking:
        with st.expander("New review", expanded=not made, key="new-review"):
            _form(view)


def _line(review: Assignment, given: pd.DataFrame | None) -> None:
    answers, people = (0, 0) if given is None else (len(given), given["author"].nunique())
    what = [
        f"{review.candidate} against {review.baseline}",
        counted(len(review.queries), "query", "queries"),
        review.chosen,
        *([f"{len(review.sample.drawn):,} results at random"] if review.sample else []),
        "blind" if review.blind else "versions named",
        f"{counted(answers, 'answer')} by {counted(people, 'person', 'people')}",
        "closed" if review.closed else "open",
    ]
    with st.container(border=True, key=f"review-{review.id}"):
        st.page_link(
            "screens/reviews.py",
            label=plain(review.title),
            icon=":material/rate_review:",
            query_params={"review": review.id},
        )
        st.caption(plain(" · ".join(what), None))


def _form(view: View) -> None:
    """A new review of the two versions in view."""
    st.caption(plain(f"{view.candidate} is compared with {view.baseline}.", None))
    st.text_input("Title", key="review-title", max_chars=80)
    st.text_area("Instruction", key="review-instruction", max_chars=2_000, height=80)
    left, right = st.columns(2)
    with left:
        way = st.selectbox(
            "Queries",
            list(CHOSEN),
            key="review-way",
            format_func=lambda of: CHOSEN[of].capitalize(),
        )
        if way == "random" or st.session_state.get("review-sample"):
            st.number_input("Seed", 0, 1_000_000, 1, key="review-seed")
        if way == "slice":
            known = measuring.slices_of(collections.opened(view.collection))
            options = [f"{by}={each}" for by, of in known.items() for each in of]
            st.selectbox("Slice", options, key="review-slice", format_func=slice_option)
        elif way == "words":
            st.text_input("Words in the query", key="review-words", max_chars=200)
    with right:
        st.number_input("At most so many queries", 1, 1_000, 20, key="review-number")
        if st.toggle(
            "Draw results at random",
            key="review-sample",
            help="Reviewers judge single results of these queries, which estimate a metric of both "
            "versions with an interval. Stratified by rank, without versions, ranks and labels.",
        ):
            st.number_input("About so many results", 2, 10_000, 60, key="review-drawn")
            st.text_input("Estimated metric", "P@10", key="review-estimated", max_chars=40)
    st.text_input(
        "Reviewers",
        key="review-people",
        help="Names with commas between them. Empty: whoever has the link.",
    )
    st.toggle(
        "Blind",
        value=True,
        key="review-blind",
        help="Sides are shuffled for each query; versions and earlier answers are hidden until the "
        "reviewer has answered.",
    )
    st.button("Create review", type="primary", on_click=_create, args=(view,))
    if problem := st.session_state.pop(_OUTCOME, ""):
        st.error(plain(problem, None), icon=":material/error:")


def _create(view: View) -> None:
    """Save the review of the form; what was typed stays there where it cannot be saved."""
    typed = st.session_state
    pair = (view.baseline, view.candidate)
    try:
        experiment = experiment_of(view)
        queries, chosen = assigned_reviews.choose(
            experiment,
            pair,
            typed["review-way"],
            int(typed["review-number"]),
            metric=view.metric,
            seed=int(typed.get("review-seed", 1)),
            wanted=str(typed.get("review-slice") or typed.get("review-words") or ""),
        )
        sample = None
        if typed["review-sample"]:
            about = (queries, typed["review-estimated"].strip(), int(typed["review-drawn"]))
            seed = int(typed["review-seed"])
            sample = sampled_reviews.draw(experiment, pair, *about, seed)
        assigned_reviews.create(
            experiment,
            pair,
            queries,
            chosen,
            name(),
            sample=sample,
            title=typed["review-title"],
            instruction=typed["review-instruction"],
            people=tuple(typed["review-people"].split(",")),
            blind=typed["review-blind"],
        )
    except (ValueError, DataError) as problem:
        typed[_OUTCOME] = f"Not saved: {problem}"
        return
    for key in ("review-title", "review-instruction", "review-people"):
        typed[key] = ""
