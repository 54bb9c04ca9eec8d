"""Registration of the protocol context."""

from dashboard.next.plugins import Plugin

PLUGIN = Plugin(
    name="context",
    files=("relevance.csv",),
    read_tables="judge:read_relevance",
    rules="judge:CONTEXT",
    metrics="metrics:WINDOW",
    describe_results="metrics:describe_gains",
    commands={"satisfaction": "commands"},
)
