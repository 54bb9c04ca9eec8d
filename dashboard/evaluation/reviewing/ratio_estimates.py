"""What a sample of judgements estimates of metrics that divide by what is relevant: R, nDCG and AP.

In each query the sums over results are estimated with the probabilities of having been drawn, and
then divided: AP as statAP, which infAP is where all of a pool is drawn from alike. The sums have no
bias, their ratio has one, of the order of 1 ÷ the results drawn in a query.

Sources: Aslam and Pavlu, A practical sampling strategy for efficient retrieval evaluation (2007);
Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG (SIGIR
2008).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.metrics.discounts import logarithmic
from dashboard.evaluation.rankings import Array, Flags, Floats
from dashboard.evaluation.reviewing.samples import Estimate
from dashboard.evaluation.statistics.resampling import bootstrap_interval
from dashboard.tables import counted

RATIOS = ("R", "nDCG", "AP")
"""The metrics that are estimated so, at any cutoff."""
BIAS = (
    "It is a ratio of two estimates, which is biased where few results of a query were drawn, and "
    "leaves out queries in which nothing that was drawn is relevant."
)


def ratio_estimates(
    measure: Measure, table: pd.DataFrame, relevant: pd.DataFrame, worth: Floats
) -> list[Estimate]:
    """The mean metric of baseline and candidate, and candidate − baseline, from a sample in strata
    within queries. Intervals: 95 %, were queries drawn anew (`bootstrap_interval`).

    table: query_id, stratum, drawn, and ranks from 1 in `baseline` and `candidate`, 0 beyond the
    cutoff. relevant: the same two ranks of what is labelled relevant and was not drawn from. worth
    [n]: from 0 to 1, read where drawn. Raises ValueError where fewer than two queries have a value.
    """
    labelled = {str(query): rows for query, rows in relevant.groupby("query_id", sort=False)}
    values = []
    for query, rows in table.assign(worth=worth).groupby("query_id", sort=False):
        sure = labelled.pop(str(query), relevant.iloc[:0])
        values.append(_of_query(measure, rows, sure))
    nothing = table.iloc[:0].assign(worth=[])  # of a query whose results are all labelled
    values += [_of_query(measure, nothing, sure) for sure in labelled.values()]
    every = np.array(values, dtype=np.float64).reshape(-1, 2)
    every = every[~np.isnan(every).any(axis=1)]
    if len(every) < 2:
        there = counted(len(every), "query", "queries")
        raise ValueError(f"{there} with a relevant result; the estimate needs two")
    figures = np.column_stack([every, every[:, 1] - every[:, 0]])
    drawn, number = int(table["drawn"].sum()), len(table)
    return [
        Estimate(float(value), float(low), float(high), drawn, number)
        for value, low, high in zip(figures.mean(axis=0), *bootstrap_interval(figures), strict=True)
    ]


def _of_query(measure: Measure, rows: pd.DataFrame, sure: pd.DataFrame) -> tuple[float, float]:
    """The ratio of both versions; NaN where nothing is relevant."""
    drawn = rows["drawn"].to_numpy(dtype=bool)
    strata = np.append(rows["stratum"].to_numpy(dtype=object)[drawn], np.full(len(sure), None))
    groups = rows.groupby("stratum")["drawn"]
    size, number = (
        np.append(groups.transform(of).to_numpy(dtype=np.float64)[drawn], np.ones(len(sure)))
        for of in ("size", "sum")
    )
    worth = np.append(rows["worth"].to_numpy(dtype=np.float64)[drawn], np.ones(len(sure)))
    weight = worth * size / number
    relevant = float(weight.sum())
    if not relevant:
        return np.nan, np.nan
    values = []
    for side in ("baseline", "candidate"):
        rank = np.append(rows[side].to_numpy()[drawn], sure[side].to_numpy()).astype(np.int64)
        inside = rank > 0
        if measure.metric.name == "R":
            values.append(float(weight[inside].sum()) / relevant)
        elif measure.metric.name == "nDCG":
            discount = logarithmic(measure.cutoff or int(rank.max(initial=0)))
            ideal = np.append(0.0, np.cumsum(discount))  # between whole numbers of relevant results
            best = np.interp(relevant, np.arange(len(ideal)), ideal)
            values.append(float(weight[inside] @ discount[rank[inside] - 1]) / float(best))
        else:
            both = _both_drawn(strata, size, number)
            values.append(_sum_of_precisions(rank, inside, worth, weight, both) / relevant)
    return values[0], values[1]


def _both_drawn(strata: Array, size: Floats, number: Floats) -> Floats:
    """The probability of the row's result ÷ that of it and the column's being drawn. [n, n]"""
    apart = np.broadcast_to(size / number, (len(size), len(size)))
    known = np.array([stratum is not None for stratum in strata], dtype=bool)
    same = (strata[:, None] == strata[None, :]) & known
    return np.where(same, (size - 1) / np.maximum(number - 1, 1), apart)


def _sum_of_precisions(
    rank: Array, inside: Flags, worth: Floats, weight: Floats, both: Floats
) -> float:
    """Σ over relevant results of the estimated precision at their ranks."""
    above = inside[None, :] & (rank[None, :] < rank[:, None])
    hits = 1 + np.where(above, both * worth[None, :], 0.0).sum(axis=1)
    return float((weight[inside] * hits[inside] / rank[inside]).sum())
