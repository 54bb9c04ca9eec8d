"""Whole versions as curves: a metric over its cutoff with bounds over ties, and the ranks of the
first right answer as a share of queries."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from dashboard.evaluation.comparison.scores import mean_of
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import measure, scorable
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.metrics.ties import Orders
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.rankings import Flags, Floats, Rankings, rank

BOUNDED = ["metric", "cutoff", "mean", "worst", "best", "scored", "total"]
GRID = 60
"""So many ranks, even on a logarithmic axis, draw a curve that nobody can tell from the whole."""


def steps(longest: int) -> list[int]:
    """Cutoffs that stand evenly on a logarithmic axis, the last of them the whole list.

    >>> steps(60), steps(1)
    ([1, 2, 5, 10, 20, 50, 60], [1])
    """
    usual = [first * 10**power for power in range(10) for first in (1, 2, 5)]
    return [*(step for step in usual if step < longest), *([longest] if longest else [])]


def bounded(
    run: pd.DataFrame,
    judgement: Judgement,
    protocol: Protocol,
    metrics: str,
    only: Collection[str] | None = None,
) -> pd.DataFrame:
    """The mean of each metric as it stands, and at worst and at best over all orders of ties.

    Columns `metric, cutoff, mean, worst, best, scored, total`. only: the queries to look at (None:
    all). Bounds are NaN where a metric looks into equal scores that are not all there: at the end
    of a run that was cut (`run.attrs["torn"]` names its queries), or beyond what is kept of long
    lists. Raises ValueError for a metric without such bounds.
    """
    measures = parse(metrics)
    values = measure({"": run}, judgement, protocol, measures)["value"].to_numpy()
    rankings = rank(protocol.keep(run, judgement), judgement)
    kept = rankings.whole()
    left_out = rankings.returned > kept.returned
    orders, whole = Orders(kept), _whole(run, kept, left_out)
    chosen = _chosen(judgement, only)
    rows = []
    for each, mine in zip(measures, values.reshape(len(measures), -1), strict=True):
        scored = chosen & ~np.isnan(mine)
        worst, best = (np.where(np.isnan(of), mine, of) for of in orders.bounds(each))
        unknown = scored & (whole < (np.inf if each.cutoff is None else each.cutoff))
        if unknown.any():
            worst = best = np.full(len(mine), np.nan)
        number = np.array(scored.sum())
        means = [float(mean_of(of[scored].sum(), number)) for of in (mine, worst, best)]
        rows.append((each.name, each.cutoff, *means, int(scored.sum()), int(chosen.sum())))
    return pd.DataFrame(rows, columns=BOUNDED).astype({"cutoff": "Int64"})


def _whole(run: pd.DataFrame, rankings: Rankings, left_out: Flags) -> Floats:
    """Up to which rank each query's groups of equal scores are whole; infinite for most. [Q]

    left_out: the queries whose lists go on, so that their last group may, too.
    """
    ended = {*run.attrs.get("torn", ()), *run.attrs.get("partial", ())}
    torn = left_out | np.isin(rankings.query_ids, list(ended))
    last = (
        np.take_along_axis(rankings.ties, np.maximum(rankings.returned - 1, 0)[:, None], axis=1)
        if rankings.depth
        else np.zeros((len(torn), 1))
    )
    before = (rankings.ties < last).sum(axis=1)
    return np.where(torn, before, np.inf)


def counting(
    run: pd.DataFrame,
    judgement: Judgement,
    protocol: Protocol,
    only: Collection[str] | None = None,
) -> tuple[Flags, int]:
    """Which queries count, of those that were chosen: not those that are null. [Q] and how many
    were chosen."""
    chosen = _chosen(judgement, only)
    return chosen & scorable(run, judgement, protocol), int(chosen.sum())


def first_hits(
    run: pd.DataFrame,
    judgement: Judgement,
    protocol: Protocol,
    only: Collection[str] | None = None,
) -> pd.DataFrame:
    """Where the first relevant item of each query that counts stands: query_id, rank, tied.

    rank: from 1, <NA> where none came back. tied: whether a result that is not relevant has the
    same score, so that another order would be as right; <NA> where results beside it may be left
    out or may follow the end of a run that was cut.
    """
    rankings = rank(protocol.keep(run, judgement), judgement)
    columns, none = np.arange(rankings.width), rankings.width
    first = np.where(rankings.hits, columns, none).min(axis=1, initial=none)
    own = np.where(columns == first[:, None], rankings.ties, -1).max(axis=1, initial=-1)
    inside = columns < rankings.returned[:, None]
    others = inside & ~rankings.hits & (rankings.ties == own[:, None])
    tied, found, place = others.any(axis=1), first < none, first
    if rankings.places is not None and none:
        place = rankings.places[np.arange(len(first)), np.minimum(first, none - 1)]
    kept = rankings.whole()
    unknown = found & ~tied & (place >= _whole(run, kept, rankings.returned > kept.returned))
    table = pd.DataFrame(
        {
            "query_id": pd.Series(judgement.query_ids, dtype="str"),
            "rank": pd.arrays.IntegerArray(place.astype(np.int64) + 1, mask=~found),
            "tied": pd.arrays.BooleanArray(tied, mask=unknown),
        }
    )
    counted, _ = counting(run, judgement, protocol, only)
    return table[counted].reset_index(drop=True)


def cumulative(ranks: pd.Series, longest: int) -> pd.DataFrame:
    """The share of queries with a rank of at most r: rank, share, queries. ranks: <NA> for none.

    At every rank of a short list; of a longer one at ranks that stand evenly on a logarithmic axis.

    >>> cumulative(pd.Series([1, 3, None], dtype="Int64"), 3)["share"].round(2).tolist()
    [0.33, 0.33, 0.67]
    """
    grid = np.unique(np.rint(np.geomspace(1, max(longest, 1), GRID)).astype(int))
    known = np.sort(ranks.dropna().to_numpy(dtype=int))
    within = np.searchsorted(known, grid, side="right")
    share = within / len(ranks) if len(ranks) else np.full(len(grid), np.nan)
    return pd.DataFrame({"rank": grid, "share": share, "queries": len(ranks)})


def _chosen(judgement: Judgement, only: Collection[str] | None) -> Flags:
    if only is None:
        return np.ones(len(judgement.query_ids), dtype=bool)
    flags: Flags = judgement.asked.isin(list(only))
    return flags
