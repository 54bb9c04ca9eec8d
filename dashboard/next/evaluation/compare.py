"""Two versions on the queries that are scored in both; delta = candidate - baseline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dashboard.next.evaluation.measure import Measurement, Row
from dashboard.next.evaluation.metrics import Measure
from dashboard.next.evaluation.statistics import (
    compute_bootstrap_interval,
    compute_randomisation_p,
    correct_holm,
    find_twins,
    sum_units,
)
from dashboard.next.tables import FloatArray, IntArray

SAME = 1e-9
"""Differences up to this size are no difference."""
SIGNIFICANT = 0.05


def compare_runs(
    baseline: Measurement, candidate: Measurement, scenes: Sequence[str] | None = None
) -> list[Row]:
    """Return a row a metric: means, difference, 95 % interval, test, counts of queries.

    Args:
        baseline: Values of the baseline.
        candidate: Values of the candidate, for the same metrics and queries.
        scenes: Scene of each query, "" for none; queries of one are drawn and swapped together.
    """
    differences = np.round(candidate.values - baseline.values, 12)
    order = np.argsort(np.array(baseline.query_ids))
    units = sum_units(differences[:, order].T, group_scenes(scenes, order))
    low, high = compute_bootstrap_interval(*units)
    p = compute_randomisation_p(*units)
    columns = zip(
        baseline.measures, baseline.values, candidate.values, differences,
        low, high, p, correct_holm(p, find_twins(differences.T)), strict=True,
    )  # fmt: skip
    return [_make_row(*column) for column in columns]


def _make_row(
    measure: Measure, baseline: FloatArray, candidate: FloatArray, delta: FloatArray,
    low: float, high: float, p: float, p_holm: float,
) -> Row:  # fmt: skip
    both = ~np.isnan(delta)
    return {
        "metric": measure.name,
        "cutoff": measure.cutoff,
        "baseline": _mean(baseline[both]),
        "candidate": _mean(candidate[both]),
        "delta": _mean(delta[both], 12),
        "low": _or_none(low),
        "high": _or_none(high),
        "p": _or_none(p),
        "scored": int(both.sum()),
        "total": len(delta),
        "better": int((delta > SAME).sum()),
        "same": int((np.abs(delta) <= SAME).sum()),
        "worse": int((delta < -SAME).sum()),
        "p_holm": _or_none(p_holm),
    }


def describe_difference(row: Row, metric: str, baseline: str, candidate: str) -> str:
    """Return a row of a comparison as a sentence.

    A difference is clear where p, after Holm over the metrics compared, is below SIGNIFICANT.
    """
    counts = f"{row['better']} queries better, {row['same']} same, {row['worse']} worse"
    scored = f"{row['scored']:,} of {row['total']:,} queries scored"
    if row["delta"] is None:
        return f"{metric}: {candidate} and {baseline} cannot be compared ({scored})."
    difference = f"{row['delta']:+.3f}"
    if row["low"] is not None:
        difference += f", 95 % interval {row['low']:+.3f} to {row['high']:+.3f}"
    p = row["p_holm"]
    if p is None or p >= SIGNIFICANT:
        outcome = f"{candidate} is not clearly different from {baseline}"
    else:
        outcome = f"{candidate} is {'better' if row['delta'] > 0 else 'worse'} than {baseline}"
    return f"{outcome}: {metric} {difference} ({counts}; {scored})."


def list_differences(baseline: FloatArray, candidate: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the difference of each query and the order from the worst to the best, null last."""
    delta = np.round(candidate - baseline, 12)
    return delta, np.argsort(delta, kind="stable")


def group_scenes(scenes: Sequence[str] | None, order: IntArray) -> IntArray | None:
    """Return the unit of each query in an order: its scene, or itself; None if there are none."""
    if scenes is None or not any(scenes):
        return None
    names = [scenes[at] or f"\0{at}" for at in order]
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([places[name] for name in names])


def _mean(values: FloatArray, decimals: int | None = None) -> float | None:
    if not len(values):
        return None
    mean = float(values.mean())
    return mean if decimals is None else round(mean, decimals) + 0.0


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
