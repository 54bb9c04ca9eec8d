"""The pages and how one goes from one to another; problems are said as sentences."""

import streamlit as st

from dashboard.errors import DataError
from dashboard.plugins import list_problems
from dashboard.views.address import draw_text, forget_address
from dashboard.views.frame import CURRENT, PAGES, make_pages
from dashboard.views.people import NOBODY, draw_login, find_reader
from dashboard.views.server import measure_step

st.set_page_config(page_title="Search quality", layout="wide")
pages = make_pages()
page = st.navigation(list(pages.values()), position="hidden")
current = next(name for name, each in pages.items() if each == page)
st.session_state.update({CURRENT: current, PAGES: pages})
draw_text("error", *list_problems())
person = find_reader()
if person.role == NOBODY:
    draw_login(person)
    st.stop()
try:
    with measure_step(current):
        page.run()
except (DataError, ValueError) as error:
    draw_text("error", error)
    if st.query_params:
        st.button("Open the start page", on_click=forget_address)
