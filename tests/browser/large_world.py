"""A collection of 20,000 queries, 20,000 items and 2,000 keywords, made on the spot."""

from __future__ import annotations

from pathlib import Path

import numpy as np

QUERIES, ITEMS, KEYWORDS = 20_000, 20_000, 2_000
_DEPTH = 10


def build(folder: Path) -> None:
    """Write the collection `folder`: two versions as ranked results, judgements, an annotation."""
    folder.mkdir(parents=True)
    (folder / "runs").mkdir()
    (folder / "collection.toml").write_text(
        'title = "Large"\nprotocols = ["trec"]\ngroups = ["pv_object_type"]\n'
        'default_groups = ["pv_object_type"]\n'
    )
    queries = [f"q{n:05}" for n in range(QUERIES)]
    items = [f"recording_of_a_street_{n:05}" for n in range(ITEMS)]
    _table(
        folder / "queries.csv",
        "query_id,text",
        zip(queries, map(_text, range(QUERIES)), strict=True),
    )
    _table(
        folder / "items.csv", "item_id,caption", zip(items, map(_text, range(ITEMS)), strict=True)
    )
    words = [f"keyword number {n % KEYWORDS}" for n in range(ITEMS)]
    _table(
        folder / "unified_annotation.csv", "slice_id,pv_object_type", zip(items, words, strict=True)
    )
    random = np.random.default_rng(5)
    _table(
        folder / "qrels.csv",
        "query_id,item_id,grade",
        ((query, items[n], 1) for n, query in enumerate(queries)),
    )
    for version in ("v1", "v2"):
        lines = []
        for number, query in enumerate(queries):
            found = random.choice(ITEMS, _DEPTH, replace=False)
            if random.random() < 0.7:
                found[random.integers(_DEPTH)] = number
            lines += [
                f"{query} Q0 {items[item]} {place} {1 - place / 100:.4f} {version}"
                for place, item in enumerate(dict.fromkeys(found), start=1)
            ]
        (folder / "runs" / f"{version}.trec").write_text("\n".join(lines) + "\n")


def _text(number: int) -> str:
    return f"a vehicle with the number {number} that comes from the {number % 360} degrees"


def _table(path: Path, head: str, rows: object) -> None:
    lines = [",".join(map(str, row)) for row in rows]
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
