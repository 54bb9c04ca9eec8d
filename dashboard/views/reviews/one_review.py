"""One review: the next query with both versions side by side, the answer, progress and outcome.

Of a blind review the page holds no name of a version, and no answer of anybody else, before its
reader has answered: the rows are called A and B, and have neither scores nor labels.
"""

from __future__ import annotations

from uuid import uuid4

import pandas as pd
import streamlit as st

from dashboard.experiment.collection import media
from dashboard.experiment.collection.collections import Collection
from dashboard.experiment.reviews import assigned_reviews, sampled_reviews
from dashboard.experiment.reviews.assigned_reviews import (
    ANSWERS,
    ASSIGN,
    REVIEW,
    SIDES,
    Assignment,
    actor,
)
from dashboard.tables import DataError
from dashboard.views import layout
from dashboard.views.cards import Row, captions_of, cards, needed, packed, payload
from dashboard.views.cards.head import Head
from dashboard.views.cards.query_results import results_of
from dashboard.views.charts.colours import SHAPES, VERSION_COLOURS
from dashboard.views.reviews.estimates import estimates
from dashboard.views.reviews.reviewer import name, reviewer
from dashboard.views.summary.query import picture_of, title
from dashboard.views.summary.sharing import copy_button
from dashboard.views.texts import plain

JUDGEMENTS = {
    "relevant": ("Relevant", "y"),
    "not": ("Not relevant", "x"),
    "unsure": ("Unsure", "s"),
}
"""What can be said of a result that was drawn, and the keys of review mode for it."""
SHOWN = 10
"""Results of each side."""
_OPEN, _ONCE, _NOTE = "review-open", "review-once", "review-note"
_OUTCOME, _LAST = "review-outcome", "review-last"


def one_review(id: str) -> None:
    """Draw the review of an id."""
    review = assigned_reviews.review_named(id)
    if review is None:
        st.error(f"This link asks for a review that does not exist: {plain(id[:40])}.")
        return
    collection = assigned_reviews.collection_of(review)
    st.title(plain(review.title), anchor=False)
    if review.instruction:
        st.text(review.instruction)
    who = reviewer(judging=True)
    if collection is None:
        st.error(plain(f"The collection {review.collection} is not here.", None))
        return
    given = assigned_reviews.answers(review)
    mine = given[given["author"] == who]
    _outcome_of_last(review, who)
    wanted = review.sample.drawn if review.sample else [(query, "") for query in review.queries]
    done = set(zip(mine["query_id"], mine["item_id"], strict=True))
    left = [each for each in wanted if each not in done]
    kind = "results" if review.sample else "queries"
    if not who:
        st.info("Enter your name to begin.")
    elif review.closed:
        st.info("This review is closed.")
    elif not actor().may(REVIEW):
        st.info("Your role can look at this review but not answer.")
    elif left:
        number = len(wanted) - len(left)
        st.progress(number / len(wanted), f"{number:,} of {len(wanted):,} {kind} judged")
        query_id, item_id = left[0]
        if item_id:
            _result(review, collection, query_id, item_id, who)
        else:
            _query(review, collection, query_id, who)
    else:
        st.success(f"You have judged all {kind} of this review.")
    _about(review, given, finished=bool(who) and not left)


def _query(review: Assignment, collection: Collection, query_id: str, who: str) -> None:
    """One query with both sides, and what can be answered."""
    experiment = assigned_reviews.experiment_of(review, collection)
    pair = assigned_reviews.sides(review, query_id, who)
    _answers(review, query_id, who, pair)
    found = results_of(experiment, query_id, (review.baseline, review.candidate))
    names = SIDES if review.blind else pair
    rows = [
        Row(
            names[place],
            found.runs[version].head(SHOWN)[["item_id", "rank"]],
            VERSION_COLOURS[place],
            shape=SHAPES[place],
            note="" if version not in found.problems else "no results",
        )
        for place, version in enumerate(pair)
    ]
    _cards(collection, rows, Head(title=title(found), chips=(), **picture_of(found)))


def _cards(collection: Collection, rows: list[Row], head: Head) -> None:
    looks = media.looks_of(collection, needed(rows, st.session_state.get(_OPEN)))
    contents = payload(rows, looks, head=head)
    cards(
        packed(contents),
        captions_of(looks),
        key="review-cards",
        on_open=lambda item: st.session_state.update({_OPEN: item}),
        selected=st.session_state.get(_OPEN),
        density="comfortable",
    )


def _result(
    review: Assignment, collection: Collection, query_id: str, item_id: str, who: str
) -> None:
    """One result that was drawn, and what can be said of it; no version, rank or label."""
    once = st.session_state.setdefault(_ONCE, uuid4().hex)
    with st.container(horizontal=True, key="review-answers"):
        for value, (words, pressed) in JUDGEMENTS.items():
            args = (review, query_id, who, value, once, item_id)
            st.button(words, key=f"judge-{value}", shortcut=pressed, on_click=_save, args=args)
    st.text_input("Note", key=_NOTE, max_chars=2_000)
    experiment = assigned_reviews.experiment_of(review, collection)
    found = results_of(experiment, query_id, (review.baseline, review.candidate))
    result = pd.DataFrame({"item_id": [item_id], "rank": [None]})
    head = Head(title=title(found), chips=(), **picture_of(found))
    _cards(collection, [Row("Is it relevant to the query?", result)], head)


