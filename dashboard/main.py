"""The script behind every screen: page settings, navigation and shared choices; no logic."""

import streamlit as st

from dashboard.tables import DataError
from dashboard.views import address, controls
from dashboard.views.texts import plain

st.set_page_config("Search quality", page_icon=":material/travel_explore:", layout="wide")

pages = [
    st.Page("screens/overview.py", title="Overview", icon=":material/dashboard:", default=True),
    st.Page("screens/compare.py", title="Compare", icon=":material/compare_arrows:"),
    st.Page("screens/query.py", title="Query", icon=":material/movie_info:"),
    st.Page("screens/search.py", title="Search", icon=":material/search:"),
]
page = st.navigation(pages, position="hidden")
view, problems = address.current()
controls.top_bar(pages, page, view)
controls.say(problems)
if view is not None:
    controls.sidebar(view)
    try:
        page.run()
    except DataError as problem:
        st.error(plain(str(problem), None), icon=":material/error:")
