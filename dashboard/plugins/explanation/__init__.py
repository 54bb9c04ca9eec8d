"""Registration of what a value is made of, and the choice whether Query shows it."""

from dashboard.plugins import Plugin
from dashboard.study.choices import Choice

CHOICES = (
    Choice(
        key="terms",
        meaning="whether Query shows how a value is computed: no or yes",
        default="no",
        allowed=lambda collection, before: ("no", "yes"),
    ),
)
PLUGIN = Plugin(
    name="explanation",
    choices=":CHOICES",
    commands={"measure": "measure_command"},
    sections={"below_query": "section:draw_terms"},
)
