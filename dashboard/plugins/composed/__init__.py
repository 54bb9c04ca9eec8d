"""Registration of the protocol composed."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="composed",
    files=(
        "submissions/[!.]*/gallery.npy",
        "submissions/[!.]*/gallery.txt",
        "submissions/[!.]*/queries.npy",
        "submissions/[!.]*/queries.txt",
    ),
    read_tables="judge:check_labels",
    read_versions="judge:read_submissions",
    rules="judge:COMPOSED",
    metrics="judge:compute_annotated_ap",
    sections={"overview": "sections:draw_section"},
)
