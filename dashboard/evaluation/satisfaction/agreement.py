"""How well metrics agree with satisfaction: tables and figures of the context protocol's source.

Its tables 2 and 3 and figure 3 (Shao et al., SIGIR 2019) for anybody's measurements. A star is
p < 0.05 of a correlation; a dagger p < 0.05 of Williams' test between original and context-aware
gain. Nothing here claims that one gain is better: both are shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.evaluation.comparison.scores import Scores, scores
from dashboard.evaluation.metrics.context import adjusted
from dashboard.evaluation.rankings import Array
from dashboard.evaluation.satisfaction.cleaning import first_rows, rankings
from dashboard.evaluation.statistics.correlation import spearman, williams, zou_interval

ALPHA = 0.05


@dataclass(frozen=True)
class Split:
    """Queries whose results vary most and least, with the variance of each.

    tied_high, tied_low: how many queries share the border's variance where it also lies outside.
    """

    high: tuple[str, ...]
    low: tuple[str, ...]
    variance: pd.Series
    tied_high: int
    tied_low: int


def correlations(measurements: pd.DataFrame, satisfaction: pd.Series) -> pd.DataFrame:
    """Spearman of each measure with satisfaction (by query_id), on queries that have both.

    Columns `run, metric, cutoff, r, p, n, star`; r and p null where either never varies.
    """
    table, felt = _together(measurements, satisfaction)
    rows = []
    for v, run in enumerate(table.runs):
        for m, (metric, cutoff) in enumerate(table.measures):
            found = spearman(table.values[:, v, m], felt)
            rows.append((run, metric, cutoff, found.r, found.p, found.n, found.p < ALPHA))
    names = ["run", "metric", "cutoff", "r", "p", "n", "star"]
    return _typed(pd.DataFrame(rows, columns=names))


def gains(measurements: pd.DataFrame, satisfaction: pd.Series) -> pd.DataFrame:
    """The source's table 3: each discount under original and context-aware gain.

    Columns `run, discount, cutoff, original, context_aware` (the metrics' names), `r_original,
    p_original, star_original, r_context, p_context, star_context, n, between` (Spearman of the two
    with each other), `difference` (context - original), `low, high` (Zou), `t, p` (Williams),
    `dagger`. Every context-aware measure is paired with the original of its discount and cutoff.
    """
    table, felt = _together(measurements, satisfaction)
    rows: list[dict[str, object]] = [
        {
            "run": run,
            **_pair(table.values[:, v, first], table.values[:, v, second], felt),
            "discount": _discount(table.measures[second][0]),
            "cutoff": table.measures[second][1],
            "original": table.measures[first][0],
            "context_aware": table.measures[second][0],
        }
        for v, run in enumerate(table.runs)
        for first, second in _pairs(table)
    ]
    return _typed(pd.DataFrame(rows, columns=_GAINS))


def variance_split(relevance: pd.DataFrame, fraction: float = 0.25) -> Split:
    """The floor(n × fraction) queries of the largest and of the smallest variance of relevance.

    `relevance` has `query_id, relevance`; variance of the population (÷ n), rounded to 12 decimals,
    descending; ties by the order of queries.
    """
    by = relevance.groupby("query_id", sort=False)["relevance"]
    variance = by.var(ddof=0).round(12)
    ordered = variance.sort_values(ascending=False, kind="stable")
    size = int(len(ordered) * fraction)
    high, low = ordered.iloc[:size], ordered.iloc[len(ordered) - size :]
    return Split(
        tuple(map(str, high.index)),
        tuple(map(str, low.index)),
        variance,
        _tied(variance, high, -1),
        _tied(variance, low, 0),
    )


def halves(measurements: pd.DataFrame, satisfaction: pd.Series, split: Split) -> pd.DataFrame:
    """The source's table 2: correlations on the queries of low and of high variance.

    Columns of `correlations`, with `part` ("low" or "high") before them and `tied` after.
    """
    parts = []
    for part, queries, tied in (
        ("low", split.low, split.tied_low),
        ("high", split.high, split.tied_high),
    ):
        some = measurements[measurements["query_id"].isin(queries)]
        table = correlations(some, satisfaction)
        table.insert(0, "part", part)
        parts.append(table.assign(tied=tied))
    return pd.concat(parts, ignore_index=True)


def spread(relevance: pd.DataFrame, satisfaction: pd.Series, rows: int | None = 5) -> pd.DataFrame:
    """The source's figure 3: per query the mean and deviations of relevance in the first rows.

    Columns `query_id, mean, deviation, deviation_in_context` (of r' = r² ÷ largest so far),
    `satisfaction`. Figure 3a draws mean × deviation, figure 3b deviation × deviation_in_context.
    """
    pages = rankings(first_rows(relevance, rows))
    number = pages.returned[:, None]
    inside = np.arange(pages.depth) < number
    context = np.array([r.copy() for r in adjusted(pages.credit, pages.depth)]).T

    def mean(values: Array) -> Array:
        return np.asarray(np.where(inside, values, 0).sum(axis=1) / number[:, 0])

    def deviation(values: Array) -> Array:
        return np.asarray(np.sqrt(mean((values - mean(values)[:, None]) ** 2)))

    return pd.DataFrame(
        {
            "query_id": list(pages.query_ids),
            "mean": mean(pages.credit),
            "deviation": deviation(pages.credit),
            "deviation_in_context": deviation(context),
            "satisfaction": satisfaction.reindex(list(pages.query_ids)).to_numpy(),
        }
    )


_GAINS = [
    *("run", "discount", "cutoff", "original", "context_aware"),
    *("r_original", "p_original", "star_original", "r_context", "p_context", "star_context"),
    *("n", "between", "difference", "low", "high", "t", "p", "dagger"),
]


def _pair(original: Array, context: Array, felt: Array) -> dict[str, object]:
    known = ~(np.isnan(original) | np.isnan(context) | np.isnan(felt))
    original, context, felt = original[known], context[known], felt[known]
    first, second = spearman(original, felt), spearman(context, felt)
    between, n = spearman(original, context).r, int(known.sum())
    test = williams(second.r, first.r, between, n)
    low, high = zou_interval(second.r, first.r, between, n)
    return {
        "r_original": first.r,
        "p_original": first.p,
        "star_original": first.p < ALPHA,
        "r_context": second.r,
        "p_context": second.p,
        "star_context": second.p < ALPHA,
        "n": n,
        "between": between,
        "difference": second.r - first.r,
        "low": low,
        "high": high,
        "t": test.t,
        "p": test.p,
        "dagger": test.p < ALPHA,
    }


def _pairs(table: Scores) -> list[tuple[int, int]]:
    """Places of (original, context-aware) measures with the same discount and cutoff."""
    pairs = []
    for second, (name, cutoff) in enumerate(table.measures):
        if not name.startswith("CAG("):
            continue
        originals = [
            place
            for place, (other, k) in enumerate(table.measures)
            if k == cutoff and not other.startswith("CAG(") and _discount(other) == _discount(name)
        ]
        # per image is how the context-aware one is normalised, so it goes before a plain sum
        originals.sort(key=lambda place: "per=image" not in table.measures[place][0])
        pairs += [(originals[0], second)] if originals else []
    return pairs


def _discount(name: str) -> str:
    found = re.match(r"(?:CAG\()?(\w+)", name)
    return found.group(1) if found else name


def _tied(variance: pd.Series, part: pd.Series, border: int) -> int:
    if part.empty:
        return 0
    same = int((variance == part.iloc[border]).sum())
    return same if same > int((part == part.iloc[border]).sum()) else 0


def _together(measurements: pd.DataFrame, satisfaction: pd.Series) -> tuple[Scores, Array]:
    table = scores(measurements)
    felt = satisfaction.reindex(list(table.query_ids)).to_numpy("float64", na_value=np.nan)
    return table, felt


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype({"cutoff": "Int64"})
