"""How DCG goes with simulated satisfaction, cleaned as the source does; and each version's grids.

It checks that the files work together. It says nothing about people or metrics.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from drawings.measuring.reading import grades, markdown, order, rows, versions

INVALID_SHARE, FEWEST_QUERIES, COLUMNS = 0.9, 3, 5


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1, equal values share the mean of theirs.

    >>> ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    below = (values[None] < values[:, None]).sum(1)
    return below + ((values[None] == values[:, None]).sum(1) + 1) / 2


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's correlation; values are rounded first, so that equal ones are equal."""
    return float(np.corrcoef(ranks(np.round(a, 12)), ranks(np.round(b, 12)))[0, 1])


def gain(relevance: list[float], images: int) -> float:
    """DCG per image of the first valid answers in [0, 1]: Σ r ÷ log2(k + 1) ÷ K."""
    first = np.array(relevance[:images])
    return float((first / np.log2(np.arange(2, len(first) + 2))).sum() / len(first))


def cleaned(folder: Path) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Valid relevance of each list in order, and its satisfaction scaled per participant.

    Out go queries with more than 90 % invalid relevance, then participants with fewer than three
    lists, then those who always answered the same.
    """
    judged = grades(folder)
    bad = {
        query for query, of in judged.items()
        if np.mean([grade < 0 for grade in of.values()]) > INVALID_SHARE
    }  # fmt: skip
    said = [r for r in rows(folder / "satisfaction.csv") if r["query_id"] not in bad]
    number = Counter(row["participant"] for row in said)
    answers: dict[str, dict[str, float]] = defaultdict(dict)
    for row in said:
        if number[row["participant"]] >= FEWEST_QUERIES:
            answers[row["participant"]][row["list_id"]] = float(row["satisfaction_simulated"])
    scaled = {
        name: (answer - min(own.values())) / (max(own.values()) - min(own.values()))
        for own in answers.values()
        if max(own.values()) > min(own.values())
        for name, answer in own.items()
    }
    relevance: dict[str, list[float]] = {name: [] for name in scaled}
    for row in rows(folder / "lists.csv"):
        grade = judged[row["query_id"]][row["item_id"]]
        if row["list_id"] in relevance and grade >= 0:
            relevance[row["list_id"]].append(grade / 100)
    return relevance, scaled


def table(folder: Path) -> str:
    """Spearman of DCG at 5, 10 and 15 rows, then each version's mean DCG at ten rows."""
    relevance, scaled = cleaned(folder)
    deepest = Counter(row["list_id"] for row in rows(folder / "lists.csv"))
    lines = []
    for depth in (5, 10, 15):
        names = [name for name in scaled if deepest[name] >= depth * COLUMNS]
        gains = np.array([gain(relevance[name], depth * COLUMNS) for name in names])
        found = spearman(gains, np.array([scaled[name] for name in names]))
        lines.append((f"first {depth} rows", len(names), f"{found:.3f}"))
    first = markdown(("DCG of the", "lists", "Spearman with simulated satisfaction"), lines)
    return f"{first}\n\n{markdown(('version', 'mean DCG per picture, 10 rows'), grids(folder))}"


def grids(folder: Path) -> list[tuple[str, str]]:
    """Each version's mean DCG over the words, ten rows of its own grid."""
    judged, found = grades(folder), []
    for name, items, queries in versions(folder):
        ids, gallery = list(items), np.stack(list(items.values()))
        gains = []
        for query, vector in queries.items():
            own = [judged[query].get(ids[place], -1) for place in order(vector, gallery)]
            valid = [grade / 100 for grade in own[: 15 * COLUMNS] if grade >= 0]
            if len(valid) >= 10 * COLUMNS:
                gains.append(gain(valid, 10 * COLUMNS))
        found.append((name, f"{np.mean(gains):.4f}"))
    return found
