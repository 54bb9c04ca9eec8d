"""Registration of what a value is made of."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="explanation",
    commands={"measure": "measure_command"},
    sections={"below_query": "section:draw_terms"},
)
