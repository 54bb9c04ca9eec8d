"""The frame of every screen: `shared` choices and links, and `steps` within one screen."""

from dashboard.views.frame.found import what_was_found
from dashboard.views.frame.searching import search_form, wait_for_text_model
from dashboard.views.frame.shared import need, say, screen, segments, sidebar, top_bar
from dashboard.views.frame.sharing import show_query
from dashboard.views.frame.steps import clicked, filters, steps

__all__ = [
    "clicked",
    "filters",
    "need",
    "say",
    "screen",
    "search_form",
    "segments",
    "show_query",
    "sidebar",
    "steps",
    "top_bar",
    "wait_for_text_model",
    "what_was_found",
]
