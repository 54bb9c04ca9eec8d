"""The launcher: `streamlit run dashboard/next/app.py` from the project's folder."""

import sys
from pathlib import Path

import streamlit as st
from starlette.routing import Route

sys.path.insert(0, str(Path(__file__).parents[2]))

from dashboard.next.views.media import send_media  # noqa: E402  (Streamlit's path lacks the root)

app = st.App("main.py", routes=[Route("/files/{collection}/{kind}/{item}", send_media)])
