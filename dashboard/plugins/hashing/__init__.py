"""Registration of the protocol hashing."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="hashing",
    read_tables="judge:read_types",
    read_versions="judge:read_packed",
    rules="judge:HASHING",
    metrics="judge:NEAR",
    describe_results="judge:describe_types",
    sections={"curve": "sections:make_curves", "overview": "sections:draw_ties"},
)
