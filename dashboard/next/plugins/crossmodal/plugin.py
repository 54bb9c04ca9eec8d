"""Registration of the protocol crossmodal."""

from dashboard.next.plugins import Plugin

PLUGIN = Plugin(
    name="crossmodal",
    read_tables="sides:read_sides",
    rules="judge:CROSSMODAL",
    metrics="metrics:RECALLS",
    choices="choices:CHOICES",
)
