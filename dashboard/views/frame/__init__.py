"""The frame of every screen: `shared` choices and links, and `steps` within one screen."""

from dashboard.views.frame.review import review, similarity
from dashboard.views.frame.shared import need, say, screen, segments, sidebar, top_bar
from dashboard.views.frame.steps import (
    clicked,
    filters,
    open_beside,
    open_clip,
    search_form,
    steps,
    wait_for_text_model,
)

__all__ = [
    "clicked",
    "filters",
    "need",
    "open_beside",
    "open_clip",
    "review",
    "say",
    "screen",
    "search_form",
    "segments",
    "sidebar",
    "similarity",
    "steps",
    "top_bar",
    "wait_for_text_model",
]
