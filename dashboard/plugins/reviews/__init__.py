"""Registration of reviews."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="reviews",
    choices="choices:CHOICES",
    amend_judgement="choices:amend_judgement",
    routes="routes:ROUTES",
    sections={"query": "judging_view:draw_query", "links": "author:draw_waiting"},
    commands={"reviews": "commands"},
    screens={"reviews": "screen.py"},
)
