"""Registration of indexes: of faiss beside a version, and copies of it on a Milvus server."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="indexes",
    files=("models/[!.]*/index.faiss", "models/[!.]*/milvus.json"),
    read_versions="index_versions:read_indexes",
    commands={"index": "index_command"},
)
