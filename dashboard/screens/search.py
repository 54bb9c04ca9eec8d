"""Search: type a text or choose an item, and see what two versions find, judged on the fly."""

import streamlit as st

from dashboard.views import cached, frame

view = frame.screen("Search", "Type a text or choose an item, and see what each version finds.")
frame.need(view, "baseline", "candidate", "text", "item", "columns", "also", "differing", "beside")
frame.search_form(view)

if not view.text and not view.item:
    words = cached.words(cached.opened(view.collection))
    st.info(f"Nothing is searched yet. Type a text, or choose {words.item}.")
    st.stop()
asked = cached.question(view, live=True)
if cached.needs_text_model(asked) and cached.text_model() != "ready":
    frame.wait_for_text_model()
    st.stop()
frame.what_was_found(view, asked, cached.TYPED)
