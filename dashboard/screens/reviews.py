"""Reviews: all of a collection with their agreement, or the one that a link names."""

import streamlit as st

from dashboard.views import frame, reviews

if review := st.query_params.get("review", ""):
    reviews.one_review(review)
    st.stop()
view = frame.screen(
    "Reviews",
    "Who judges what, how far are they, and how far do they agree?",
    comparing="A review compares two versions",
    stored=False,
)
frame.need(view, "baseline", "candidate")
reviews.reviewer()
reviews.listing(view)
reviews.sharing(view)
reviews.agreement(view)
reviews.keywords_to_decide(view)
reviews.audit_log()
