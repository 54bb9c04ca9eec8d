"""Search: type a text or choose an item, and see what two versions find, judged on the fly."""

import streamlit as st

from dashboard.views import cached, frame

view = frame.screen("Search", "What does each version find for a text or an item of your choice?")
frame.need(view, "baseline", "candidate", "text", "item", "columns", "also", "differing", "beside")
if not frame.search_form(view):
    st.stop()
asked = cached.question(view, live=True)
if cached.needs_text_model(asked) and cached.text_model() != "ready":
    frame.wait_for_text_model()
    st.stop()
frame.what_was_found(view, asked, cached.TYPED)
