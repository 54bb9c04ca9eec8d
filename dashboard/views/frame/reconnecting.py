"""After a break in the connection the screen is drawn again, so that the first click works."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st


@st.fragment(run_every=timedelta(days=1))
def draw_after_a_break() -> None:
    """Let the browser ask for the screen as soon as it is connected again.

    Without this it waits for a click, which reaches a session that has drawn nothing yet where the
    server was started again or the old session is forgotten: no callback is known there, so that
    what was clicked would be lost. Streamlit asks at once only where something runs by the clock.
    """
