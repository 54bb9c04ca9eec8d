"""One query's list as one metric sees it, what an explanation is, and the register of explainers.

An explainer takes a `Seen` and the metric's settings: `@explains("P")` before a function enters it.
Its value must come from its own steps, so that a test can hold it against the metric's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from dashboard.evaluation.rankings import Array, Flags, Floats, Rankings


@dataclass(frozen=True, eq=False)
class Explanation:
    """How one value of a metric comes about.

    steps  a row for each rank looked at: `rank`, and the columns that this metric reads or makes
    lines  sentences and equations in numbers, in reading order
    value  the metric's value; NaN where it has none, and a line says why
    """

    steps: pd.DataFrame
    lines: tuple[str, ...]
    value: float


Explainer = Callable[..., Explanation]
Function = TypeVar("Function", bound=Explainer)

EXPLAINERS: dict[str, Explainer] = {}


def explains(*metrics: str) -> Callable[[Function], Function]:
    """Enter the decorated function as what explains these metrics, by their registered names."""

    def enter(function: Function) -> Function:
        EXPLAINERS.update(dict.fromkeys(metrics, function))
        return function

    return enter


@dataclass(frozen=True, eq=False)
class Seen:
    """The first `k` results of one query (None: all), each array as long as what is looked at."""

    rankings: Rankings
    k: int | None

    @classmethod
    def of(cls, rankings: Rankings, query_id: str, k: int | None) -> Seen:
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
            ideal_credit=rankings.ideal_credit[row],
            tied=rankings.tied[row, :length],
            relevant_from=rankings.relevant_from,
            missable=rankings.judged_misses[row],
        )
        return cls(alone, k)

    def first(self, k: int | None) -> Seen:
        """The same list with another cutoff."""
        return Seen(self.rankings, k)

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

    def _floats(self, table: Array) -> Floats:
        return np.asarray(table[0, : self.length], dtype=np.float64)
