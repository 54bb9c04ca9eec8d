"""A matrix of similarities between pictures and texts, as a new version."""

from __future__ import annotations

import shutil
from pathlib import Path

from dashboard.storage.collection import Collection, open_collection
from dashboard.storage.drafts import check_name, put_in_place, report_full_disk, write_draft
from dashboard.storage.new_versions import Row, compute_digest
from dashboard.texts import require_file

PARTS = (".rows.txt", ".columns.txt", ".npy")
"""The ids of rows and of columns, one a line, and the matrix, which comes last."""


def add_matrix(collection: Collection, name: str, path: Path) -> list[Row]:
    """Add a matrix with the ids beside it, whole or not at all.

    Args:
        collection: Where it is added.
        name: Name of the version.
        path: The matrix; `X.npy` has its ids in `X.rows.txt` and `X.columns.txt`.

    Returns:
        What was written: file, rows, digest.

    Raises:
        DataError: If a file is missing, or the collection could not use the version.
    """
    check_name(collection.folder, name)
    sources = {ending: path.with_suffix(ending) for ending in PARTS}
    for source in sources.values():
        wanted = "a matrix X.npy, with ids one a line in X.rows.txt and X.columns.txt beside it"
        require_file(source, source.name, wanted)
    places = {ending: collection.folder / "runs" / f"{name}{ending}" for ending in PARTS}
    with write_draft(collection.folder, "runs", name) as draft, report_full_disk(collection.name):
        for ending, source in sources.items():
            shutil.copyfile(source, draft / ending)
        for ending, place in places.items():
            put_in_place(draft / ending, place)
    broken = open_collection(collection.folder).broken.get(name)
    if broken is not None:
        for place in places.values():
            place.unlink()
        raise broken
    lines = places[".rows.txt"].read_text(encoding="utf-8").split()
    matrix = places[".npy"]
    digest = compute_digest(matrix)
    return [{"file": f"runs/{matrix.name}", "rows": len(lines), "digest": digest}]
