"""R@1, R@5 and R@10 both ways and their sum; pictures look among texts, texts among pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from drawings.measuring.reading import markdown, rows, versions

CUTOFFS = (1, 5, 10)


def best_ranks(scores: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The rank of the best right result of each row; equal scores that stand earlier are better.

    >>> best_ranks(np.array([[0.3, 0.9, 0.3]]), np.array([[False, False, True]])).tolist()
    [3]
    """
    places = np.argsort(-np.round(scores, 6), axis=1, kind="stable")
    return np.take_along_axis(right, places, 1).argmax(1) + 1


def recalls(ranks: np.ndarray) -> list[float]:
    """R@1, R@5 and R@10 in per cent."""
    return [float(100 * (ranks <= cutoff).mean()) for cutoff in CUTOFFS]


def chance(pictures: int, each: int) -> list[float]:
    """The six recalls of random orders, in per cent: at least one of `each` among the first K."""
    captions = pictures * each
    missed = [
        np.prod([(captions - each - taken) / (captions - taken) for taken in range(cutoff)])
        for cutoff in CUTOFFS
    ]
    return [100 * (1 - m) for m in missed] + [100 * cutoff / pictures for cutoff in CUTOFFS]


def table(folder: Path) -> str:
    """The versions with six recalls, Rsum and mR, and chance."""
    pictures = [row["item_id"] for row in rows(folder / "items.csv") if row["side"] == "pictures"]
    names = [row["item_id"] for row in rows(folder / "items.csv") if row["side"] == "captions"]
    right = np.array([[name.startswith(f"{p}_") for name in names] for p in pictures])
    found = [("chance", chance(len(pictures), len(names) // len(pictures)))]
    for version, items, queries in versions(folder):
        seen = np.stack([items[name] for name in pictures])
        said = np.stack([items[name] for name in names])
        asked = np.stack([queries[f"t_{name}"] for name in names])
        to_texts = best_ranks(seen @ said.T, right)
        to_pictures = best_ranks(asked @ seen.T, right.T)
        found.append((version, recalls(to_texts) + recalls(to_pictures)))
    columns = [f"{way} R@{cutoff}" for way in ("i2t", "t2i") for cutoff in CUTOFFS]
    lines = [
        (name, *(f"{value:.1f}" for value in six), f"{sum(six):.1f}", f"{sum(six) / 6:.1f}")
        for name, six in found
    ]
    return markdown(("version", *columns, "Rsum", "mR"), lines)
