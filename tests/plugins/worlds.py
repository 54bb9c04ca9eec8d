"""Small collections in which every protocol is worked by hand."""

import io
import json
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np

from dashboard.__main__ import main
from dashboard.storage.collection import open_collection
from dashboard.study.choices import resolve
from dashboard.study.study import Study, open_study


def write_world(
    folder: Path,
    settings: str,
    items: str,
    queries: str,
    vectors: Mapping[str, Sequence[float]],
    asked: Mapping[str, Sequence[float]],
    qrels: str = "",
) -> Path:
    """Write a collection with one version, `v1`; return its folder."""
    version = folder / "models" / "v1"
    version.mkdir(parents=True)
    (folder / "collection.toml").write_text(settings)
    (folder / "items.csv").write_text(items)
    (folder / "queries.csv").write_text(queries)
    if qrels:
        (folder / "qrels.txt").write_text(qrels)
    for stem, rows in (("items", vectors), ("queries", asked)):
        if rows:
            np.save(version / f"{stem}.npy", np.array(list(rows.values())))
            (version / f"{stem}.txt").write_text("\n".join(rows))
    return folder


def open_world(folder: Path, **given: str) -> Study:
    """Return the study of a collection."""
    collection = open_collection(folder)
    return open_study(collection, resolve(collection, given))


def measure_values(folder: Path, metrics: str, **given: str) -> dict[str, list[float | None]]:
    """Return the values of each metric for the queries of a collection, in their order."""
    (found,) = open_world(folder, **given).measure(["v1"], metrics)
    values = [[None if v != v else round(v, 9) for v in row] for row in found.values.tolist()]
    return {str(each): row for each, row in zip(found.measures, values, strict=True)}


def call(*words: object) -> tuple[int, list[dict], str]:
    """Return the exit code of a command, its rows, and what it said."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*map(str, words), "--format", "json"])
    return code, json.loads(out.getvalue() or "[]"), err.getvalue()
