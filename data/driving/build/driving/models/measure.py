"""What the versions are worth, counted from the collection's committed files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from driving.labelling.labels import DEFAULT_GROUPS

Pairs = frozenset[tuple[str, str]]
CUTOFF = 5


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def annotation(folder: Path) -> dict[str, Pairs]:
    """Each item's keywords as (group, keyword)."""
    found = {}
    for row in read_rows(folder / "unified_annotation.csv"):
        item = row.pop("slice_id")
        found[item] = frozenset(
            (group, word) for group, cell in row.items() for word in cell.split(", ") if word
        )
    return found


def known_keywords(cell: str) -> Pairs:
    """The keywords that a text query was made from."""
    return frozenset(tuple(part.split("=", 1)) for part in cell.split("; "))  # type: ignore[misc]


def hits_and_ap(order: np.ndarray, relevant: np.ndarray) -> tuple[float, float] | None:
    """Hits in the first five over five, and average precision; None if nothing is relevant."""
    total = int(relevant.sum())
    if total == 0:
        return None
    gains = relevant[order]
    precision = np.cumsum(gains) / np.arange(1, len(gains) + 1)
    return float(gains[:CUTOFF].sum() / CUTOFF), float(precision[gains].sum() / total)


def mean(values: Iterable[tuple[float, float] | None]) -> tuple[float, float, int]:
    """Mean hits over five, mean average precision, and how many queries counted."""
    kept = np.array([v for v in values if v is not None]).reshape(-1, 2)
    return float(kept[:, 0].mean()), float(kept[:, 1].mean()), len(kept)


def text_measures(
    vectors: np.ndarray,
    queries: np.ndarray,
    wanted: Sequence[Pairs],
    words: Sequence[Pairs],
    among: np.ndarray,
) -> tuple[float, float, int]:
    """Text queries against some of the items."""
    gallery = np.flatnonzero(among)
    rows = []
    for vector, pairs in zip(queries, wanted, strict=True):
        relevant = np.array([pairs <= words[i] for i in gallery])
        order = np.argsort(-(vectors[gallery] @ vector), kind="stable")
        rows.append(hits_and_ap(order, relevant))
    return mean(rows)


def item_measures(
    vectors: np.ndarray, words: Sequence[Pairs], asked: np.ndarray
) -> tuple[float, float, int]:
    """Some of the items as queries against all others, by object and behaviour."""
    rows = []
    core = [frozenset(p for p in pairs if p[0] in DEFAULT_GROUPS) for pairs in words]
    scores = vectors @ vectors.T
    for query in np.flatnonzero(asked):
        others = np.delete(np.arange(len(vectors)), query)
        relevant = np.array([core[query] <= core[i] for i in others])
        order = np.argsort(-scores[query, others], kind="stable")
        rows.append(hits_and_ap(order, relevant))
    return mean(rows)


def table(folder: Path) -> str:
    """A Markdown table of all versions: text and item queries, by day and by night."""
    words = annotation(folder)
    texts = [row for row in read_rows(folder / "queries.csv") if row["text"]]
    wanted = [known_keywords(row["known_keywords"]) for row in texts]
    lines = [
        "| version | queries | items | scored | hits ÷ 5 | AP |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for model in sorted((folder / "models").iterdir()):
        ids = (model / "items.txt").read_text(encoding="utf-8").split()
        vectors, queries = np.load(model / "items.npy"), np.load(model / "queries.npy")
        each = [words[item] for item in ids]
        night = np.array([("pv_scene_type", "nighttime") in pairs for pairs in each])
        slices = {"all": night | True, "day": ~night, "night": night}
        for name, among in slices.items():
            rows = {
                "text": text_measures(vectors, queries, wanted, each, among),
                "item": item_measures(vectors, each, among),
            }
            for kind, (hits, precision, scored) in rows.items():
                lines.append(
                    f"| {model.name} | {kind} | {name} | {scored} | {hits:.3f} | {precision:.3f} |"
                )
    return "\n".join(lines)
