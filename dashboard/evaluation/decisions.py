"""Power of the test of a comparison, and losses that do not matter.

A margin is the largest loss of a metric that a team accepts. A candidate is not worse where the
lower bound of its gain lies above -margin: the bound of the bootstrap interval, and also that of
Student's interval after one unit more has gained, and one has lost, all that a query can. The
second bound holds where differences are few or one large loss would change the mean (Agresti and
Min, Statistics in Medicine 2005, add such pairs to paired proportions).
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dashboard.errors import ChoiceError
from dashboard.evaluation.metrics import parse_one
from dashboard.evaluation.statistics import TOLERANCE
from dashboard.tables import FloatArray, Row
from dashboard.texts import parse_number, write_number

LEVEL, POWER = 0.975, 0.8
"""Level of one-sided bounds, and share of draws in which a difference is to be found."""
MOST_UNITS = 1e12
"""More are needed by nobody."""
EXAMPLE = 'write "P@5=0.02 AP=0.01"'


class Precision(NamedTuple):
    """Precision of a mean of differences.

    Attributes:
        units: Queries, or scenes of queries, that are scored.
        queries: Scored queries.
        error: Standard error of the mean.
    """

    units: int
    queries: float
    error: float


def parse_margins(text: str) -> dict[str, float]:
    """Return the margin of each metric of a text such as "P@5=0.02 AP=0.01".

    Raises:
        ChoiceError: If a part is none.
    """
    found = {}
    for part in text.split():
        name, _, number = part.rpartition("=")
        margin = parse_number(number)
        if not name:
            raise ChoiceError(f"margins: {part[:80]!r} names no metric; {EXAMPLE}.")
        if not margin > 0:
            raise ChoiceError(f"margins: {part[:80]!r} is no margin above 0; {EXAMPLE}.")
        found[str(parse_one(name))] = margin
    return found


def measure_precision(sums: FloatArray, sizes: FloatArray) -> Precision | None:
    """Return the precision of the mean; None for fewer than two units, or if all are alike.

    Args:
        sums: Sum of the differences of each unit. [units].
        sizes: Number of scored queries of each unit; units without one do not count. [units].
    """
    sums, sizes = sums[sizes > 0], sizes[sizes > 0]
    units = len(sums)
    if units < 2 or np.ptp(sums / sizes) <= TOLERANCE:
        return None
    apart = sums - sums.sum() / sizes.sum() * sizes
    error = float(np.sqrt(units / (units - 1) * (apart**2).sum()) / sizes.sum())
    return Precision(units, float(sizes.sum()), error)


def count_needed(known: Precision, margin: float) -> int | None:
    """Return how many queries make a difference of the size of a margin detectable.

    None: above MOST_UNITS.
    """
    from scipy.special import ndtri  # type: ignore[import-untyped]

    ratio = known.error * known.units**0.5 / margin
    least = float(ndtri(LEVEL) + ndtri(POWER)) * ratio  # the shift of t is larger than of a normal
    if not least < MOST_UNITS**0.5:
        return None
    units = max(2, int(np.ceil(least**2)))
    while find_shift(units) * ratio > units**0.5:
        units += 1 + units // 1_000_000
    return int(np.ceil(units * known.queries / known.units))


def find_shift(units: int) -> float:
    """Return the shift of Student's t that is above its critical value in POWER of all draws.

    Times the error of a mean it is the difference that the paired t test at 5 % finds then.
    """
    from scipy.special import nctdtrinc, stdtrit

    return float(nctdtrinc(units - 1, 1 - POWER, stdtrit(units - 1, LEVEL)))


def bound_loss(sums: FloatArray, sizes: FloatArray, largest: float) -> float:
    """Return the lower bound of the mean with one unit more that gained, and one that lost.

    Args:
        sums: Sum of the gains of each unit. [units].
        sizes: Number of scored queries of each unit. [units].
        largest: Difference of a query that can be.
    """
    from scipy.special import stdtrit

    size = sizes[sizes > 0].mean()
    known = measure_precision(
        np.append(sums, [size * largest, -size * largest]), np.append(sizes, [size, size])
    )
    assert known  # two units differ
    mean = sums.sum() / (sizes.sum() + 2 * size)
    return float(mean - stdtrit(known.units - 1, LEVEL) * known.error)


def describe_power(row: Row) -> str:
    """Return in sentences how large a difference is found, what a margin takes, and its bound."""
    margin, needed, bound, told = row["margin"], row["needed"], row["bound"], []
    if row["low"] is not None:
        found = f"no difference that {row['name']} can have"
        if row["detectable"] is not None:
            found = f"a true difference of {write_number(row['detectable'])} in {row['name']}"
        names = row["corrected_over"].split(", ")
        before = f", before Holm over {len(names)} metrics" if names[1:] else ""
        told.append(f"With {row['scored']:,} queries {found} is found 80 times of 100{before}")
        if needed is not None:
            told[0] += (
                f"; to find one of {write_number(margin)}, the margin, takes {needed:,} queries"
            )
    if bound is not None:
        written = write_number(bound, "+").replace("-", "−")
        told.append(f"Not worse takes a lower bound above −{margin:g}; it is {written}")
    return " ".join(f"{each}." for each in told)


def describe_idle_margins(margins: str, compared: Iterable[object]) -> str:
    """Return a sentence on margins of metrics that are not compared; "" if there is none."""
    idle = [name for name in parse_margins(margins) if name not in map(str, compared)]
    return f"No effect: the margin of {', '.join(idle)}, which is not compared." if idle else ""
