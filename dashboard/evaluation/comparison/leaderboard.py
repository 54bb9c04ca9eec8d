"""Where each version stands among the others: means with intervals, and how sure their order is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dashboard.evaluation.comparison.scores import mean_of, scores
from dashboard.evaluation.rankings import Array
from dashboard.evaluation.statistics.drawing import resampled
from dashboard.evaluation.statistics.resampling import RESAMPLES, bootstrap_interval, units


def means(
    measurements: pd.DataFrame,
    *,
    groups: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """The mean of every run and measure with its 95 % interval, over the scored queries.

    Columns `run, metric, cutoff, mean, low, high, scored, total`; the interval is null below two
    scored queries. `groups` (query_id → group): queries drawn together.
    """
    table = scores(measurements)
    columns = table.values.reshape(len(table.query_ids), -1)
    number = (~np.isnan(columns)).sum(axis=0)
    total = np.nansum(columns, axis=0)
    low, high = bootstrap_interval(columns, groups=table.grouped(groups))
    cutoffs = [cutoff for _, cutoff in table.measures]
    return pd.DataFrame(
        {
            "run": np.repeat(np.asarray(table.runs, dtype=object), len(table.measures)),
            "metric": [metric for metric, _ in table.measures] * len(table.runs),
            "cutoff": pd.array(cutoffs * len(table.runs), dtype="Int64"),
            "mean": mean_of(total, number),
            "low": low,
            "high": high,
            "scored": number,
            "total": table.present.reshape(len(table.query_ids), -1).sum(axis=0),
        }
    )


def leaderboard(means: pd.DataFrame) -> pd.DataFrame:
    """Versions by one metric, best first: the rows of `means` with their `place` before them.

    Equal means share the better place; a version without any scored query comes last, without one.
    `of_all`: the mean over every query, those that are not scored as 0, as sources that speak of
    all queries may mean it.
    """
    rounded = means["mean"].round(12)
    place = rounded.rank(method="min", ascending=False).astype("Int64")
    found = means.assign(of_all=means["mean"].fillna(0) * means["scored"] / means["total"])
    found.insert(0, "place", place)
    return found.sort_values("place", kind="stable", na_position="last", ignore_index=True)


def stability(
    measurements: pd.DataFrame,
    metric: str,
    cutoff: int | None,
    *,
    groups: Mapping[str, str] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """How often each version would come first, second … with other queries of the same kind.

    The queries that are scored in all versions (or their groups) are drawn anew with replacement.
    Columns `run, rank` (by the mean), `place` (1 …), `share` (of the resamples in which the run
    has that place; equal means share the better place) and `tied` (of those in which it shares
    that place). Empty below two queries.
    """
    table = scores(measurements)
    values = table.column(metric, cutoff)
    whole = ~np.isnan(values).any(axis=1)
    codes = table.grouped(groups)
    if codes is not None:
        codes = np.unique(codes[whole], return_inverse=True)[1]
    sums, sizes = _in_order(*units(values[whole], codes))
    if len(sums) < 2:
        return pd.DataFrame({"run": [], "rank": [], "place": [], "share": [], "tied": []})
    draws = resampled(np.random.default_rng(seed), sums, sizes, resamples)
    places = np.concatenate([_places(drawn / number) for drawn, number in draws])
    versions = np.arange(1, len(table.runs) + 1)
    has = places[:, :, None] == versions
    tied = has & (has.sum(axis=1, keepdims=True) > 1)
    rank = _places((sums.sum(axis=0) / sizes.sum(axis=0))[None])[0]
    return pd.DataFrame(
        {
            "run": np.repeat(np.asarray(table.runs, dtype=object), len(versions)),
            "rank": np.repeat(rank, len(versions)),
            "place": np.tile(versions, len(table.runs)),
            "share": has.mean(axis=0).ravel(),
            "tied": tied.mean(axis=0).ravel(),
        }
    )


def _in_order(sums: Array, sizes: Array) -> tuple[Array, Array]:
    """The units by their values, so that no share depends on the order of the queries."""
    order = np.lexsort([*sizes.T, *sums.T])
    return sums[order], sizes[order]


def _places(drawn_means: Array) -> Array:
    """1 for the largest of each row; equal means, but for rounding, have the same place."""
    rounded = np.round(drawn_means, 12)
    better = rounded[:, None, :] > rounded[:, :, None]
    return np.asarray(better.sum(axis=2) + 1)
