"""Versions whose vectors are searched by an index or by a server."""

from dataclasses import replace
from functools import partial

from dashboard.errors import Findings
from dashboard.plugins.indexes import faiss_file, milvus_copy
from dashboard.storage.collection import Collection
from dashboard.storage.versions import Broken, Versions, try_to_read

KINDS = {
    "index": (faiss_file.NAME, faiss_file.read_index_file, "approximate index"),
    "milvus": (milvus_copy.NAME, milvus_copy.read_copy, "Milvus copy"),
}
"""File, reader and title of each kind, by the word after the version's name."""


def read_indexes(collection: Collection, broken: Broken, findings: Findings) -> Versions:
    """Return a further version for each index of one; put why it is broken into `broken`.

    It finds what the index returns, as deep as that was asked, in the order of the index's scores.
    """
    found = {}
    for version in collection.versions.values():
        for kind, (file, read, title) in KINDS.items():
            if not (collection.folder / version.file / file).is_file():
                continue
            name = f"{version.name} ({kind})"
            read_one = {name: partial(read, collection, version)}
            for index in try_to_read(broken, read_one).values():
                note = f"{version.name}, searched through the {title} {index.line.title}"
                note += f"; {index.line.recall} when it was built" * bool(index.line.recall)
                found[name] = replace(version, name=name, note=note, make_source=index.make_source)
    return found
