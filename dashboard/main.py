"""The script behind every screen: page settings, navigation and shared choices; no logic."""

import streamlit as st

from dashboard.experiment import memory
from dashboard.experiment.collection import collections
from dashboard.tables import DataError
from dashboard.views import address, frame
from dashboard.views.address import bar
from dashboard.views.server import figures
from dashboard.views.texts import plain

# Drawn here because Streamlit fetches a Material icon for the tab from another host.
ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1f5fbf"/>
<path d="M7 12l3 3 6-6M7 22l3 3 6-6" stroke="#fff" stroke-width="3" fill="none"/>
<path d="M20 12h6M20 22h6" stroke="#9cc2ff" stroke-width="3"/></svg>"""

memory.announce_by(frame.waiting)
st.set_page_config("Search quality", page_icon=ICON, layout="wide")

pages = [
    st.Page(
        f"screens/{title.lower()}.py",
        title=title,
        icon=f":material/{address.SCREENS[title]}:",
        default=not path,
    )
    for path, title in address.PAGES.items()
]
page = st.navigation(pages, position="hidden")
frame.stop_without_a_role(page)
frame.keep_place()
frame.draw_after_a_break()
with memory.page_run(), figures.STEPS.labels(page.title).time():
    view, problems = bar.current()
    asked = {"review": st.query_params.get_all("review")}
    named = None if address.is_review(page.url_path, asked) else view
    frame.name_tab(page.title, named)
    frame.top_bar(pages, page, named)
    frame.say(problems)
    if named is not None:
        frame.sidebar(named)
    if view is not None or page.url_path in ("collections", "reviews"):
        try:
            page.run()
        except DataError as problem:
            st.error(plain(str(problem), None), icon=":material/error:")
        collections.load_text_model()
