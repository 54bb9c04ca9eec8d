"""A model version's folder: what it is, its vectors, and the ids that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from networks_build.exported import picture_table, write_side

from driving.models.exported import picture_side
from driving.models.train import Recipe, Vectors

MODEL = """\
# Made by build/build.py.
name = "{name}"
encoder = "minilm+projection"
text_model = "all-MiniLM-L6-v2"
dimension = {dimension}
date = "{date}"
training_seed = {seed}
note = "{note}"
"""


def write_version(
    folder: Path,
    recipe: Recipe,
    vectors: Vectors,
    texts: np.ndarray,
    items: Sequence[str],
    queries: Sequence[str],
) -> None:
    """Write a version; `texts` are the text encoder's vectors of the queries, (queries, 384)."""
    folder.mkdir(parents=True, exist_ok=True)
    about = MODEL.format(
        name=recipe.name,
        dimension=recipe.dimension,
        date=recipe.date,
        seed=recipe.seed,
        note=recipe.note,
    )
    table = picture_table(write_side(picture_side(vectors), folder))
    (folder / "model.toml").write_text(about + table, encoding="utf-8")
    asked = texts @ vectors.text_projection
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    for name, array in (
        ("items", vectors.items),
        ("queries", asked),
        ("text_projection", vectors.text_projection),
    ):
        np.save(folder / f"{name}.npy", np.ascontiguousarray(array, np.float32))
    for name, ids in (("items", items), ("queries", queries)):
        (folder / f"{name}.txt").write_text("\n".join(ids) + "\n", encoding="utf-8")
