"""Registration of the protocol context."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="context",
    files=("relevance.csv", "lists.csv", "satisfaction.csv"),
    settings={"relevance_scale": 100.0},
    read_tables="judge:read_tables",
    rules="judge:CONTEXT",
    metrics="judge:WINDOW",
    describe_results="judge:describe_gains",
    sections={"overview": "sections:draw_satisfaction"},
    commands={"satisfaction": "commands"},
)
