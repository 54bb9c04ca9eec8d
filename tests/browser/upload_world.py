"""Five plain pictures, and versions that see colours: v1 as they are, v2 red as green, v3 not."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from dashboard.storage.collection.collection import open_collection
from dashboard.storage.collection.query_keywords import write_mapping
from tests.retrieval.networks import mean_colours, see, weighted

COLOURS = {
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "grey": (128, 128, 128),
}
WARM = ("red", "yellow")
SETTINGS = """\
title = "Plain pictures"
groups = ["pv_colour"]
default_groups = ["pv_colour"]
cutoffs = [1, 3]
"""


def build(folder: Path) -> Path:
    """Write the collection into a folder that is not there yet."""
    (folder / "media").mkdir(parents=True)
    for name, colour in COLOURS.items():
        Image.new("RGB", (64, 48), colour).save(folder / f"media/{name}.png")
    (folder / "collection.toml").write_text(SETTINGS)
    _table(folder / "items.csv", ["item_id", "file", "kind", "caption"],
           [[name, f"{name}.png", "image", f"all {name}"] for name in COLOURS])  # fmt: skip
    _table(folder / "unified_annotation.csv", ["slice_id", "pv_colour"],
           [[name, "warm" if name in WARM else "cold"] for name in COLOURS])  # fmt: skip
    _table(folder / "queries.csv", ["query_id", "text", "item_id"],
           [["q1", "warm", ""], ["q2", "cold", ""], ["q3", "", "red"]])  # fmt: skip
    mean_colours(folder / "networks/means.onnx", 3)
    as_green = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    for version, turn in (("v1", np.eye(3)), ("v2", as_green), ("v3", np.eye(3))):
        _version(folder, version, turn)
    known = open_collection(folder, allow_path=True)
    words = [("q1", "warm"), ("q2", "cold")]
    mapped = pd.DataFrame([[q, word, "pv_colour", word, 1.0] for q, word in words],
                          columns=["query_id", "ngram", "group", "keyword", "score"])  # fmt: skip
    write_mapping(folder, mapped, known.vocabulary, known.queries, {"threshold": 0.6})
    return folder


def _version(folder: Path, version: str, turn: np.ndarray) -> None:
    place = folder / "models" / version
    place.mkdir(parents=True)
    (place / "model.toml").write_text('encoder = "none"\n')
    rows = np.array(list(COLOURS.values()), np.float32)
    for stem, ids, vectors in (("items", list(COLOURS), rows), ("queries", ["q1", "q2"], rows[:2])):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.save(place / f"{stem}.npy", vectors / lengths)
        (place / f"{stem}.txt").write_text("\n".join(ids) + "\n")
    if version != "v3":
        weighted(place / "picture.onnx", turn)
        see(folder, version, 'before = "means.onnx"\nsize = [8, 8]\n')


def _table(path: Path, head: list[str], rows: list[list[object]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])
