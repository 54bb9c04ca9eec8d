"""Two versions on the queries that are scored in both; delta = candidate - baseline, always."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dashboard.errors import ChoiceError
from dashboard.evaluation.decisions import (
    LEVEL,
    bound_loss,
    count_needed,
    find_shift,
    measure_precision,
)
from dashboard.evaluation.measurement import Measurement
from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.statistics import (
    EXACT_UNITS,
    SIGNS,
    compute_bootstrap_interval,
    compute_randomisation_p,
    correct_holm,
    find_twins,
    sum_units,
)
from dashboard.tables import FloatArray, IntArray, Names, Row, Rows, number_names
from dashboard.texts import count_things, round_half, write_number

SAME = 1e-9
"""Differences up to this size are no difference."""
SIGNIFICANT = 0.05
CANNOT_TELL, NOT_WORSE = "cannot tell", "not worse"
FEW_QUERIES = 25
"""Queries up to which an interval may be too narrow."""
FEWEST_UNITS = 5
"""Differing queries up to which no choice of signs is rare: p is at least 2 ÷ 2^5."""


def compare_runs(
    baseline: Measurement, candidate: Measurement, scenes: Names, margins: Mapping[str, float]
) -> Rows:
    """Return a row a metric: means, difference, 95 % interval, test, counts of queries, power.

    Better and worse are by the metric's direction. The difference of two medians has no interval
    and no test: it is no mean of the queries' differences.

    Args:
        baseline: Values of the baseline.
        candidate: Values of the candidate, for the same metrics and queries.
        scenes: Scene of each query, "" for none; queries of one are drawn and swapped together.
        margins: Loss that does not matter, by the name of a metric.

    Raises:
        ChoiceError: If a margin is larger than any difference can be.
    """
    differences = np.round(candidate.values - baseline.values, 12)
    medians = np.array([measure.metric.is_median for measure in baseline.measures], bool)
    tested = np.where(medians[:, None], np.nan, differences)
    units, tests = run_tests(tested.T, scenes, baseline.query_ids)
    family = [str(baseline.measures[place]) for place in np.flatnonzero(~np.isnan(tests[2]))]
    rows = []
    for place, measure in enumerate(baseline.measures):
        values = (baseline.values[place], candidate.values[place])
        margin, limit = margins.get(str(measure)), find_limit(*values)
        if margin is not None and margin >= limit:
            raise ChoiceError(
                f"margins: {measure}={margin:g} is no loss that a query can have; choose one "
                f"below {limit:g}."
            )
        row = _make_row(measure, values, differences[place], baseline.folds)
        row |= {
            name: replace_nan(each[place])
            for name, each in zip(("low", "high", "p", "p_holm"), tests, strict=True)
        }
        row |= {"corrected_over": ", ".join(family), "margin": margin}
        largest = float(np.nanmax(np.abs(differences[place]), initial=1.0))
        row |= _decide(row, measure, largest, *(each[:, place] for each in units))
        if (row["detectable"] or 0) > limit:
            row["detectable"] = None
        rows.append(row)
    return rows


def _decide(row: Row, measure: Measure, largest: float, sums: FloatArray, sizes: FloatArray) -> Row:
    """Return power and outcome of a row.

    Args:
        row: Means, interval, p and margin.
        measure: Metric of the row.
        largest: Largest difference that a query can have: 1, or more where more is seen.
        sums: Sum of the differences of each unit. [units].
        sizes: Number of scored queries of each unit. [units].
    """
    known, sign, margin = measure_precision(sums, sizes), measure.sign, row["margin"]
    found = Row(detectable=None, needed=None, bound=None, outcome=CANNOT_TELL)
    if row["delta"] and abs(row["delta"]) > SAME and (row["p_holm"] or 1) < SIGNIFICANT:
        found["outcome"] = name_outcome(sign * row["delta"])
    if known:
        found["detectable"] = find_shift(known.units) * known.error
        found["needed"] = None if margin is None else count_needed(known, margin)
    if margin is not None and (units := int((sizes > 0).sum())) > 1:
        low = bound_loss(sign * sums, sizes, largest)
        if row["low"] is None:  # all differ alike
            unseen = 1 - (1 - LEVEL) ** (1 / units)  # bound of Clopper and Pearson for no case
            low = min(low, sign * row["delta"] - unseen * largest)
        else:
            low = min(low, sign * row["low"], sign * row["high"])
        found["bound"] = low
        if found["outcome"] != "better" and low > -margin:
            found["outcome"] = NOT_WORSE
    return found


def _make_row(
    measure: Measure, values: Iterable[FloatArray], delta: FloatArray, folds: IntArray | None
) -> Row:
    """Return means and counts of the queries that are scored in both."""
    both, gain = ~np.isnan(delta), measure.sign * delta
    before, after = (measure.average(np.where(both, each, np.nan), folds) for each in values)
    change = None if before is None or after is None else after - before
    if both.any() and not measure.metric.is_median:
        change = float(delta[both].mean())
    return {
        "name": str(measure),
        "metric": measure.name,
        "cutoff": measure.cutoff,
        "baseline": before,
        "candidate": after,
        "delta": None if change is None else round(change, 12) + 0.0,
        "scored": int(both.sum()),
        "total": len(delta),
        "better": int((gain > SAME).sum()),
        "same": int((np.abs(gain) <= SAME).sum()),
        "worse": int((gain < -SAME).sum()),
    }


def describe_difference(row: Row, baseline: str, candidate: str) -> str:
    """Return a row of a comparison as a sentence.

    A difference is clear where p, after Holm over the metrics compared, is below SIGNIFICANT; the
    candidate is not worse where the difference lies above the margin.

    Args:
        row: The row of the metric.
        baseline: Version that is compared with.
        candidate: Version in question.
    """
    better, scored = count_things(row["better"], "query"), count_scored(row)
    counts = f"{better} better, {row['same']:,} same, {row['worse']:,} worse"
    if row["delta"] is None:
        return f"{row['name']}: {candidate} and {baseline} cannot be compared ({scored})."
    difference = write_signed(row["delta"])
    if row["low"] is not None:
        difference += f", 95 % interval {write_interval(row)}"
    p = row["p_holm"]
    difference += ", p not defined" if p is None else f", p {write_p(p)} after Holm"
    outcome = f"{candidate} is {row['outcome']} than {baseline}"
    if row["outcome"] == CANNOT_TELL:
        outcome = f"{candidate} is not clearly different from {baseline}"
    if row["outcome"] == NOT_WORSE:
        outcome += f" by {write_number(row['margin'])}"
    told = f"{outcome}: {row['name']} {difference} ({counts}; {scored})."
    return told + _explain_disagreement(row)


def _explain_disagreement(row: Row) -> str:
    """Return a sentence where the interval says otherwise than p; "" where both agree."""
    low, high, p = row["low"], row["high"], row["p_holm"]
    if low is None or p is None or (excludes := low * high > 0) == (p < SIGNIFICANT):
        return ""
    alone = "excludes" if excludes else "includes"
    names = row["corrected_over"].split(", ")
    over = f", which is corrected for all {len(names)} metrics compared ({row['corrected_over']}),"
    return f" The interval alone {alone} 0; p{over if names[1:] else ''} decides."


def count_scored(row: Row) -> str:
    """Return how many queries of a comparison are scored."""
    return f"{row['scored']:,} of {count_things(row['total'], 'query')} scored"


def describe_certainty(rows: Sequence[Row], has_scenes: bool) -> Names:
    """Return sentences on how certain the intervals and p of a comparison are."""
    together = "; queries of one scene are drawn together" if has_scenes else ""
    told = [
        f"Interval: bootstrap (BCa, widened for few queries), 95 %{together}. "
        f"p: randomisation test, exact up to {EXACT_UNITS} differing queries, else with "
        f"{SIGNS:,} random choices of signs (standard error up to {0.5 / math.sqrt(SIGNS):.4f}), "
        f"after Holm over {rows[0]['corrected_over'] or 'the metrics compared'}."
    ]
    if any(row["low"] is not None and row["scored"] <= FEW_QUERIES for row in rows):
        told.append(
            f"With {FEW_QUERIES} queries or fewer, a 95 % interval may cover only 70 to 87 %."
        )
    if any(row["low"] is None and row["delta"] is not None for row in rows):
        told.append(
            "No interval: all queries differ by the same amount; or, and then there is no p either,"
            " only one query or scene is scored, or the figure is a median."
        )
    if any(row["margin"] is not None for row in rows):
        told.append(
            "Not worse: the lower bound of the interval lies above −margin, and also that of "
            "Student's interval if one query more had gained, and one had lost, all that it can."
        )
    if any(row["p"] is not None and row["better"] + row["worse"] <= FEWEST_UNITS for row in rows):
        told.append(f"With {FEWEST_UNITS} differing queries or fewer, p is never below 0.06.")
    return told


def write_p(p: float) -> str:
    """Return a p with its sign of comparison, and so many digits that one near 0.05 is not 0.05.

    >>> write_p(0.3125), write_p(0.0004), write_p(0.04997)
    ('= 0.313', '< 0.001', '= 0.04997')
    """
    decimals = next((d for d in range(3, 12) if round_half(p, d) != SIGNIFICANT), 3)
    return "< 0.001" if p < 0.001 else f"= {write_number(p, decimals=decimals)}"


def write_signed(value: float | None, lacking: str = "–") -> str:
    """Return a difference for people as `write_number` does, with its sign; zero has none.

    >>> list(map(write_signed, (0.0654, 0.1, -0.0005001, -0.0000157, 0.0, None)))
    ['+0.065', '+0.100', '−0.0005', '−0.000016', '0.000', '–']
    """
    return lacking if value is None else write_number(value, "+").replace("-", "−")


def write_interval(row: Row) -> str:
    """Return the interval of a difference for people."""
    return f"{write_signed(row['low'])} to {write_signed(row['high'])}"


def find_limit(baseline: FloatArray, candidate: FloatArray) -> float:
    """Return the largest difference that can be: 1, or infinity where a value is above 1."""
    return 1.0 if np.nanmax(np.stack([baseline, candidate]), initial=0.0) <= 1 + SAME else np.inf


def name_outcome(gain: float) -> str:
    """Return better, worse, same or not scored, of a difference whose positive side is better."""
    if np.isnan(gain):
        return "not scored"
    return "same" if abs(gain) <= SAME else "better" if gain > 0 else "worse"


def run_tests(
    differences: FloatArray, scenes: Names, query_ids: Names
) -> tuple[tuple[FloatArray, FloatArray], FloatArray]:
    """Return the sums and sizes of units, and low, high, p and p after Holm of each column.

    A unit is a scene, or a query without one; no number depends on the order of the queries.

    Args:
        differences: Shape [queries, columns]; NaN for null.
        scenes: Scene of each query, "" for none.
        query_ids: Ids of the queries.
    """
    order, groups = np.argsort(np.array(query_ids)), None
    if any(scenes):
        groups = number_names(scenes[at] or f"\0{at}" for at in order)[1]
    units = sum_units(differences[order], groups)
    p = compute_randomisation_p(*units)
    twins = find_twins(differences)  # equal columns count as one test
    adjusted = correct_holm(np.where(twins == np.arange(len(p)), p, np.nan))[twins]
    return units, np.array([*compute_bootstrap_interval(*units), p, adjusted])


def replace_nan(value: float) -> float | None:
    """Return a value, None for NaN."""
    return None if value != value else float(value)
