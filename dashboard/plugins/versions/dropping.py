"""Files that are dropped in the browser, as a new version."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dashboard.errors import DataError, Finding
from dashboard.storage.array_files import READERS, read_named_vectors
from dashboard.storage.collection import Collection
from dashboard.storage.new_versions import NamedVectors, add_run, add_vectors
from dashboard.storage.versions import RUNS

KINDS = f"Vectors: {', '.join(READERS)}. Results: {', '.join(RUNS)}"


def add_dropped(
    collection: Collection,
    name: str,
    items: Sequence[Any],
    queries: Sequence[Any],
    note: str,
    by_position: bool,
    findings: list[Finding],
) -> None:
    """Add a version of files that were uploaded, whole or not at all.

    Args:
        collection: Where it is added.
        name: Name of the version.
        items: A file of vectors, alone or with a file of their ids; or a file of results.
        queries: The same of the text queries.
        note: A sentence on what is new.
        by_position: Whether vectors without ids are those of the table's rows, in its order.
        findings: Gains what was left out or repaired.

    Raises:
        DataError: If the version could not be used.
    """
    with tempfile.TemporaryDirectory() as folder:
        given = _write(Path(folder) / "items", items)
        asked = _write(Path(folder) / "queries", queries)
        runs = [path for path in given if path.suffix.lower() in RUNS]
        if runs and len(given) == 1:
            add_run(collection, name, runs[0], findings)
            return
        settings = {"note": note} if note else {}
        texts = _read(asked, findings) if asked else None
        vectors = _read(given, findings)
        add_vectors(collection, name, vectors, texts, settings, {}, findings, by_position)


def _write(folder: Path, uploads: Sequence[Any]) -> list[Path]:
    """Write uploaded files under the last part of their names."""
    folder.mkdir()
    paths = []
    for upload in uploads:
        path = folder / re.split(r"[\\/]", upload.name)[-1]
        path.write_bytes(upload.getbuffer())
        paths.append(path)
    return paths


def _read(paths: Sequence[Path], findings: list[Finding]) -> NamedVectors:
    """Return the vectors of one file, with the ids of another one that was dropped with it."""
    arrays = [path for path in paths if path.suffix.lower() in READERS]
    ids = [path for path in paths if path.suffix.lower() == ".txt"]
    if len(arrays) != 1 or len(ids) > 1 or len(arrays) + len(ids) != len(paths):
        names = ", ".join(path.name for path in paths) or "no file"
        raise DataError("the dropped files", names, f"one file. {KINDS}")
    return read_named_vectors(arrays[0], ids[0] if ids else None, findings)
