"""Reviews: own work, lists to judge, disagreements, agreement and corrected labels."""

from contextlib import suppress

import streamlit as st

from dashboard.errors import DataError
from dashboard.plugins.reviews.author import draw_author, find_author
from dashboard.plugins.reviews.choices import PART
from dashboard.plugins.reviews.figures import keep_there, list_undecided
from dashboard.plugins.reviews.list_view import NEW, STYLE, draw_lists, draw_one_list, read_reviews
from dashboard.plugins.reviews.outcome_view import draw_agreement, draw_corrections, draw_decisions
from dashboard.plugins.reviews.preference_view import draw_comparison
from dashboard.views.address import draw_switch, read_address, write_changes
from dashboard.views.components import make_line
from dashboard.views.frame import open_page, read_collection

PARTS = {
    "": "Lists",
    "decisions": "Disagreements",
    "agreement": "Agreement",
    "labels": "Corrected labels",
}

part = read_address().get(PART, "")
reviews = None
if part not in PARTS:
    collection = read_collection()
    with suppress(DataError):  # the page that is drawn then says so
        reviews = read_reviews(collection)
        for made in reviews.lists:
            if made.id == part and made.is_comparison and reviews.count_left(made, find_author()):
                write_changes()
                draw_comparison(collection, made, reviews.judged[made.id])
                st.stop()
study, choices = open_page()
reviews = reviews or read_reviews(study.collection)
st.html(STYLE)
undecided = list_undecided(reviews.rows)
differing = keep_there(undecided, study.collection)
with make_line(key="reviews-head"):
    is_told = differing and part != "decisions"  # which says itself how many are left
    labels = PARTS | ({"decisions": f"Disagreements {len(differing):,}"} if is_told else {})
    draw_switch(PART, part if part in PARTS else None, labels)
    draw_author()
if part:
    st.session_state.pop(NEW, None)
if part == "decisions":
    draw_decisions(study, choices, reviews, differing, len(undecided) - len(differing))
elif part == "agreement":
    draw_agreement(reviews)
elif part == "labels":
    draw_corrections(study, choices, reviews)
elif part:
    draw_one_list(study, choices, reviews, part)
else:
    draw_lists(study, choices, reviews)
