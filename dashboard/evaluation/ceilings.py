"""What a perfect ranking gets where that is less than 1: P@K and R@K, by the number of relevant
items."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.rankings import Floats


def ceilings(measure: Measure, judgement: Judgement) -> Floats | None:
    """The most that any ranking can get, for each query [Q]; None: 1, or not known.

    P@K: min(K, R) ÷ K. R@K: min(K, R) ÷ R. NaN for a query that is not scored, or has no relevant
    item to find.
    """
    if measure.cutoff is None or measure.metric.name not in ("P", "R"):
        return None
    relevant = judgement.relevant.astype(np.float64)
    divisor = relevant if measure.metric.name == "R" else np.full(len(relevant), measure.cutoff)
    scored = (relevant > 0) & ~judgement.asked.isin(list(judgement.unscorable))
    found = np.minimum(relevant, measure.cutoff)
    unknown = np.full(len(relevant), np.nan)
    return np.asarray(np.divide(found, divisor, out=unknown, where=scored))


def mean_ceiling(
    measure: Measure, judgement: Judgement, only: Collection[str] | None = None
) -> float | None:
    """The mean of `ceilings` over `only` these queries (None: all); None where there is none."""
    values = ceilings(measure, judgement)
    if values is None:
        return None
    if only is not None:
        values = values[judgement.asked.isin(list(only))]
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
