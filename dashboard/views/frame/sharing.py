"""The link to what is on the screen, for a colleague."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dashboard.views import address
from dashboard.views.view import View

_place: ContextVar[Any] = ContextVar("place of the link")


def share(view: View) -> None:
    """A button that shows the link to this view."""
    with st.popover("Share", icon=":material/link:"):
        st.write("This link opens exactly this view.")
        _place.set(st.empty())
    _write(view)


def show_query(view: View, query_id: str) -> None:
    """Let the view, and the link to it, name the query that is open: without it another one would
    be the first in order as soon as there is another version."""
    if view.query != query_id:
        view.query = query_id
        _write(view)


def _write(view: View) -> None:
    full = urlencode(address.link(view), doseq=True)
    _place.get().code(f"{st.context.url or ''}?{full}", language=None, wrap_lines=True)
