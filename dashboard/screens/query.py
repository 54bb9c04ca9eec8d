"""Query: one query, its keywords, and what each version found, ticked keyword by keyword."""

import streamlit as st

from dashboard.views import cached, frame, summary
from dashboard.views.address.choices import WHICH_QUERIES
from dashboard.views.cards import results

NEEDED = "baseline candidate query outcome between at find columns also differing beside"

view = frame.screen("Query", "What did each version find, and which of the keywords does it have?")
frame.need(view, *NEEDED.split())

asked = cached.question(view)
order = summary.chosen(view, summary.deltas(view))
if order.empty and not view.query:
    st.info("There is no query here: choose other queries or another slice on the left.")
    st.stop()
query_id = view.query or order["query_id"].iloc[0]
frame.steps(view, query_id, order)
if query_id not in set(cached.queries(asked)["query_id"]):
    st.warning(f"This query is none of the {WHICH_QUERIES[view.queries].lower()}.")
    st.stop()

versions = results.versions(view)
found = results.find(asked, query_id, versions)
summary.describe(view, found)
values = summary.values(view, found)
summary.values_table(view, values)
summary.explained(view, asked, query_id, versions)
frame.similarity(view, found)
frame.review(view)
front = summary.in_front(view, values)
results.draw(found, view, front, frame.open_clip, frame.open_beside)
