"""The shapes that most metrics have: a count or a sum over ranks, divided by something; a largest.

A new metric's explainer is usually a few lines over these: `counted(seen, …).over(…)` for a share,
`summed(seen, …)` for Σ term(k), and `per_image` where a setting divides by the results looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.evaluation.explain import wording
from dashboard.evaluation.explain.seen import Explanation, Seen
from dashboard.evaluation.explain.wording import number, result
from dashboard.evaluation.rankings import Array, Flags, Floats


@dataclass(frozen=True, eq=False)
class Sum:
    """A count or a sum that an equation begins with: `expression` is how it is written."""

    steps: pd.DataFrame
    lines: tuple[str, ...]
    expression: str
    value: float

    def equals(self, name: str = "") -> Explanation:
        """The sum is the value: "name: a + b = c"."""
        head = f"{name}: " if name else ""
        line = f"{head}{self.expression} = {result(self.value)}"
        return Explanation(self.steps, (*self.lines, line), self.value)

    def over(self, divisor: float, *, otherwise: str = "", written: str = "") -> Explanation:
        """The sum divided; where the divisor is 0, there is no value, and `otherwise` says so."""
        if divisor == 0:
            return Explanation(self.steps, (*self.lines, otherwise), float("nan"))
        top = f"({self.expression})" if " + " in self.expression else self.expression
        value = self.value / divisor
        line = f"{top} ÷ {written or number(divisor)} = {result(value)}"
        return Explanation(self.steps, (*self.lines, line), value)

    def none(self, line: str) -> Explanation:
        """The value is 0 because there is nothing to add up or to divide by."""
        return Explanation(self.steps, (*self.lines, line), 0.0)


def counted(seen: Seen, flags: Flags, word: str = "Hits", column: str = "hit") -> Sum:
    """How many of the results looked at are flagged, and at which ranks they stand."""
    number_found = int(flags.sum())
    steps = seen.steps(**{column: flags, f"{word.lower()} so far": np.cumsum(flags)})
    line = f"{word} in {wording.scope(seen)}: {wording.ranks(flags)} → {number_found}"
    return Sum(steps, (*wording.came_back(seen), line), str(number_found), float(number_found))


def summed(
    seen: Seen, columns: Mapping[str, Array], terms: Floats, written: Iterable[str], *rules: str
) -> Sum:
    """Σ of one term for each result looked at.

    columns: what the terms are made of; written: each term as it stands in the equation (those
    that are 0 are left out); rules: the sentences that say what a term is.
    """
    running = np.cumsum(terms)
    adding = [text for text, term in zip(written, terms, strict=True) if term != 0]
    return Sum(
        seen.steps(**columns, term=terms, running_sum=running),
        (*wording.came_back(seen), *rules),
        wording.sum_of(adding),
        float(running[-1]) if seen.length else 0.0,
    )


def weighted(
    seen: Seen, columns: Mapping[str, Array], gains: Floats, discount: Floats, *rules: str
) -> Sum:
    """Σ gain × discount over the results looked at."""
    written = [f"{number(g)} × {number(d)}" for g, d in zip(gains, discount, strict=True)]
    return summed(seen, {**columns, "discount": discount}, gains * discount, written, *rules)


def averaged(
    seen: Seen, columns: Mapping[str, Array], gains: Floats, rows: int, *rules: str
) -> Explanation:
    """The mean of the gains looked at, or with `rows` results in a row the mean of row means."""
    if not rows or not seen.length:
        total = summed(seen, columns, gains, map(number, gains), *rules)
        return total.over(seen.length) if seen.length else total.none("Nothing to average: 0")
    row = np.arange(seen.length) // rows
    means = np.bincount(row, weights=gains) / np.bincount(row)
    steps = seen.steps(**columns, row=row + 1, mean_of_the_row=means[row])
    said = f"Means of the rows of {rows}: {wording.listed(means)}"
    total = Sum(
        steps,
        (*wording.came_back(seen), *rules, said),
        wording.sum_of([number(mean) for mean in means]),
        float(means.sum()),
    )
    return total.over(len(means))


def largest(seen: Seen, columns: Mapping[str, Array], values: Floats, word: str) -> Explanation:
    """The largest of the values looked at and where it stands first; 0 for an empty list."""
    lines, steps = wording.came_back(seen), seen.steps(**columns)
    if not seen.length:
        return Explanation(steps, (*lines, f"{word}: 0"), 0.0)
    place = int(np.argmax(values))
    value = float(values[place])
    line = f"{word} in {wording.scope(seen)}: {result(value)} at rank {place + 1}"
    return Explanation(steps, (*lines, line), value)


def per_image(found: Explanation, seen: Seen, per: str) -> Explanation:
    """Divided by the number of results looked at where `per` is image."""
    if per == "list":
        return found
    count = max(seen.length, 1)
    value = found.value / count
    line = f"{number(found.value)} ÷ {count} (results looked at) = {result(value)}"
    return Explanation(found.steps, (*found.lines, line), value)
