"""The launcher of the cards' test page: the page and the media routes of its collection."""

import streamlit as st

from dashboard.storage.media import item_media
from dashboard.views.cards import assets
from tests.browser.cards_world import world

app = st.App("main.py", routes=[*item_media.routes(world.open_collection), *assets.routes()])
