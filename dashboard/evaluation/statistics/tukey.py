"""Three and more versions at once: Tukey's honest differences on the layout query × version.

One-way tools take the queries for independent samples and miss what pairing shows; here each query
has its own level (score ~ query + version), as in R's TukeyHSD(aov(score ~ query + version)). Where
queries come from one scene, the scene is what is independent: what they differ by is added up over
each, and a scene × version is one residual. The means stay those of the queries.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from dashboard.evaluation.comparison.scores import mean_of, scores, without_dust
from dashboard.evaluation.rankings import Array


def tukey_two_way(
    values: Array, versions: Sequence[str], level: float = 0.95, groups: Array | None = None
) -> pd.DataFrame:
    """Each pair's mean difference with bounds and p that hold for all pairs together.

    `values` [Q, V], NaN for null: queries that are null in any version are left out. `groups` [Q]:
    integer codes of the queries that belong together. Columns `baseline, candidate, delta, low,
    high, p, scored, total`; delta = candidate - baseline. Bounds and p are null with fewer than two
    groups or versions, or where no residual variance is left.
    """
    known = ~np.isnan(values).any(axis=1)
    whole = values[known]
    pairs = list(combinations(range(len(versions)), 2))
    first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
    number = np.full(len(pairs), len(whole))
    delta = without_dust(mean_of((whole[:, second] - whole[:, first]).sum(axis=0), number))
    margin, p = _margin_and_p(whole, delta, level, None if groups is None else groups[known])
    return pd.DataFrame(
        {
            "baseline": np.asarray(list(versions), dtype=object)[first],
            "candidate": np.asarray(list(versions), dtype=object)[second],
            "delta": delta,
            "low": without_dust(delta - margin),
            "high": without_dust(delta + margin),
            "p": p,
            "scored": len(whole),
            "total": len(values),
        }
    )


def tukey(
    measurements: pd.DataFrame,
    metric: str,
    cutoff: int | None,
    level: float = 0.95,
    groups: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """`tukey_two_way` of one measure of a measurements table; ValueError when it is not there.

    `groups` (query_id → group): queries that belong together.
    """
    table = scores(measurements)
    return tukey_two_way(table.column(metric, cutoff), table.runs, level, table.grouped(groups))


def _margin_and_p(
    whole: Array, delta: Array, level: float, groups: Array | None
) -> tuple[float, Array]:
    queries, versions = whole.shape
    unknown = np.full(len(delta), np.nan)
    if queries < 2 or versions < 2:
        return float("nan"), unknown
    residual = whole - whole.mean(0) - whole.mean(1, keepdims=True) + whole.mean()
    if groups is not None:
        codes = np.unique(groups, return_inverse=True)[1]
        summed = np.zeros((int(codes.max()) + 1, versions))
        np.add.at(summed, codes, residual)
        residual = summed
    units = len(residual)
    if units < 2:
        return float("nan"), unknown
    freedom = (units - 1) * (versions - 1)
    error = np.sqrt((residual**2).sum() / freedom * units) / queries
    if error < 1e-12:
        return float("nan"), np.where(np.abs(delta) < 1e-12, 1.0, unknown)
    from scipy.integrate import IntegrationWarning  # type: ignore[import-untyped]
    from scipy.stats import studentized_range  # type: ignore[import-untyped]  # slow

    with warnings.catch_warnings():
        # for many queries and p near 1 scipy complains of slow convergence; it is right to 1e-13
        warnings.simplefilter("ignore", IntegrationWarning)
        margin = float(studentized_range.ppf(level, versions, freedom)) * error
        p = studentized_range.sf(np.abs(delta) / error, versions, freedom)
    return margin, np.clip(p, 0, 1)
