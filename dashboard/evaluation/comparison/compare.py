"""Two versions side by side: signed differences per query, their intervals and tests.

delta = candidate - baseline. Versions are compared on the queries that are scorable in both; the
others are kept, with a reason, and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from dashboard.evaluation.comparison.scores import Scores, mean_of, scores, without_dust
from dashboard.evaluation.comparison.verdict import verdict
from dashboard.evaluation.metrics.registry import family_of
from dashboard.evaluation.rankings import Array
from dashboard.evaluation.statistics.paired import distinct, holm, paired_t
from dashboard.evaluation.statistics.resampling import (
    bootstrap_interval,
    randomisation_p,
    units,
)
from dashboard.evaluation.statistics.signs import DRAWN

__all__ = ["compare", "compare_all", "deltas", "verdict"]

SAME = 1e-9
"""Differences up to this size are no difference."""
_CELLS = 4_000_000
_Pairs = tuple[list[int], list[int]]
_REASONS = (
    "",
    "only in baseline",
    "only in candidate",
    "null in baseline",
    "null in candidate",
    "null in both",
)


def deltas(measurements: pd.DataFrame, baseline: str, candidate: str) -> pd.DataFrame:
    """The signed difference of every query, worst first, queries without a difference last.

    A DELTAS table with one more column, `why`: empty, or the reason for a null delta ("only in
    baseline", "null in candidate" …). Measures keep their order. ValueError for an unknown version.
    """
    table = scores(measurements)
    first, second = table.place(baseline), table.place(candidate)
    pieces = []
    for m, (metric, cutoff) in enumerate(table.measures):
        values, present = table.values[:, (first, second), m], table.present[:, (first, second), m]
        delta = np.round(values[:, 1] - values[:, 0], 12)
        asked = np.flatnonzero(present.any(axis=1))
        rows = asked[np.argsort(delta[asked], kind="stable")]
        pieces.append(
            {
                "query_id": np.asarray(table.query_ids, dtype=object)[rows],
                "metric": np.full(len(rows), metric, dtype=object),
                "cutoff": np.full(len(rows), -1 if cutoff is None else cutoff),
                "baseline": values[rows, 0],
                "candidate": values[rows, 1],
                "delta": delta[rows],
                "why": np.asarray(_REASONS, dtype=object)[_reasons(values, present)[rows]],
            }
        )
    return _table(pieces)


def compare(
    measurements: pd.DataFrame,
    baseline: str,
    candidate: str,
    *,
    groups: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """One row per measure: both means, their difference, its 95 % interval, and a test.

    Columns `metric, cutoff, baseline, candidate, delta, low, high, p, scored, total, better, same,
    worse`, then `p_holm` and `p_t`, `tests` (how many p the Holm correction covers: measures that
    differ alike in every query, such as Rsum and mR, are one), `method` (of p), `only_in_baseline,
    only_in_candidate, null_in_one, null_in_both`. Interval and p are null below two scored queries.
    `groups` (query_id → group): queries drawn and swapped together.
    """
    table = scores(measurements)
    pair = (table.place(baseline), table.place(candidate))
    rows = _compare_pairs(table, [pair], groups)
    return rows.drop(columns=["baseline_run", "candidate_run"])


def compare_all(
    measurements: pd.DataFrame,
    *,
    baseline: str | None = None,
    groups: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """`compare` for every pair of versions, or for one baseline and each other one, in one pass.

    The columns of `compare` after `baseline_run` and `candidate_run`; Holm's correction covers the
    measures of one pair.
    """
    table = scores(measurements)
    pairs = list(combinations(range(len(table.runs)), 2))
    if baseline is not None:
        first = table.place(baseline)
        pairs = [(first, other) for other in range(len(table.runs)) if other != first]
    step = max(1, _CELLS // max(1, len(table.query_ids) * len(table.measures)))
    pieces = [
        _compare_pairs(table, pairs[start : start + step], groups)
        for start in range(0, len(pairs), step)
    ]
    return pd.concat(pieces or [_compare_pairs(table, [], groups)], ignore_index=True)


def _compare_pairs(
    table: Scores,
    pairs: Sequence[tuple[int, int]],
    groups: Mapping[str, str] | None,
) -> pd.DataFrame:
    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    rows = _rows(table, first, second)
    differences = _differences(table, first, second)
    codes = table.grouped(groups)
    rows["low"], rows["high"] = bootstrap_interval(differences, groups=codes)
    rows["p"], exact = randomisation_p(differences, groups=codes)
    rows["method"] = np.where(exact, "randomisation, exact", f"randomisation, {DRAWN:,}")
    rows.loc[rows["p"].isna(), "method"] = ""
    rows["p_t"] = paired_t(*units(differences, codes))[1]
    family = rows["p"].to_numpy().reshape(len(pairs), len(table.measures))
    kinds = [
        (pair, family_of(*measure)) for pair in range(len(pairs)) for measure in table.measures
    ]
    first_of = distinct(differences, kinds).reshape(family.shape)
    rows["p_holm"] = holm(family, first_of).ravel()
    alone = first_of == np.arange(family.size).reshape(family.shape)
    rows["tests"] = np.repeat(np.sum(alone & ~np.isnan(family), axis=1), len(table.measures))
    order = ["baseline_run", "candidate_run", "metric", "cutoff", "baseline", "candidate", "delta"]
    order += ["low", "high", "p", "scored", "total", "better", "same", "worse", "p_holm", "p_t"]
    order += ["tests", "method", "only_in_baseline", "only_in_candidate"]
    return rows[[*order, "null_in_one", "null_in_both"]]


def _rows(table: Scores, first: list[int], second: list[int]) -> pd.DataFrame:
    """Names, means and counts of each pair × measure."""
    runs, measures = np.asarray(table.runs), len(table.measures)
    names = {
        "baseline_run": np.repeat(runs[first], measures),
        "candidate_run": np.repeat(runs[second], measures),
        "metric": [metric for metric, _ in table.measures] * len(first),
        "cutoff": pd.array([cutoff for _, cutoff in table.measures] * len(first), dtype="Int64"),
    }
    differences = _differences(table, first, second)
    pairs = (first, second)
    return pd.DataFrame(
        names | _means(table, pairs, differences) | _counts(table, pairs, differences)
    )


def _means(table: Scores, pairs: _Pairs, differences: Array) -> dict[str, Array]:
    """Both means and their difference, on the queries that are scored in both."""
    scored = ~np.isnan(differences)
    number = scored.sum(0)
    sides = [table.values[:, side].reshape(differences.shape) for side in pairs]
    sums = [np.where(scored, values, 0).sum(0) for values in (*sides, differences)]
    means = [mean_of(each, number) for each in sums]
    means[2] = without_dust(means[2])
    return dict(zip(("baseline", "candidate", "delta"), means, strict=True)) | {"scored": number}


def _counts(table: Scores, pairs: _Pairs, differences: Array) -> dict[str, Array]:
    """How many queries are better, same, worse, and why others are not compared."""
    values, present = (
        np.stack([part[:, side].reshape(differences.shape) for side in pairs], axis=-1)
        for part in (table.values, table.present)
    )
    why = _reasons(values, present)
    return {
        "total": present.any(axis=-1).sum(0),
        "better": (differences > SAME).sum(0),
        "same": (np.abs(differences) <= SAME).sum(0),
        "worse": (differences < -SAME).sum(0),
        "only_in_baseline": (why == 1).sum(0),
        "only_in_candidate": (why == 2).sum(0),
        "null_in_one": ((why == 3) | (why == 4)).sum(0),
        "null_in_both": (why == 5).sum(0),
    }


def _differences(table: Scores, first: list[int], second: list[int]) -> Array:
    differences = table.values[:, second] - table.values[:, first]
    return np.round(differences, 12).reshape(len(table.query_ids), -1)


def _reasons(values: Array, present: Array) -> Array:
    """Places in _REASONS for cells [..., (baseline, candidate)]."""
    null, here = np.isnan(values), present
    conditions = [
        here[..., 0] & ~here[..., 1],
        here[..., 1] & ~here[..., 0],
        null[..., 0] & ~null[..., 1],
        null[..., 1] & ~null[..., 0],
        null[..., 0] & null[..., 1],
    ]
    return np.select(conditions, [1, 2, 3, 4, 5], 0)


def _table(pieces: list[dict[str, Array]]) -> pd.DataFrame:
    names = ("query_id", "metric", "cutoff", "baseline", "candidate", "delta", "why")
    columns = {name: np.concatenate([p[name] for p in pieces] or [np.empty(0)]) for name in names}
    frame = pd.DataFrame(columns)
    frame["cutoff"] = frame["cutoff"].astype("Int64").mask(frame["cutoff"] < 0)
    return frame.astype({"query_id": "str", "metric": "str", "why": "str"})
