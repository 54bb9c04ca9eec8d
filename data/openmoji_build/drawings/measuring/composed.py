"""mAP on the annotated pictures: only their order among themselves counts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from drawings.measuring.reading import DRAWS, grades, markdown, order, versions

Vectors = Mapping[str, np.ndarray]
Grades = Mapping[str, Mapping[str, float]]


def average_precision(relevant: np.ndarray) -> float:
    """Precision at each hit, over all relevant ones.

    >>> round(average_precision(np.array([True, False, True])), 4)
    0.8333
    """
    precision = np.cumsum(relevant) / np.arange(1, len(relevant) + 1)
    return float(precision[relevant].mean())


def precisions(items: Vectors, queries: Vectors, labels: Grades) -> list[float]:
    """AP of each query, over its annotated pictures alone."""
    found = []
    for query, judged in labels.items():
        gallery = np.stack([items[item] for item in judged])
        relevant = np.array(list(judged.values())) == 1
        found.append(average_precision(relevant[order(queries[query], gallery)]))
    return found


def chance(labels: Grades) -> float:
    """mAP of random orders."""
    rng = np.random.default_rng(0)
    shuffled = [
        average_precision(rng.permutation(np.array(list(judged.values())) == 1))
        for judged in labels.values()
        for _ in range(DRAWS)
    ]
    return float(np.mean(shuffled))


def table(folder: Path) -> str:
    """The versions with their mAP, and chance."""
    labels = grades(folder)
    lines = [
        (name, f"{np.mean(precisions(items, queries, labels)):.3f}")
        for name, items, queries in versions(folder)
    ]
    return markdown(("version", "mAP"), [("chance", f"{chance(labels):.3f}"), *lines])
