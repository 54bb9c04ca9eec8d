"""What reviewers prefer between two versions, query by query: counts and a sign test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

SCORES = {"much better": 2, "better": 1, "same": 0, "worse": -1, "much worse": -2}
"""Degrees of a preference for the candidate; `cannot judge` is none."""


@dataclass(frozen=True)
class Preference:
    """How many queries are better, worse or the same in the candidate, by the mean of what their
    reviewers said; and of those that differ the share that is better, with its interval.

    p: of the two-sided sign test; null without a query that differs.
    """

    better: int
    worse: int
    same: int
    cannot_judge: int
    share: float
    low: float
    high: float
    p: float

    @property
    def queries(self) -> int:
        """The queries that some reviewer could judge."""
        return self.better + self.worse + self.same


def preference(answers: pd.DataFrame) -> Preference:
    """Of answers (query_id, author, value), the last of each author on each query: each query
    counts once, whoever many judged it. Interval: 95 %, exact (Clopper and Pearson 1934).

    >>> rows = [("q1", "Ada", "better"), ("q2", "Ada", "much worse"), ("q2", "Bob", "better")]
    >>> found = preference(pd.DataFrame(rows, columns=["query_id", "author", "value"]))
    >>> found.better, found.worse, found.same, round(found.p, 3)
    (1, 1, 0, 1.0)
    """
    from scipy.stats import (  # type: ignore[import-untyped]
        binomtest,  # here: it takes long to load, and few calls need it
    )

    last = answers.drop_duplicates(["query_id", "author"], keep="last")
    scores = last["value"].map(SCORES).astype("float64")
    means = scores.groupby(last["query_id"]).mean()
    signs = np.sign(means.dropna().to_numpy())
    better, worse = int((signs > 0).sum()), int((signs < 0).sum())
    nothing = float("nan")
    share, low, high, p = nothing, nothing, nothing, nothing
    if better + worse:
        test = binomtest(better, better + worse)
        interval = test.proportion_ci(0.95, method="exact")
        share, low, high, p = test.statistic, interval.low, interval.high, test.pvalue
    same, silent = int((signs == 0).sum()), int(means.isna().sum())
    return Preference(better, worse, same, silent, *map(float, (share, low, high, p)))
