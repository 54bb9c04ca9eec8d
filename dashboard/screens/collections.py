"""Collections: contents, licence, basis of relevance, findings, and how to add one."""

import streamlit as st

from dashboard.storage.settings import list_collections
from dashboard.texts import count_things
from dashboard.views.components import draw_copy, make_line
from dashboard.views.contents import draw_collection
from dashboard.views.frame import open_page

STEPS = """\
python -m dashboard init yours --from path/to/your/files
python -m dashboard check yours
python -m dashboard measure yours"""

study, choices = open_page()
names = sorted(list_collections(), key=lambda name: name != study.collection.name)
with make_line():
    st.header(count_things(len(names), "collection"), anchor=False, width="content")
    draw_copy()
columns = st.columns(2, gap="medium")
for place, name in enumerate(names):
    with columns[place % 2]:
        draw_collection(name, name == study.collection.name)
st.header("Your own data", anchor=False)
st.code(STEPS, language=None, wrap_lines=True)
