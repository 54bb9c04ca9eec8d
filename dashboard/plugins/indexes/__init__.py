"""Registration of approximate indexes."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="indexes",
    files=("models/[!.]*/index.faiss",),
    read_versions="faiss_file:read_indexes",
    commands={"index": "index_command"},
)
