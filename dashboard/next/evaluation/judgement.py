"""What is relevant: a Judgement is asked for the grades of one query's items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from dashboard.next.tables import BoolArray, FloatArray, IntArray, Table, Ties

NOT_JUDGED = "no judged item"
NO_RELEVANT = "no relevant item"


class Judgement(Protocol):
    """Grades of items. Queries and items are positions in the collection's tables.

    Attributes:
        relevant_from: Least grade of a relevant item.
        unscorable: Why a query has no value, whatever a version finds.
    """

    @property
    def relevant_from(self) -> float: ...

    @property
    def unscorable(self) -> Mapping[int, str]: ...

    def grades(self, query: int) -> FloatArray:
        """Return the grade of every item for a query, NaN for one that is not judged. [items]."""
        ...


@runtime_checkable
class PartialJudgement(Protocol):
    """A judgement that also says how relevant an item is that is not wholly so."""

    def credits(self, query: int) -> FloatArray:
        """Return the partial relevance of every item in [0, 1]; what is not judged has none."""
        ...


def find_credits(judgement: Judgement, query: int, grades: FloatArray) -> FloatArray:
    """Return the partial relevance of every item, 1 for a relevant one where there is no other.

    Args:
        judgement: It may have `credits(query)`.
        query: Position of the query.
        grades: What the judgement gives for it.
    """
    if isinstance(judgement, PartialJudgement):
        return np.where(np.isnan(grades), 0.0, judgement.credits(query))
    return is_hit(judgement, grades).astype(np.float64)


@dataclass(frozen=True, eq=False)
class TableJudgement:
    """Judged pairs of a file.

    Attributes:
        items: Number of items of the collection.
        pairs: Items and grades of each judged query.
    """

    items: int
    pairs: Mapping[int, tuple[IntArray, FloatArray]]
    unscorable: Mapping[int, str]
    relevant_from: float = 1.0

    def grades(self, query: int) -> FloatArray:
        found = np.full(self.items, np.nan)
        if query in self.pairs:
            items, grades = self.pairs[query]
            found[items] = grades
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgingRules:
    """A protocol: who judges, and what a value is where nothing is relevant.

    Attributes:
        judge: Return the judgement of a collection under some choices.
        metrics: Metrics that are shown first.
        nothing_relevant: Value of a query without any relevant item; "zero" as trec_eval prints.
        ties: Order of equal scores.
        definition: What is relevant, and which queries are not scored.
        blind: What its metrics do not show.
    """

    name: str
    title: str
    judge: Callable[[Any, Any], Judgement]
    metrics: str
    nothing_relevant: Literal["null", "zero"]
    ties: Ties = "gallery"
    definition: str
    source: str
    blind: str = ""


def list_judged(judgement: Judgement, query: int) -> tuple[IntArray, FloatArray]:
    """Return the judged items of a query and their grades."""
    if isinstance(judgement, TableJudgement):
        return judgement.pairs.get(query, NO_PAIRS)
    grades = judgement.grades(query)
    items = np.flatnonzero(~np.isnan(grades))
    return items, grades[items]


NO_PAIRS = (np.empty(0, dtype=np.int64), np.empty(0))


def judge_table(queries: Table, items: Table, qrels: Any) -> TableJudgement:
    """Return the judgement of a table of judged pairs.

    Pairs of unknown queries do not count, nor does an item query's own item, which is no result.
    """
    query, item = queries.find(qrels.queries)[qrels.query], items.find(qrels.items)[qrels.item]
    own = items.find(queries["item_id"])
    known = (query >= 0) & (item >= 0) & (own[query] != item)
    query, item, grade = query[known], item[known], qrels.values[known]
    order = np.argsort(query, kind="stable")
    bounds = np.searchsorted(query[order], np.arange(len(queries) + 1))
    pairs = {
        each: (item[order[low:high]], grade[order[low:high]])
        for each, (low, high) in enumerate(zip(bounds[:-1], bounds[1:], strict=True))
        if low < high
    }
    reasons = {each: NOT_JUDGED for each in range(len(queries)) if each not in pairs}
    return TableJudgement(len(items), pairs, reasons)


def find_relevant(judgement: Judgement, query: int) -> IntArray:
    """Return the relevant items of a query."""
    items, grades = list_judged(judgement, query)
    return np.sort(items[grades >= judgement.relevant_from])


def is_hit(judgement: Judgement, grades: FloatArray) -> BoolArray:
    """Return which grades are those of relevant items."""
    return np.asarray(grades >= judgement.relevant_from)
