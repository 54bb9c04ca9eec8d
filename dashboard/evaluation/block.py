"""A Block: labelled results of some queries, from which metrics compute their values."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dashboard.evaluation.judgement import Judgement, list_judged
from dashboard.retrieval.gallery import Found
from dashboard.tables import AnyArray, BoolArray, FloatArray, IntArray

Ranked = tuple[IntArray, IntArray, FloatArray]
"""Place of the query, rank and grade of each row."""
Cut = int | None
"""Rank at which a metric ends a list, its K; None: nowhere."""


class Sum(NamedTuple):
    """Values as sums of terms, one a result, divided by a number a query.

    Attributes:
        row: Place of each term's query, from 0.
        rank: Rank of each term's result, from 1; a metric's cutoff ends the sum.
        divisor: What each sum is divided by; the value is undefined where it is 0. [queries].
    """

    row: IntArray
    rank: IntArray
    terms: FloatArray
    divisor: FloatArray | IntArray

    def compute(self, k: Cut) -> FloatArray:
        """Return the values of the first k places, NaN where undefined. [queries]."""
        terms = self.terms if k is None else np.where(self.rank <= k, self.terms, 0.0)
        added, undefined = np.bincount(self.row, terms, len(self.divisor)), self.divisor == 0
        return np.where(undefined, np.nan, added / np.where(undefined, 1, self.divisor))


class Block(NamedTuple):
    """Labelled results of some queries, as rows sorted by query and rank.

    The rows hold the first results of each list and, for metrics without a cutoff, every result
    that adds to them. Grades below 0 and of unjudged results are 0.

    Attributes:
        row: Place of each result's query, from 0.
        rank: True rank of each result, from 1.
        credit: Partial relevance of each result in [0, 1]; 1 for a hit where the judgement has no
            other.
        judged: Whether each result has a grade.
        nonrelevant: Whether each result has a grade from 0 on that is no relevant one's; by
            convention a grade below 0 says that nobody judged.
        relevant: R, the number of relevant items of each query.
        judged_nonrelevant: Number of such items of each query, found or not.
        returned: Number of results of each query, down to the similarity threshold.
        ideal: Positive grades of the judged items of each query, descending, as such rows.
    """

    row: IntArray
    rank: IntArray
    grade: FloatArray
    hit: BoolArray
    credit: FloatArray
    judged: BoolArray
    nonrelevant: BoolArray
    relevant: IntArray
    judged_nonrelevant: IntArray
    returned: IntArray
    ideal: Ranked

    def count_hits(self, k: Cut) -> FloatArray:
        """Return the number of hits in the first k places of each list. [queries]."""
        return self.sum(self.hit).compute(k)

    def sum(self, terms: AnyArray, divisor: FloatArray | IntArray | None = None) -> Sum:
        """Return the metric that adds up a term of each result; divisor None: 1."""
        divisor = np.ones(len(self.relevant)) if divisor is None else divisor
        return Sum(self.row, self.rank, np.asarray(terms, float), divisor)

    def count_so_far(self, counted: BoolArray) -> IntArray:
        """Return how many rows of a list count, up to each of them. [rows]."""
        so_far = np.cumsum(counted)
        before = np.append(0, so_far)[np.searchsorted(self.row, self.row)]  # of earlier queries
        return np.asarray(so_far - before)

    def find_first_hits(self) -> BoolArray:
        """Return whether each row is the first hit of its list. [rows]."""
        return np.asarray(self.hit & (self.count_so_far(self.hit) == 1))

    def count_looked_at(self, k: Cut) -> IntArray:
        """Return the number of results of each list in its first k places. [queries]."""
        return self.returned if k is None else np.minimum(self.returned, k)


def label(
    queries: IntArray, found: Iterable[Found], judgement: Judgement, with_credits: bool = True
) -> Block:
    """Return the block of some queries: their results with their grades.

    Args:
        queries: Positions of the queries.
        found: Results of each query.
        judgement: What grades them.
        with_credits: Whether a metric reads partial relevance; else it is left 0.
    """
    columns = []
    counts = []
    ideal = []
    for place, (query, each) in enumerate(zip(queries.tolist(), found, strict=True)):
        listed = each.rank <= each.passing
        item = each.items[listed]
        items, every = list_judged(judgement, query)
        at = np.searchsorted(items, item)
        is_judged = np.append(items, -1)[at] == item
        grades = np.where(is_judged, np.append(every, np.nan)[at], np.nan)
        credits = np.zeros(len(item))
        if with_credits:
            credits = np.append(judgement.credits(query), 0.0)[item]
        columns.append((np.full(len(item), place), each.rank[listed], grades, credits))
        is_relevant = every >= judgement.relevant_from
        counts.append((is_relevant.sum(), (~is_relevant & (every >= 0)).sum(), each.passing))
        best = -np.sort(-every[every > 0])
        ideal.append((np.full(len(best), place), np.arange(1, len(best) + 1), best))
    row, rank, grades, credits = map(np.concatenate, zip(*columns, strict=True))
    relevant, nonrelevant, returned = np.array(counts).T
    of_query, places, gains = map(np.concatenate, zip(*ideal, strict=True))
    grade = np.nan_to_num(grades).clip(min=0)
    hit = grade >= judgement.relevant_from
    return Block(
        row, rank, grade, hit, credits, ~np.isnan(grades), (grades >= 0) & ~hit,
        relevant, nonrelevant, returned, (of_query, places, gains),
    )  # fmt: skip
