"""Registration of the protocol context."""

from dashboard.next.plugins import Plugin

PLUGIN = Plugin(
    name="context",
    files=("relevance.csv",),
    read_tables="judge:read_relevance",
    rules="judge:CONTEXT",
    metrics="metrics:WINDOW",
    note_results="metrics:note_gains",
    commands={"satisfaction": "commands"},
)
