"""Registration of reviews."""

from dashboard.next.plugins import Plugin

PLUGIN = Plugin(
    name="reviews",
    choices="choices:CHOICES",
    amend_judgement="choices:amend_judgement",
    commands={"reviews": "commands"},
    screens={"reviews": "screen.py"},
)