def _answers(review: Assignment, query_id: str, who: str, pair: tuple[str, str]) -> None:
    """What can be answered, above the cards, where it is seen with them."""
    once = st.session_state.setdefault(_ONCE, uuid4().hex)
    with st.container(horizontal=True, key="review-answers"):
        for number, answer in enumerate(ANSWERS, 1):
            words = answer if review.blind else _named(answer, pair)
            st.button(
                plain(words),
                key=f"answer-{number}",
                shortcut=str(number % len(ANSWERS)),
                on_click=_save,
                args=(review, query_id, who, answer, once),
            )
    st.text_input("Note", key=_NOTE, max_chars=2_000)


def _named(answer: str, pair: tuple[str, str]) -> str:
    """An answer with the version in place of the side."""
    side, _, rest = answer.partition(" ")
    return f"{pair[SIDES.index(side)]} {rest}" if side in SIDES else answer


def _save(
    review: Assignment, query_id: str, who: str, answer: str, once: str, item_id: str = ""
) -> None:
    """Save an answer: for callbacks, before the script runs."""
    note = str(st.session_state.get(_NOTE, "")).strip()
    named = f"{once}-{query_id}"
    try:
        if item_id:
            about = (query_id, item_id, who, answer, note)
            assigned_reviews.save_judgement(review, *about, named)
        else:
            assigned_reviews.save_answer(review, query_id, who, answer, note, named)
    except (ValueError, DataError) as problem:
        st.session_state[_OUTCOME] = (f"Not saved: {problem}", "")
        return
    pair = assigned_reviews.sides(review, query_id, who)
    told = f"Saved: {answer}. A was {pair[0]}, B was {pair[1]}."
    told = told if review.blind else f"Saved: {_named(answer, pair)}."
    told = f"Saved: {JUDGEMENTS[answer][0]}." if item_id else told
    st.session_state[_OUTCOME] = ("", told)
    st.session_state[_LAST] = (query_id, item_id)
    st.session_state[_NOTE] = st.session_state[_OPEN] = ""
    st.session_state[_ONCE] = uuid4().hex


def _outcome_of_last(review: Assignment, who: str) -> None:
    """What came of the last answer, with a step back."""
    problem, told = st.session_state.get(_OUTCOME, ("", ""))
    if problem:
        st.error(plain(problem, None), icon=":material/error:")
    elif told:
        with st.container(horizontal=True, vertical_alignment="center", key="review-last-answer"):
            st.caption(plain(told, None), width="content")
            if st.session_state.get(_LAST) and not review.closed:
                st.button("Undo", shortcut="u", on_click=_take_back, args=(review, who))


def _take_back(review: Assignment, who: str) -> None:
    try:
        query_id, item_id = st.session_state[_LAST]
        if item_id:
            about = (query_id, item_id, who, "", "", None)
            assigned_reviews.save_judgement(review, *about)
        else:
            assigned_reviews.take_back(review, query_id, who)
    except (ValueError, DataError) as problem:
        st.session_state[_OUTCOME] = (f"Not taken back: {problem}", "")
        return
    st.session_state[_OUTCOME], st.session_state[_LAST] = ("", "Taken back."), ""


def _about(review: Assignment, given: pd.DataFrame, *, finished: bool) -> None:
    """The link, each person's progress and, once nothing has to be hidden, what came out."""
    link = f"{st.context.url or ''}?review={review.id}"
    with st.container(horizontal=True, vertical_alignment="center", key="review-about"):
        st.html(copy_button("Copy link", link, "Link copied"), width="content")
        if actor().may(ASSIGN) and not review.closed:
            st.button("Close review", on_click=_close, args=(review,), disabled=not name())
    st.header("Progress", anchor=False)
    table = assigned_reviews.progress(review, given)
    if table.empty:
        st.caption("Nobody has answered yet.")
    else:
        named = {name: name.capitalize() for name in table.columns}
        layout.rows(table.rename(columns={**named, "last": "Last answer"}), hide_index=True)
    st.header("Outcome", anchor=False)
    if review.blind and not (review.closed or finished):
        kind = "results" if review.sample else "queries"
        st.caption(f"Shown when you have judged all {kind}, or when the review is closed.")
        return
    if review.sample:
        estimates(review, given)
    for sentence in assigned_reviews.findings(review, given):
        st.markdown(plain(sentence, None))
    st.caption(
        plain(sampled_reviews.meaning(review.sample), None)
        if review.sample
        else "Each query counts once, by the mean of its answers. Sign test over the queries that "
        "differ, with an exact 95 % interval."
    )


def _close(review: Assignment) -> None:
    try:
        assigned_reviews.close(review, name())
    except (ValueError, DataError) as problem:
        st.session_state[_OUTCOME] = (str(problem), "")
