"""Registration of the diagnosis of wrong results."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="diagnosis",
    choices="commands:CHOICES",
    describe_results="causes:describe_causes",
    sections={
        "compare": "sections:draw_why",
        "picks": "sections:draw_pick",
        "report": "sections:write_why",
    },
    commands={"why": "commands"},
)
