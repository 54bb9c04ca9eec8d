"""A collection for reports, small enough to work out by hand: six items, five queries, two runs.

| query       | asks for         | relevant  | baseline `a`            | candidate `b`           |
|-------------|------------------|-----------|-------------------------|-------------------------|
| q1 car      | small vehicle    | v0, v3, v5| v0 v1 v2 v3 v5 v4       | v1 v3 v0 v2 v5 v4       |
| q2 person   | pedestrian       | v1        | v1 v0 v2 v3 v5 v4       | v4 v0 v2 v3 v5 v1       |
| q3 cyclist  | bicyclist        | v2        | v1 v2 v0 v3 v5 v4       | v2 v1 v0 v3 v5 v4       |
| q4 tram     | nothing          | not scored                                            |
| like v3     | small vehicle    | v0, v5    | v0 v1 v2 v5 v4          | v0 v1 v2 v5 v4          |

v4 has no annotation. v0 has a poster, v1 a picture, v2 a damaged file, the others none.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from dashboard.storage.collection.collection import open_collection
from dashboard.storage.collection.query_keywords import write_mapping

GROUP = "pv_object_type"
HAS = {
    "v0": "small vehicle",
    "v1": "pedestrian",
    "v2": "bicyclist",
    "v3": "small vehicle",
    "v5": "small vehicle",
}
ASKS = {"q1": "small vehicle", "q2": "pedestrian", "q3": "bicyclist"}
TEXTS = {"q1": "car", "q2": "person", "q3": "cyclist", "q4": "tram"}
RUNS = {
    "a": {
        "q1": "v0 v1 v2 v3 v5 v4",
        "q2": "v1 v0 v2 v3 v5 v4",
        "q3": "v1 v2 v0 v3 v5 v4",
        "q4": "v0 v1",
        "item_v3": "v0 v1 v2 v5 v4",
    },
    "b": {
        "q1": "v1 v3 v0 v2 v5 v4",
        "q2": "v4 v0 v2 v3 v5 v1",
        "q3": "v2 v1 v0 v3 v5 v4",
        "q4": "v0 v1",
        "item_v3": "v0 v1 v2 v5 v4",
    },
}
FILES = {"v0": "v0.jpg", "v1": "v1.png", "v2": "v2.jpg", "v3": "v3.jpg", "v4": "", "v5": "../x.jpg"}


def make_report_world(folder: Path, odd: str = "") -> Path:
    """The collection in a new folder; `odd` is put into every text that data can hold."""
    for place in ("media", "posters", "runs"):
        (folder / place).mkdir(parents=True)
    _settings(folder, odd)
    _tables(folder, odd)
    _pictures(folder)
    for name, queries in RUNS.items():
        lines = [
            f"{query} Q0 {item} {rank} {1 - rank / 10:.1f} {name}\n"
            for query, items in queries.items()
            for rank, item in enumerate(items.split(), start=1)
        ]
        (folder / "runs" / f"{name}.trec").write_text("".join(lines))
    collection = open_collection(folder, allow_path=True)
    rows = [(q, TEXTS[q], GROUP, keyword + odd, 1.0, False) for q, keyword in ASKS.items()]
    columns = ["query_id", "ngram", "group", "keyword", "score", "kept"]
    mapped = pd.DataFrame(rows, columns=columns)
    settings = {"encoder": "by hand", "threshold": 0.6}
    write_mapping(folder, mapped, collection.vocabulary, collection.queries, settings)
    return folder


def _settings(folder: Path, odd: str) -> None:
    quoted = odd.replace("\\", "\\\\").replace('"', '\\"')
    (folder / "collection.toml").write_text(
        f'title = "Six items{quoted}"\nabout = "By hand{quoted}"\nlicence = "MIT{quoted}"\n'
        f'attribution = "Nobody{quoted}"\nprotocols = ["alfa"]\ngroups = ["{GROUP}"]\n'
        f'default_groups = ["{GROUP}"]\ncutoffs = [1, 3]\nmapping_threshold = 0.6\n',
        encoding="utf-8",
    )
    entries = [
        f'[[keyword]]\nkeyword = "{keyword}{quoted}"\ngroup = "{GROUP}"\nother_words = ["{word}"]\n'
        for word, keyword in zip(("car", "person", "cyclist"), ASKS.values(), strict=True)
    ]
    (folder / "vocabulary.toml").write_text("\n".join(entries), encoding="utf-8")


def _tables(folder: Path, odd: str) -> None:
    posters = {"v0": "v0.webp"}
    items = [(i, file, posters.get(i, ""), odd) for i, file in FILES.items()]
    _csv(folder / "items.csv", items, ["item_id", "file", "poster", "caption"])
    queries = [(q, text + odd, "") for q, text in TEXTS.items()] + [("item_v3", "", "v3")]
    _csv(folder / "queries.csv", queries, ["query_id", "text", "item_id"])
    labels = [(item, keyword + odd) for item, keyword in HAS.items()]
    _csv(folder / "unified_annotation.csv", labels, ["slice_id", GROUP])


def _csv(path: Path, rows: list, columns: list[str]) -> None:
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)


def _pictures(folder: Path) -> None:
    noise = np.random.default_rng(3).integers(0, 255, (36, 64, 3), dtype=np.uint8)
    Image.fromarray(noise).resize((640, 360)).save(folder / "posters" / "v0.webp")
    Image.new("RGBA", (90, 160), "#4466aa80").save(folder / "media" / "v1.png")
    (folder / "media" / "v0.jpg").write_bytes(b"never looked at: there is a poster")
    (folder / "media" / "v2.jpg").write_bytes(b"\xff\xd8\xff damaged")
