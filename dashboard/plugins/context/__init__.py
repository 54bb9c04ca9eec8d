"""Registration of the protocol context."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="context",
    files=("relevance.csv", "lists.csv", "satisfaction.csv"),
    settings={"relevance_scale": 100.0},
    read_tables="judge:read_tables",
    rules="judge:CONTEXT",
    metrics="metrics:WINDOW",
    describe_results="metrics:describe_gains",
    sections={"overview": "sections:draw_satisfaction"},
    commands={"satisfaction": "commands"},
)
