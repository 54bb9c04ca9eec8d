"""Numbers, ranks and sums as they stand in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dashboard.evaluation import digits
from dashboard.evaluation.explain.seen import Seen
from dashboard.evaluation.rankings import Array, Flags
from dashboard.tables import counted

MOST_RANKS = 10
MOST_TERMS = 6
NO_RELEVANT = "No relevant item exists (R = 0), so there is no value."


def number(value: float) -> str:
    """A number inside an equation: whole ones bare, small ones and huge ones to three digits.

    >>> number(2.0), number(0.63093), number(0.047512), number(0.00000123), number(2.0**60)
    ('2', '0.631', '0.0475', '1.23e-06', '1.15e+18')
    """
    value = round(float(value), 12)
    if abs(value) >= digits.HUGE:
        return f"{value:.3g}"
    if value == round(value):
        return str(int(value))
    return f"{value:.3f}" if abs(value) >= 0.1 else f"{value:.3g}"


def result(value: float) -> str:
    """A number that an equation ends with, as it stands everywhere.

    >>> result(0.4), result(0.00231), result(0.0)
    ('0.400', '0.00231', '0.000')
    """
    return digits.number(value)


def ranks(flags: Flags) -> str:
    """Where the flags are set, in words.

    >>> ranks(np.array([True, False, True])), ranks(np.array([False]))
    ('ranks 1, 3', 'none')
    """
    places = (np.flatnonzero(flags) + 1).tolist()
    if not places:
        return "none"
    more = len(places) - MOST_RANKS
    listed = ", ".join(map(str, places[:MOST_RANKS])) + (f" and {more:,} more" if more > 0 else "")
    return f"rank{'s' if len(places) > 1 else ''} {listed}"


def listed(values: Array) -> str:
    """Some numbers in order, the rest counted."""
    more = len(values) - MOST_RANKS
    words = ", ".join(map(number, values[:MOST_RANKS]))
    return f"{words} and {more:,} more" if more > 0 else words


def sum_of(written: Sequence[str]) -> str:
    """Terms that are added up; of many the first few.

    >>> sum_of(["1/1", "2/3"]), sum_of([]), sum_of([str(n) for n in range(9)])
    ('1/1 + 2/3', '0', '0 + 1 + 2 + 3 + 4 + 5 + … 3 more')
    """
    more = len(written) - MOST_TERMS
    if more == 1:  # "1 more" is as long as the term itself
        more = 0
    shown = list(written[:MOST_TERMS] if more > 0 else written)
    return " + ".join([*shown, f"… {more:,} more"] if more > 0 else shown) or "0"


def scope(seen: Seen) -> str:
    """Which results are looked at, such as "the first 5"."""
    if seen.k is None:
        return f"all results ({seen.returned})"
    return f"the first {seen.k}" if seen.k > 1 else "the first result"


def came_back(seen: Seen) -> tuple[str, ...]:
    """A sentence where fewer results came back than the cutoff looks at."""
    if not seen.returned:
        return ("No result came back.",)
    if seen.k is None or seen.returned >= seen.k:
        return ()
    return (f"Only {counted(seen.returned, 'result')} came back.",)


def not_judged(seen: Seen) -> tuple[str, ...]:
    """A sentence where results looked at have no grade and so cannot be hits."""
    unjudged = ~seen.judged
    return (f"Not judged and therefore no hits: {ranks(unjudged)}.",) if unjudged.any() else ()


def relevant(seen: Seen) -> str:
    """How many relevant items there are."""
    return f"Relevant items in all: R = {seen.relevant}."
