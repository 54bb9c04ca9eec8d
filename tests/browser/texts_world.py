"""The texts' test page: each text through the calls that take Markdown."""

import json
import os
from pathlib import Path

import streamlit as st

from dashboard.views.texts import badge, plain

texts = json.loads(Path(os.environ["TEXTS"]).read_text(encoding="utf-8"))
for number, text in enumerate(texts):
    markdown = plain(text)
    with st.container(key=f"text-{number}"):
        st.markdown(markdown)
        st.caption(markdown)
        st.warning(markdown)
        st.button(markdown, key=f"button-{number}")
        st.metric(markdown, 1)
        st.checkbox(markdown, key=f"checkbox-{number}")
        st.radio("radio", [markdown], key=f"radio-{number}")
        st.expander(markdown)
        st.markdown(badge(text, "green", "check"))
st.text("all drawn")
