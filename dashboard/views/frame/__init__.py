"""What frames every screen: links, side bar, results of one query, steps, the search form."""

from dashboard.views.frame.progress_bar import keep_place, waiting
from dashboard.views.frame.results import show_results
from dashboard.views.frame.screen import (
    beside_title,
    draw_after_a_break,
    name_tab,
    need,
    say,
    screen,
    show_query,
    stop_without_a_role,
    top_bar,
    without_versions,
)
from dashboard.views.frame.search_form import search_form, wait_for_text_model
from dashboard.views.frame.sidebar import sidebar
from dashboard.views.frame.steps import clicked, filters, narrowed, ordered, steps
from dashboard.views.frame.widgets import segments

__all__ = [
    "beside_title",
    "clicked",
    "draw_after_a_break",
    "filters",
    "keep_place",
    "name_tab",
    "narrowed",
    "ordered",
    "need",
    "say",
    "screen",
    "search_form",
    "segments",
    "show_query",
    "sidebar",
    "steps",
    "stop_without_a_role",
    "top_bar",
    "wait_for_text_model",
    "waiting",
    "show_results",
    "without_versions",
]
