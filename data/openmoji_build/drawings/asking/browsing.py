"""Simulated people who look through grids of pictures: which grids they saw, how content they were.

The model knows neither a context-aware gain nor a discount: a person needs so many fitting
pictures, looks row by row, takes a picture for fitting when its relevance, blurred, passes a
threshold of theirs, and gives up by chance. The answer is how much of the need was met, less the
rows it took, noise, and the person's own scale. It is made up, and supports no conclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

COLUMNS = 5
FEWEST_ROWS, MOST_ROWS = 8, 15
PEOPLE = 22
FEW, USUAL = (2, 2), (6, 13)
"""How many grids a person sees, from and to: the last two people see only two."""
SCALES = ((1, 5), (1, 5), (2, 5), (1, 4), (2, 4), (3, 5))
"""The part of the 1–5 scale that a person uses."""


@dataclass(frozen=True)
class Viewer:
    """A simulated person: what is needed, what counts as fitting, and how the answer is given."""

    name: str
    need: int
    threshold: float
    blur: float
    patience: float
    noise: float
    scale: tuple[int, int]
    lists: int


@dataclass(frozen=True)
class Shown:
    """One grid that a person saw: the query, whose results, how many rows, the answer (1–5)."""

    list_id: str
    participant: str
    query_id: str
    version: str
    rows: int
    satisfaction: int


def viewers(rng: np.random.Generator) -> list[Viewer]:
    """The simulated people; the third always gives the same answer, the last two saw little."""
    found = []
    for number in range(PEOPLE):
        low, high = FEW if number >= PEOPLE - 2 else USUAL
        scale = (4, 4) if number == 2 else SCALES[rng.integers(len(SCALES))]
        found.append(
            Viewer(
                name=f"p{number + 1:02d}",
                need=int(rng.integers(3, 13)),
                threshold=float(rng.uniform(0.15, 0.35)),
                blur=0.12,
                patience=float(rng.uniform(0.8, 0.97)),
                noise=0.16,
                scale=scale,
                lists=int(rng.integers(low, high + 1)),
            )
        )
    return found


def contentment(viewer: Viewer, relevance: Sequence[float], rng: np.random.Generator) -> float:
    """How content a person is with a grid, about 0 to 1; relevance in [0, 1], row by row."""
    perceived = np.asarray(relevance) + rng.normal(0, viewer.blur, len(relevance))
    fitting = perceived >= viewer.threshold
    found, rows = 0, 0
    for start in range(0, len(fitting), COLUMNS):
        found, rows = found + int(fitting[start : start + COLUMNS].sum()), rows + 1
        if found >= viewer.need or rng.random() > viewer.patience:
            break
    met = min(found / viewer.need, 1)
    return 0.85 * met + 0.15 * (1 - rows / MOST_ROWS) + float(rng.normal(0, viewer.noise))


def answer(viewer: Viewer, content: float) -> int:
    """The answer on the person's part of the 1–5 scale.

    >>> calm = Viewer("p", 3, 0.2, 0.1, 0.9, 0.1, (2, 4), 5)
    >>> [answer(calm, content) for content in (-0.2, 0.5, 1.3)]
    [2, 3, 4]
    """
    low, high = viewer.scale
    return int(np.clip(round(low + (high - low) * content), low, high))


def sessions(
    queries: Sequence[str],
    versions: Sequence[str],
    relevance: Callable[[str, str, int], Sequence[float]],
    seed: int,
) -> list[Shown]:
    """What every person saw and answered.

    relevance(query_id, version, rows) gives the relevance in [0, 1] of a grid's pictures in order.
    A person sees a query once, by any version.
    """
    rng = np.random.default_rng(seed)
    found: list[Shown] = []
    for viewer in viewers(rng):
        for query in rng.choice(queries, viewer.lists, replace=False).tolist():
            version = versions[rng.integers(len(versions))]
            deep = rng.random() < 0.6
            rows = MOST_ROWS if deep else int(rng.integers(FEWEST_ROWS, MOST_ROWS))
            content = contentment(viewer, relevance(query, version, rows), rng)
            given = answer(viewer, content)
            name = f"l{len(found) + 1:03d}"
            found.append(Shown(name, viewer.name, query, version, rows, given))
    return found
