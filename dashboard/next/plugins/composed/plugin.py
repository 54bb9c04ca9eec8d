"""Registration of the protocol composed."""

from dashboard.next.plugins import Plugin

PLUGIN = Plugin(
    name="composed",
    read_tables="judge:check_labels",
    rules="judge:COMPOSED",
    metrics="metrics:compute_annotated_ap",
)
