"""Registration of the protocol trec."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="trec", read_tables="judge:find_pairs", rules="judge:TREC", metrics="judge:compute_bpref"
)
