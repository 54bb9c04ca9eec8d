"""CAG, the context-aware gain (Shao et al., SIGIR 2019), under each discount.

A result beside a better one before it gains less: r'_k = r_k² ÷ max_{j≤k} r_j, r being the credit.
The gain at rank k is the mean of r' over the last w results, and a metric is Σ_k g(k)·d(k) over the
results looked at. A new discount is one `context_aware` line at the foot of this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dashboard.evaluation.metrics import discounts
from dashboard.evaluation.metrics.discounts import (
    PER_IMAGE,
    PER_LIST,
    PERSISTENCE,
    ROWS,
    per_image,
    weighted_by_length,
)
from dashboard.evaluation.metrics.names import Setting, choice
from dashboard.evaluation.metrics.registry import metric
from dashboard.evaluation.rankings import Array, Floats, Rankings

WINDOW = Setting("w", 10, low=1, high=10_000, whole=True)
DIVIDE = choice("divide", "window", "w")
SOURCE = "Shao et al., Towards Context-Aware Evaluation for Image Search, SIGIR 2019"
GAIN = "g(k): mean over the last w of r² ÷ largest r so far"


def adjusted(credit: Array, places: int) -> Iterator[Floats]:
    """r' of one rank after another: credit² ÷ the largest credit so far, 0 while that is 0.

    The same array is handed out each time. [Q]

    >>> [float(r[0]) for r in adjusted(np.array([[0.8, 0.4, 1.0]]), 3)]
    [0.8, 0.2, 1.0]
    """
    best, step = np.full(len(credit), np.finfo(float).tiny), np.empty(len(credit))
    for rank in range(places):
        column = credit[:, rank]
        np.maximum(best, column, out=best)
        # r · (r ÷ largest) and not r² ÷ largest: at a new largest this is r to the last bit
        np.divide(column, best, out=step)
        yield np.multiply(step, column, out=step)


def in_context(credit: Array, places: int, w: int, divide: str) -> Iterator[Floats]:
    """g of one rank after another: the mean of r' over the window that ends there. [Q]

    divide: by the number of results in the window, min(k, w), or always by w.

    >>> [round(float(g[0]), 3) for g in in_context(np.array([[0.8, 0.4, 1.0]]), 3, 2, "window")]
    [0.8, 0.5, 0.6]
    """
    window: list[Floats] = []
    total = np.zeros(len(credit))
    for rank, value in enumerate(adjusted(credit, places)):
        window.append(value.copy())
        total += value
        if rank >= w:
            total -= window[rank - w]
        # what is left of a sum of zeros after additions and subtractions must not be negative
        yield np.maximum(total, 0) / (w if divide == "w" else min(rank + 1, w))


def folded(weights: Floats, w: int, divide: str) -> Floats:
    """The weight of each r' that gives Σ g(k)·d(k): the window moved from the gain to the discount.

    Σ_k d(k) ÷ n_k Σ_{i in window of k} r'_i = Σ_i r'_i Σ_{k = i..i+w−1} d(k) ÷ n_k.
    """
    places = np.arange(1, len(weights) + 1)
    shares = weights / (w if divide == "w" else np.minimum(places, w))
    summed = np.append(0.0, np.cumsum(shares))
    ends = np.minimum(places + w - 1, len(weights))
    moved: Floats = summed[ends] - summed[:-1]
    return moved


def context_aware(
    name: str, *settings: Setting, weights: Callable[..., Floats], per: Setting, formula: str
) -> None:
    """Enter CAG under a discount whose weights do not depend on the results.

    weights(K, **settings) → d(1 … K); per: whether the sum is divided by the number of results.
    """

    def value(
        rankings: Rankings,
        k: int | None,
        w: int = 10,
        divide: str = "window",
        per: str = str(per.default),
        **chosen: float,
    ) -> Floats:
        total = weighted_by_length(
            adjusted(rankings.credit, rankings.places(k)),
            rankings.evaluated(k),
            lambda length: folded(weights(length, **chosen), w, divide),
        )
        return per_image(total, rankings, k, per)

    value.__doc__ = (
        f"Gain in the context of the results before, discounted as {name} (reads credit)."
    )
    metric(
        f"CAG({name})",
        *settings,
        WINDOW,
        DIVIDE,
        per,
        formula=f"Σ g(k) · {formula}; {GAIN}",
        source=SOURCE,
        reads="credit",
        best_first=False,
    )(value)


@metric(
    "CAG(ERR)",
    WINDOW,
    DIVIDE,
    PER_LIST,
    formula=f"Σ g(k) · (1 ÷ k) · Π_{{j<k}} (1 − r_j); {GAIN}",
    source=SOURCE,
    reads="credit",
    best_first=False,
)
def cag_err(
    rankings: Rankings, k: int | None, w: int = 10, divide: str = "window", per: str = "list"
) -> Floats:
    """Gain in context, discounted as ERR: the reader stops by the original credit (reads credit).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> cag_err(from_lists([[1, 1]], credit=[[0.5, 0.5]]), None).tolist()
    [0.625]
    """
    evaluated = rankings.evaluated(k)
    total, going = np.zeros(len(evaluated)), np.ones(len(evaluated))
    for rank, gain in enumerate(in_context(rankings.credit, rankings.places(k), w, divide)):
        # after the end of a list the window still holds something, but nothing is looked at
        total += np.where(rank < evaluated, going * gain / (rank + 1), 0.0)
        going *= 1 - rankings.credit[:, rank].astype(np.float64)
    return per_image(total, rankings, k, per)


@metric(
    "CAG(MAX)",
    WINDOW,
    DIVIDE,
    PER_LIST,
    formula=f"largest g(k); {GAIN}",
    source=SOURCE,
    reads="credit",
    best_first=False,
)
def cag_max(
    rankings: Rankings, k: int | None, w: int = 10, divide: str = "window", per: str = "list"
) -> Floats:
    """Largest gain in context among the results looked at (reads credit).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> cag_max(from_lists([[1, 1]], credit=[[0.5, 1]]), None).tolist()
    [0.75]
    """
    best = np.zeros(len(rankings.returned))
    for gain in in_context(rankings.credit, rankings.places(k), w, divide):
        # a window that reaches past the end of a list holds less than the one that ends with it
        np.maximum(best, gain, out=best)
    return per_image(best, rankings, k, per)


context_aware(
    "RBP",
    PERSISTENCE,
    weights=discounts.persistence,
    per=PER_IMAGE,
    formula="(1 − p) p^(k−1) ÷ K",
)
context_aware("DCG", weights=discounts.logarithmic, per=PER_IMAGE, formula="1 ÷ log2(k + 1) ÷ K")
context_aware("CG", weights=discounts.constant, per=PER_IMAGE, formula="1 ÷ K")
context_aware("AVG", ROWS, weights=discounts.average, per=PER_LIST, formula="1 ÷ K")
