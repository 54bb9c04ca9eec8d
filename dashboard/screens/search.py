"""Search: type a text, choose an item or upload a picture, and see what each version finds."""

import streamlit as st

from dashboard.views import cached, frame

view = frame.screen("Search", "What does each version find for a text, an item or a picture?")
frame.need(view, "baseline", "candidate", "text", "item", "columns", "also", "differing", "beside")
if not frame.search_form(view):
    st.stop()
asked = cached.question(view, live=True)
if cached.needs_text_model(asked) and cached.text_model() != "ready":
    frame.wait_for_text_model()
    st.stop()
frame.what_was_found(view, asked, cached.TYPED)
