"""Registration of reviews."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="reviews",
    choices="choices:CHOICES",
    amend_judgement="choices:amend_judgement",
    draw_query="judging_view:draw_query",
    draw_page="author:draw_waiting",
    routes="routes:ROUTES",
    commands={"reviews": "commands"},
    screens={"reviews": "screen.py"},
)
