"""The frame of every screen: `shared` choices and links, and `steps` within one screen."""

from dashboard.views.frame.found import what_was_found
from dashboard.views.frame.reconnecting import draw_after_a_break
from dashboard.views.frame.searching import search_form, wait_for_text_model
from dashboard.views.frame.shared import (
    need,
    say,
    screen,
    segments,
    sidebar,
    spinner,
    top_bar,
    without_versions,
)
from dashboard.views.frame.sharing import show_query
from dashboard.views.frame.steps import clicked, filters, narrowed, steps

__all__ = [
    "clicked",
    "draw_after_a_break",
    "filters",
    "narrowed",
    "need",
    "say",
    "screen",
    "search_form",
    "segments",
    "show_query",
    "sidebar",
    "spinner",
    "steps",
    "top_bar",
    "wait_for_text_model",
    "what_was_found",
    "without_versions",
]
