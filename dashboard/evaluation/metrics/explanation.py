"""How a metric's value of one query is computed: the parts that explanations are made of.

An explanation stands below its metric, as a function decorated with `@explains(metric)`. Usually it
is one line: `count_hits(ranked).over(ranked.k)` for a share, `sum_terms(ranked, …)` for Σ term(k),
and `divide_per_image` where a setting divides by the number of results looked at. Its value comes
from its own steps, so that a test can compare it with the metric's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.evaluation import digits
from dashboard.evaluation.rankings import Array, Flags, Floats, Rankings
from dashboard.tables import counted

MOST_RANKS = 10
MOST_TERMS = 6
NO_RELEVANT = "No relevant item exists (R = 0), so there is no value."
NO_RESULT = "Of no result no share can be taken: no value."


@dataclass(frozen=True, eq=False)
class Explanation:
    """How one value of a metric is computed.

    steps  a row for each rank looked at: `rank`, and the columns that this metric reads or makes
    lines  sentences and equations in numbers, in reading order
    value  the metric's value; NaN where it has none, and a line says why
    """

    steps: pd.DataFrame
    lines: tuple[str, ...]
    value: float


Explainer = Callable[..., Explanation]
"""(RankedList, **settings of the metric) → Explanation."""


@dataclass(frozen=True, eq=False)
class RankedList:
    """The first `k` results of one query (None: all), each array as long as what is looked at."""

    rankings: Rankings
    k: int | None

    @classmethod
    def of(cls, rankings: Rankings, query_id: str, k: int | None) -> RankedList:
        """One query of many. ValueError where it is none of them."""
        if query_id not in rankings.query_ids:
            raise ValueError(f"There is no query {query_id!r} in these rankings.")
        place = rankings.query_ids.index(query_id)
        row, length = slice(place, place + 1), int(rankings.returned[place])
        alone = Rankings(
            query_ids=(query_id,),
            grades=rankings.grades[row, :length],
            credit=rankings.credit[row, :length],
            judged=rankings.judged[row, :length],
            returned=rankings.returned[row],
            relevant=rankings.relevant[row],
            ideal=rankings.ideal[row],
            best_credit=lambda: rankings.ideal_credit[row],
            tied=rankings.tied[row, :length],
            relevant_from=rankings.relevant_from,
            missable=rankings.judged_misses[row],
        )
        return cls(alone, k)

    def first(self, k: int | None) -> RankedList:
        """The same list with another cutoff."""
        return RankedList(self.rankings, k)

    @property
    def returned(self) -> int:
        """How many results came back."""
        return int(self.rankings.returned[0])

    @property
    def length(self) -> int:
        """How many results are looked at."""
        return int(self.rankings.evaluated(self.k)[0])

    @property
    def relevant(self) -> int:
        """R, the number of relevant items."""
        return int(self.rankings.relevant[0])

    @property
    def hits(self) -> Flags:
        """Which results are relevant."""
        hits: Flags = self.rankings.hits[0, : self.length]
        return hits

    @property
    def first_hit(self) -> int:
        """The rank of the first hit looked at, 0 without any."""
        places = np.flatnonzero(self.hits)
        return int(places[0]) + 1 if len(places) else 0

    @property
    def misses(self) -> Flags:
        """Which results are judged not relevant."""
        misses: Flags = self.rankings.misses[0, : self.length]
        return misses

    @property
    def judged(self) -> Flags:
        """Which results have a grade at all."""
        judged: Flags = self.rankings.judged[0, : self.length]
        return judged

    @property
    def grades(self) -> Floats:
        """Grades as they were given, NaN where there is none."""
        return np.where(self.judged, self._floats(self.rankings.grades), np.nan)

    @property
    def gains(self) -> Floats:
        """Grades, 0 where there is none or it is below 0."""
        return self._floats(self.rankings.gains)

    @property
    def credit(self) -> Floats:
        """Partial relevance, 0 where it is not known."""
        return self._floats(self.rankings.credit)

    def steps(self, **columns: Array) -> pd.DataFrame:
        """A row for each result looked at; underscores of the columns' names become spaces."""
        named = {name.replace("_", " "): column for name, column in columns.items()}
        return pd.DataFrame({"rank": np.arange(1, self.length + 1), **named})

    @property
    def scope(self) -> str:
        """Which results are looked at, such as "the first 5"."""
        if self.k is None:
            return f"all results ({self.returned:,})"
        return f"the first {self.k:,}" if self.k > 1 else "the first result"

    @property
    def shortfall(self) -> tuple[str, ...]:
        """A sentence where fewer results came back than the cutoff looks at."""
        if not self.returned:
            return ("No result came back.",)
        if self.k is None or self.returned >= self.k:
            return ()
        return (f"Only {counted(self.returned, 'result')} came back.",)

    @property
    def unjudged_note(self) -> tuple[str, ...]:
        """A sentence where results looked at have no grade and so cannot be hits."""
        unjudged = ~self.judged
        if not unjudged.any():
            return ()
        return (f"Not judged and therefore no hits: {list_ranks(unjudged)}.",)

    @property
    def relevant_note(self) -> str:
        """How many relevant items there are."""
        return f"Relevant items in all: R = {self.relevant:,}."

    def _floats(self, table: Array) -> Floats:
        return np.asarray(table[0, : self.length], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Sum:
    """A count or a sum that an equation begins with: `expression` is how it is written."""

    steps: pd.DataFrame
    lines: tuple[str, ...]
    expression: str
    value: float

    def saying(self, *more: str) -> Sum:
        """The same with more sentences at the end."""
        return Sum(self.steps, (*self.lines, *more), self.expression, self.value)

    def equals(self, name: str = "") -> Explanation:
        """The sum is the value: "name: a + b = c"."""
        head = f"{name}: " if name else ""
        line = f"{head}{self.expression} = {write_result(self.value)}"
        return Explanation(self.steps, (*self.lines, line), self.value)

    def over(self, divisor: float, *, otherwise: str = "", written: str = "") -> Explanation:
        """The sum divided; where the divisor is 0, there is no value, and `otherwise` says so."""
        if divisor == 0:
            return Explanation(self.steps, (*self.lines, otherwise), float("nan"))
        top = f"({self.expression})" if " + " in self.expression else self.expression
        value = self.value / divisor
        line = f"{top} ÷ {written or write_number(divisor)} = {write_result(value)}"
        return Explanation(self.steps, (*self.lines, line), value)

    def over_relevant(self, ranked: RankedList) -> Explanation:
        """The sum divided by R; without a relevant item there is no value."""
        return self.over(ranked.relevant, otherwise=NO_RELEVANT)

    def none(self, line: str) -> Explanation:
        """The value is 0 because there is nothing to add up or to divide by."""
        return Explanation(self.steps, (*self.lines, line), 0.0)


def count_flags(ranked: RankedList, flags: Flags, word: str = "Hits", column: str = "hit") -> Sum:
    """How many of the results looked at are flagged, and at which ranks they stand."""
    number = int(flags.sum())
    steps = ranked.steps(**{column: flags, f"{word.lower()} so far": np.cumsum(flags)})
    line = f"{word} in {ranked.scope}: {list_ranks(flags)} → {number:,}"
    return Sum(steps, (*ranked.shortfall, line), f"{number:,}", float(number))


def count_hits(ranked: RankedList, *more: str) -> Sum:
    """How many of the results looked at are hits, and which could not be; then more sentences."""
    return count_flags(ranked, ranked.hits).saying(*ranked.unjudged_note, *more)


def sum_terms(
    ranked: RankedList,
    columns: Mapping[str, Array],
    terms: Floats,
    written: Iterable[str],
    *rules: str,
) -> Sum:
    """Σ of one term for each result looked at.

    columns: what the terms are made of; written: each term as it stands in the equation (those
    that are 0 are left out); rules: the sentences that say what a term is.
    """
    running = np.cumsum(terms)
    adding = [text for text, term in zip(written, terms, strict=True) if term != 0]
    return Sum(
        ranked.steps(**columns, term=terms, running_sum=running),
        (*ranked.shortfall, *rules),
        write_sum(adding),
        float(running[-1]) if ranked.length else 0.0,
    )


def weigh_gains(
    ranked: RankedList, columns: Mapping[str, Array], gains: Floats, discount: Floats, *rules: str
) -> Sum:
    """Σ gain × discount over the results looked at."""
    written = [
        f"{write_number(g)} × {write_number(d)}" for g, d in zip(gains, discount, strict=True)
    ]
    return sum_terms(ranked, {**columns, "discount": discount}, gains * discount, written, *rules)


def average_gains(
    ranked: RankedList, columns: Mapping[str, Array], gains: Floats, rows: int, *rules: str
) -> Explanation:
    """The mean of the gains looked at, or with `rows` results in a row the mean of row means."""
    if not rows or not ranked.length:
        total = sum_terms(ranked, columns, gains, map(write_number, gains), *rules)
        return total.over(ranked.length) if ranked.length else total.none("Nothing to average: 0")
    row = np.arange(ranked.length) // rows
    means = np.bincount(row, weights=gains) / np.bincount(row)
    steps = ranked.steps(**columns, row=row + 1, mean_of_the_row=means[row])
    line = f"Means of the rows of {rows}: {list_numbers(means)}"
    total = Sum(
        steps,
        (*ranked.shortfall, *rules, line),
        write_sum([write_number(mean) for mean in means]),
        float(means.sum()),
    )
    return total.over(len(means))


def find_largest(
    ranked: RankedList, columns: Mapping[str, Array], values: Floats, word: str, *rules: str
) -> Explanation:
    """The largest of the values looked at and where it stands first; 0 for an empty list."""
    lines, steps = (*rules, *ranked.shortfall), ranked.steps(**columns)
    if not ranked.length:
        return Explanation(steps, (*lines, f"{word}: 0"), 0.0)
    place = int(np.argmax(values))
    value = float(values[place])
    line = f"{word} in {ranked.scope}: {write_result(value)} at rank {place + 1:,}"
    return Explanation(steps, (*lines, line), value)


def divide_per_image(whole: Explanation, ranked: RankedList, per: str) -> Explanation:
    """Divided by the number of results looked at where `per` is image."""
    if per == "list":
        return whole
    count = max(ranked.length, 1)
    value = whole.value / count
    line = f"{write_number(whole.value)} ÷ {count:,} (results looked at) = {write_result(value)}"
    return Explanation(whole.steps, (*whole.lines, line), value)


def write_number(value: float) -> str:
    """A number inside an equation: whole ones bare, small ones and huge ones to three digits.

    >>> write_number(2.0), write_number(0.63093), write_number(0.047512), write_number(2.0**60)
    ('2', '0.631', '0.0475', '1.15e+18')
    >>> write_number(1023.0), write_number(1234.5)
    ('1,023', '1,234.500')
    """
    value = round(float(value), 12)
    if abs(value) >= digits.HUGE:
        return f"{value:.3g}"
    if value == round(value):
        return f"{int(value):,}"
    return f"{value:,.3f}" if abs(value) >= 0.1 else f"{value:.3g}"


def write_result(value: float) -> str:
    """A number that an equation ends with, as it stands everywhere.

    >>> write_result(0.4), write_result(0.00231), write_result(0.0)
    ('0.400', '0.00231', '0.000')
    """
    return digits.number(value)


def write_sum(written: Sequence[str]) -> str:
    """Terms that are added up; of many the first few.

    >>> write_sum(["1/1", "2/3"]), write_sum([]), write_sum([str(n) for n in range(9)])
    ('1/1 + 2/3', '0', '0 + 1 + 2 + 3 + 4 + 5 + … 3 more')
    """
    more = len(written) - MOST_TERMS
    if more == 1:  # "1 more" is as long as the term itself
        more = 0
    first = list(written[:MOST_TERMS] if more > 0 else written)
    return " + ".join([*first, f"… {more:,} more"] if more > 0 else first) or "0"


def list_ranks(flags: Flags) -> str:
    """Where the flags are set, in words.

    >>> list_ranks(np.array([True, False, True])), list_ranks(np.array([False]))
    ('ranks 1, 3', 'none')
    >>> list_ranks(np.arange(2_000) == 1_203)
    'rank 1,204'
    """
    places = (np.flatnonzero(flags) + 1).tolist()
    if not places:
        return "none"
    more = len(places) - MOST_RANKS
    listed = ", ".join(f"{place:,}" for place in places[:MOST_RANKS]) + (
        f" and {more:,} more" if more > 0 else ""
    )
    return f"rank{'s' if len(places) > 1 else ''} {listed}"


def list_numbers(values: Array) -> str:
    """Some numbers in order, the rest counted."""
    more = len(values) - MOST_RANKS
    words = ", ".join(map(write_number, values[:MOST_RANKS]))
    return f"{words} and {more:,} more" if more > 0 else words
