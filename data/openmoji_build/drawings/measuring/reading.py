"""A collection's committed files, as they are; and random vectors, to know what chance is worth."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

DRAWS = 20
"""Random versions that are averaged."""


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def grades(folder: Path) -> dict[str, dict[str, float]]:
    """query → item → grade: where workers answered, the mean of their valid answers, else -1."""
    found: dict[str, dict[str, float]] = {}
    if (folder / "relevance.csv").is_file():
        return relevance(folder)
    for row in rows(folder / "qrels.csv"):
        found.setdefault(row["query_id"], {})[row["item_id"]] = float(row["grade"])
    return found


def relevance(folder: Path) -> dict[str, dict[str, float]]:
    """query → item → the mean of the valid answers of all workers, -1 without any."""
    said: dict[str, dict[str, list[float]]] = {}
    for row in rows(folder / "relevance.csv"):
        answers = said.setdefault(row["query_id"], {}).setdefault(row["item_id"], [])
        answers.extend([float(row["relevance"])] if float(row["relevance"]) >= 0 else [])
    return {
        query: {item: sum(a) / len(a) if a else -1.0 for item, a in of.items()}
        for query, of in said.items()
    }


def versions(folder: Path) -> Iterator[tuple[str, dict[str, np.ndarray], dict[str, np.ndarray]]]:
    """Name, item → unit vector, query → unit vector of every version, by method, then bits."""
    places = [place for place in (folder / "models").iterdir() if place.is_dir()]
    for place in sorted(places, key=lambda p: (p.name.split("-")[0], len(p.name), p.name)):
        yield place.name, _vectors(place, "items"), _vectors(place, "queries")


def _vectors(place: Path, stem: str) -> dict[str, np.ndarray]:
    ids = (place / f"{stem}.txt").read_text(encoding="utf-8").split("\n")[:-1]
    matrix = np.load(place / f"{stem}.npy").astype(np.float64)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return dict(zip(ids, matrix, strict=True))


def order(query: np.ndarray, gallery: np.ndarray) -> np.ndarray:
    """Places of the gallery from the most to the least similar; ties stay in gallery order."""
    return np.argsort(-np.round(gallery @ query, 6), kind="stable")


def markdown(columns: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    head = [columns, ["---"] * len(columns)]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in [*head, *lines])
