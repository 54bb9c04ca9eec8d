"""What an approximate index costs: how much of exact search it finds, and how much of a difference
between two versions is the index and how much the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dashboard.evaluation.comparison.scores import mean_of, scores, without_dust
from dashboard.evaluation.rankings import Floats
from dashboard.evaluation.statistics.resampling import bootstrap_interval

PARTS = ("difference", "model", "index of the candidate", "index of the baseline")
"""difference = model + index of the candidate - index of the baseline, in each query."""
_FOUND, _EXACT = "found by ", "exactly "


def recall(
    found: pd.DataFrame,
    exact: pd.DataFrame,
    cutoffs: Sequence[int],
    *,
    groups: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Recall of an index at each K: the share of exact search's first K that its first K hold.

    found, exact: tables RUN with the same scores of equal pairs. What has the score of exact
    search's last result is as good as it. Columns k, recall, low, high (95 %), queries; of the
    queries that exact search finds something for. groups: queries drawn together.
    """
    queries = pd.Index(exact["query_id"].astype("str").unique(), dtype="str")
    columns = [_recalls(found, exact, k, queries) for k in cutoffs]
    table = np.stack(columns, axis=1) if columns else np.empty((len(queries), 0))
    names = [("group", (groups or {}).get(query, "")) if query in (groups or {}) else query
             for query in queries]  # fmt: skip
    codes = None if groups is None else pd.factorize(pd.Series(names, dtype=object))[0]
    low, high = bootstrap_interval(table, groups=codes)
    means = table.mean(axis=0) if len(table) else np.full(len(cutoffs), np.nan)
    return pd.DataFrame(
        {"k": list(cutoffs), "recall": means, "low": low, "high": high, "queries": len(queries)}
    )


def _recalls(found: pd.DataFrame, exact: pd.DataFrame, k: int, queries: pd.Index) -> Floats:
    first = exact[exact["rank"] <= k]
    by = first.groupby(first["query_id"].astype("str"))["score"]
    least, sizes = by.min().reindex(queries), by.size().reindex(queries)
    mine = found[found["rank"] <= k]
    names = mine["query_id"].astype("str")
    good = mine["score"].to_numpy() >= names.map(least).to_numpy(dtype="float64", na_value=np.inf)
    hits = names[good].value_counts().reindex(queries, fill_value=0)
    return np.asarray(hits / sizes, dtype="float64")


def decompose(
    found: pd.DataFrame,
    exact: pd.DataFrame,
    baseline: str,
    candidate: str,
    *,
    groups: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """The difference of two versions in its PARTS, each a mean with its 95 % interval.

    found, exact: measurements of both as they are searched, and searched exactly. model: candidate
    − baseline, both exact; index of a version: as it is searched − exact. Paired: of the queries
    that all four have a value for. Columns metric, cutoff, part, delta, low, high, scored, total.
    """
    both = [found.assign(run=_FOUND + found["run"]), exact.assign(run=_EXACT + exact["run"])]
    table = scores(pd.concat(both, ignore_index=True))
    values = {
        (how, version): table.values[:, table.place(how + version)]
        for how in (_FOUND, _EXACT)
        for version in (baseline, candidate)
    }
    parts = np.stack(
        [
            values[_FOUND, candidate] - values[_FOUND, baseline],
            values[_EXACT, candidate] - values[_EXACT, baseline],
            values[_FOUND, candidate] - values[_EXACT, candidate],
            values[_FOUND, baseline] - values[_EXACT, baseline],
        ],
        axis=-1,
    )  # [queries, measures, parts]
    parts = np.where(np.isnan(parts).any(axis=-1, keepdims=True), np.nan, parts).round(12)
    columns = parts.reshape(len(table.query_ids), -1)
    number = (~np.isnan(columns)).sum(axis=0)
    low, high = bootstrap_interval(columns, groups=table.grouped(groups))
    measures = [measure for measure in table.measures for _ in PARTS]
    return pd.DataFrame(
        {
            "metric": [metric for metric, _ in measures],
            "cutoff": pd.array([cutoff for _, cutoff in measures], dtype="Int64"),
            "part": list(PARTS) * len(table.measures),
            "delta": without_dust(mean_of(np.nansum(columns, axis=0), number)),
            "low": low,
            "high": high,
            "scored": number,
            "total": len(table.query_ids),
        }
    )
