"""How single queries changed between two versions: what turned, and how many by how much."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.evaluation.comparison.compare import SAME
from dashboard.evaluation.comparison.scores import scores

MOST_BINS = 21


def turned(
    measurements: pd.DataFrame, baseline: str, candidate: str, metric: str, cutoff: int | None
) -> list[str]:
    """The queries that have a full value in the baseline and none in the candidate.

    With P@1 these lost their first hit; with Success@K they were right and are now wrong. A query
    that is null in either is not among them. ValueError for an unknown version or measure.
    """
    table = scores(measurements)
    values = table.column(metric, cutoff)
    before, after = values[:, table.place(baseline)], values[:, table.place(candidate)]
    rows = np.flatnonzero((before >= 1 - SAME) & (after <= SAME))
    return [table.query_ids[row] for row in rows]


def bins(deltas: pd.DataFrame) -> pd.DataFrame:
    """How many queries differ by how much: low, high, queries, side (worse, same, better).

    Nulls are left out. Few distinct differences are counted each for itself; many are put into bins
    of one width, of which those without a difference are one.
    """
    found = np.round(deltas["delta"].dropna().to_numpy(dtype="float64"), 12)
    distinct = np.unique(found)
    if len(distinct) <= MOST_BINS:
        low = high = distinct
        queries = np.array([(found == value).sum() for value in distinct], dtype=np.int64)
    else:
        changed = found[np.abs(found) > SAME]
        queries, edges = np.histogram(changed, bins=_edges(changed))
        low, high = edges[:-1], edges[1:]
        same = int((np.abs(found) <= SAME).sum())
        low, high = np.append(low, 0.0), np.append(high, 0.0)
        queries = np.append(queries, same)
    table = pd.DataFrame({"low": low, "high": high, "queries": queries})
    middle = (table["low"] + table["high"]) / 2
    table["side"] = np.select([middle < -SAME, middle > SAME], ["worse", "better"], "same")
    return table[table["queries"] > 0].sort_values(["low", "high"], ignore_index=True)


def _edges(changed: np.ndarray) -> np.ndarray:
    """Edges of one width on both sides of 0, so that no bin holds better and worse."""
    width = float(np.abs(changed).max()) / (MOST_BINS // 2)
    below = int(np.ceil(-min(changed.min(), 0.0) / width - 1e-9))
    above = int(np.ceil(max(changed.max(), 0.0) / width - 1e-9))
    edges = np.arange(-below, above + 1) * width
    # a product may be a last bit short of the largest difference, which would then be in no bin
    edges[0], edges[-1] = min(edges[0], changed.min()), max(edges[-1], changed.max())
    return edges
