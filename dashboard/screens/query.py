"""Query: one query, its keywords, and what each version found, ticked keyword by keyword."""

import streamlit as st

from dashboard.views import cached, frame, protocols, summary

NEEDED = "baseline candidate query outcome between at find columns also differing beside"

view = frame.screen("Query", "What did each version find, and what of it is relevant?")
frame.need(view, *NEEDED.split())

asked = cached.question(view)
order = summary.chosen(view, summary.deltas(view))
if order.empty and not view.query:
    st.info("There is no query here: choose other queries or another slice on the left.")
    st.stop()
query_id = view.query or order["query_id"].iloc[0]
frame.show_query(view, query_id)
frame.steps(view, query_id, order)
if query_id not in set(cached.queries(asked)["query_id"]):
    kinds = cached.words(cached.opened(view.collection)).queries
    st.warning(f"This query is none of the {kinds[view.queries].lower()}.")
    st.stop()

frame.what_was_found(view, asked, query_id)
protocols.query(view, query_id)
