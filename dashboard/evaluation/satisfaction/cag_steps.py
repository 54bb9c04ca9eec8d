"""One list, picture by picture: what each adds to a metric with the context-aware gain, and why.

Shao et al., SIGIR 2019, equations 3 to 5: r'_k = r_k² ÷ o_k, o_k being the largest relevance up to
k; g(k) the mean of r' over the last w pictures; M = Σ g(k)·d(k).
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from dashboard.evaluation.metrics.context import DISCOUNTS, adjusted, in_context, no_weights
from dashboard.evaluation.rankings import Array, Floats
from dashboard.evaluation.satisfaction.cleaning import row_weights

USUAL = "DCG"


def cag_steps(
    relevance: Array, window: int, divide: str, discount: str, grid: Array | None = None
) -> pd.DataFrame:
    """How a list with the context-aware gain comes to its value, a row for each picture.

    relevance: in [0, 1], of the valid pictures in reading order. Columns `rank`, `r`, `best` (o_k)
    and `best_rank` (where it stood first; null while it is 0), `adjusted` (r'), `gain` (g),
    `discount` (d; null for MAX, which takes the largest gain), `adds` (g·d). grid: the row of each
    picture, where AVG is the mean of the means of rows.

    >>> cag_steps(np.array([0.8, 0.4]), 10, "window", "CG")[["adjusted", "gain"]].values.tolist()
    [[0.8, 0.8], [0.2, 0.5]]
    """
    r = np.asarray(relevance, dtype=np.float64)
    row, places = r[None, :], len(r)
    best = np.maximum.accumulate(r) if places else r
    first = pd.Series(np.where(r == best, np.arange(1, places + 1), np.nan))
    gain = np.array([g[0] for g in in_context(row, places, window, divide)], dtype=np.float64)
    over_rows = discount == "AVG" and grid is not None
    d = row_weights(np.asarray(grid)) if over_rows else weights(r, discount)
    return pd.DataFrame(
        {
            "rank": np.arange(1, places + 1),
            "r": r,
            "best": best,
            "best_rank": first.groupby(best).transform("min").where(best > 0).to_numpy(),
            "adjusted": [step[0] for step in adjusted(row, places)],
            "gain": gain,
            "discount": d,
            "adds": gain * d,
        }
    )


def weights(relevance: Floats, discount: str) -> Floats:
    """d(1 … K) under a discount with its default settings; NaN where there is none, as of MAX.

    >>> weights(np.array([0.5, 1.0]), "ERR").tolist()
    [1.0, 0.25]
    """
    return (DISCOUNTS[discount].weights or no_weights)(relevance)


def discount_of(metric: str) -> str:
    """The discount that a metric of the source has; DCG's for any other metric.

    >>> discount_of("CAG(RBP(0.95))"), discount_of("ERR"), discount_of("nDCG")
    ('RBP', 'ERR', 'DCG')
    """
    found = re.match(r"(?:CAG\()?(\w+)", metric)
    return found[1] if found and found[1] in DISCOUNTS else USUAL
