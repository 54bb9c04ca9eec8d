"""A new version from files: of vectors with their ids, of results, or a matrix of similarities."""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dashboard.errors import DataError, Findings
from dashboard.storage.array_files import READERS, name_sides
from dashboard.storage.collection import Collection
from dashboard.storage.new_versions import Stated, add_run, add_vectors
from dashboard.storage.versions import RUNS

KINDS = f"Vectors: {', '.join(READERS)}. Results: {', '.join(RUNS)}, or a matrix with its ids"


def add_dropped(
    collection: Collection,
    name: str,
    items: Sequence[Any],
    queries: Sequence[Any],
    stated: Stated,
    findings: Findings,
) -> None:
    """Add a version of files that were uploaded: vectors or a matrix, with ids, or results.

    Raises:
        DataError: If the version could not be used.
    """
    with tempfile.TemporaryDirectory() as folder:
        given = _write(Path(folder) / "items", items)
        asked = _write(Path(folder) / "queries", queries)
        runs = [
            each
            for each in given
            if each.with_suffix(".rows.txt") in given
            or len(given) == 1
            and each.suffix.lower() in RUNS
        ]
        if runs:
            if asked or stated != Stated():
                found = "results, which take no note and none of the other fields"
                raise DataError(runs[0].name, found, "vectors", do="Empty those, or drop vectors.")
            add_run(collection, name, runs[0], findings)
            return
        file, ids = _pair(given)
        texts, names = _pair(asked) if asked else (None, None)
        add_vectors(
            collection, name, *name_sides(file, ids, texts, names, findings), stated, findings
        )


def _write(folder: Path, uploads: Sequence[Any]) -> list[Path]:
    """Write uploaded files under the last part of their names."""
    folder.mkdir()
    paths = []
    for upload in uploads:
        path = folder / re.split(r"[\\/]", upload.name)[-1]
        path.write_bytes(upload.getbuffer())
        paths.append(path)
    return paths


def _pair(paths: Sequence[Path]) -> tuple[Path, Path | None]:
    """Return the file of vectors, and that of ids which was dropped with it."""
    arrays = [path for path in paths if path.suffix.lower() in READERS]
    ids = [path for path in paths if path.suffix.lower() == ".txt"]
    if len(arrays) != 1 or len(ids) > 1 or len(paths) != 1 + len(ids):
        raise DataError(
            "the dropped files",
            ", ".join(path.name for path in paths) or "no file",
            f"one file. {KINDS}",
        )
    return arrays[0], ids[0] if ids else None
