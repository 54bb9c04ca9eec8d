"""Collections: a card each, with a picture, size, protocols and versions; one opens it."""

import streamlit as st

from dashboard.experiment.collection import collections
from dashboard.views import additions, address, shelf
from dashboard.views.texts import plain

st.title("Collections", anchor=False, help="Each collection opens with its default settings.")
names = collections.collection_names()
if not names:
    shelf.empty()
additions.draw(names)
opened = shelf.cards(names)
if opened:
    params, problem = address.defaults_of(opened)
    if problem:
        st.error(plain(problem, None), icon=":material/error:")
        st.stop()
    st.switch_page("screens/overview.py", query_params=params)
