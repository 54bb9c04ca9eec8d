"""A tiny collection in a fresh folder, made by code: four clips, three text queries, two model
versions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.collection import collection as stored

ITEMS = ("v00", "v01", "v02", "v03")
TEXTS = ("q1", "q2", "q3")

FILES = {
    "collection.toml": """\
title = "Four clips"
protocols = ["alfa"]
groups = ["pv_object_type", "pv_actor_behavior"]
default_groups = ["pv_object_type", "pv_actor_behavior"]
cutoffs = [1, 3]
""",
    "items.csv": """\
item_id,file,kind,caption
v00,v00.mp4,video,a car on a motorway
v01,v01.mp4,video,somebody crosses
v02,v02.mp4,video,a bike comes in
v03,v03.mp4,video,another car
""",
    "unified_annotation.csv": """\
slice_id,pv_object_type,pv_actor_behavior
v00,small vehicle,stationary
v01,pedestrian,straight crossing path
v02,"bicyclist, small vehicle",entering ego path
v03,small vehicle,
""",
    "queries.csv": """\
query_id,text,item_id
q1,car,
q2,person crossing,
q3,cyclist entering ego lane,
item_v00,,v00
item_v01,,v01
""",
    "vocabulary.toml": """\
[[keyword]]
keyword = "small vehicle"
group = "pv_object_type"
other_words = ["car"]
[[keyword]]
keyword = "pedestrian"
group = "pv_object_type"
other_words = ["person"]
[[keyword]]
keyword = "bicyclist"
group = "pv_object_type"
other_words = ["cyclist"]
[[keyword]]
keyword = "stationary"
group = "pv_actor_behavior"
[[keyword]]
keyword = "straight crossing path"
group = "pv_actor_behavior"
other_words = ["crossing"]
[[keyword]]
keyword = "entering ego path"
group = "pv_actor_behavior"
other_words = ["entering ego lane"]
""",
}
MODEL = 'encoder = "none"\ndimension = 8\n'


def make_collection(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_bytes(text.encode())
    rng = np.random.default_rng(7)
    gallery = rng.standard_normal((len(ITEMS), 8))
    for version, noise in (("v0.1", 0.6), ("v0.2", 0.2)):
        place = folder / "models" / version
        place.mkdir(parents=True)
        (place / "model.toml").write_text(MODEL)
        vectors = gallery + noise * rng.standard_normal(gallery.shape)
        asked = gallery[[0, 1, 2]] + noise * rng.standard_normal((3, 8))
        for stem, ids, rows in (("items", ITEMS, vectors), ("queries", TEXTS, asked)):
            np.save(place / f"{stem}.npy", unit(rows))
            (place / f"{stem}.txt").write_text("\n".join(ids) + "\n")
    return folder


def reviewed_collection(place: Path, monkeypatch: pytest.MonkeyPatch, protocols: str) -> Path:
    """The same with judgements, as the one collection of the app, and an own store of reviews."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(place / "said"))
    monkeypatch.setattr(stored, "COLLECTIONS", place / "data")
    folder = make_collection(place / "data" / "tiny")
    (folder / "qrels.txt").write_text("q1 0 v00 1\nq2 0 v01 1\nq3 0 v02 1\n")
    settings = (folder / "collection.toml").read_text().replace('["alfa"]', protocols)
    (folder / "collection.toml").write_text(settings)
    return folder


def made_mapping(folder: Path) -> None:
    """Writes that the word of the first query means a keyword."""
    row = "q1,car,pv_object_type,small vehicle,0.9"
    (folder / "query_keywords.csv").write_text(f"query_id,ngram,group,keyword,score\n{row}\n")


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("float32")
