"""mAP@50 and nDCG@50 by Hamming distance; the nearest first, ties in gallery order."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from drawings.measuring.reading import DRAWS, grades, markdown, order, rows, versions

CUTOFF = 50


def average_precision(graded: np.ndarray) -> float:
    """Precision at each hit of the first 50, over the hits among them.

    >>> average_precision(np.array([2.0, 0.0, 0.0, 1.0]))
    0.75
    """
    hits = graded[:CUTOFF] > 0
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float(precision[hits].mean()) if hits.any() else 0.0


def discounted_gain(graded: np.ndarray) -> float:
    """Σ (2^grade − 1) ÷ log2(rank + 1) over the first 50."""
    first = graded[:CUTOFF]
    return float(((2**first - 1) / np.log2(np.arange(2, len(first) + 2))).sum())


def worth(codes: np.ndarray, asked: np.ndarray, graded: np.ndarray) -> tuple[float, float]:
    """mAP@50 and nDCG@50; `graded[query, item]`."""
    precisions, gains = [], []
    for query, own in zip(asked, graded, strict=True):
        ranked = own[order(query, codes)]
        precisions.append(average_precision(ranked))
        gains.append(discounted_gain(ranked) / discounted_gain(-np.sort(-own)))
    return float(np.mean(precisions)), float(np.mean(gains))


def table(folder: Path) -> str:
    """The versions with mAP@50 and nDCG@50, and random codes of 64 bits."""
    items = [row["item_id"] for row in rows(folder / "items.csv")]
    queries = [row["query_id"] for row in rows(folder / "queries.csv")]
    labels = grades(folder)
    graded = np.array([[labels[q].get(item, 0.0) for item in items] for q in queries])
    rng = np.random.default_rng(0)
    drawn = [
        worth(*(rng.choice([-1.0, 1.0], (n, 64)) for n in graded.shape[::-1]), graded)
        for _ in range(DRAWS)
    ]
    found = [("random codes", *np.mean(drawn, 0))]
    for name, codes, asked in versions(folder):
        gallery, vectors = np.stack([codes[i] for i in items]), [asked[q] for q in queries]
        found.append((name, *worth(gallery, np.stack(vectors), graded)))
    lines = [(name, f"{precision:.3f}", f"{gain:.3f}") for name, precision, gain in found]
    return markdown(("version", "mAP@50", "nDCG@50"), lines)
