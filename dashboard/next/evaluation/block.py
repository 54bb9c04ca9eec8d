"""A Block: labelled results of some queries, from which metrics compute their values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dashboard.next.evaluation.judgement import Judgement, list_judged
from dashboard.next.retrieval.run import Part
from dashboard.next.tables import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Block:
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
    ideal: tuple[IntArray, IntArray, FloatArray]

    def count_hits(self, k: int | None) -> FloatArray:
        """Return the number of hits in the first k places of each list. [queries]."""
        return self.add_up(self.row, self.rank, self.hit.astype(np.float64), k)

    def add_up(
        self, row: IntArray, rank: IntArray, values: FloatArray, k: int | None
    ) -> FloatArray:
        """Return the sum of values of the first k places of each list. [queries]."""
        if k is not None:
            row, values = row[rank <= k], values[rank <= k]
        return np.bincount(row, values, minlength=len(self.relevant)).astype(np.float64)


def label(part: Part, judgement: Judgement, with_credits: bool = True) -> Block:
    """Return the block of a part of a run: its results with their grades.

    Args:
        part: Results of some queries.
        judgement: What grades them.
        with_credits: Whether a metric reads partial relevance; else it is left 0.
    """
    listed = part.rank <= part.passing[part.row]
    row, item, rank = part.row[listed], part.item[listed], part.rank[listed]
    grades, credits = np.full(len(row), np.nan), np.zeros(len(row))
    ideal: list[FloatArray] = []
    relevant: list[int] = []
    nonrelevant: list[int] = []
    bounds = np.searchsorted(row, np.arange(len(part.queries) + 1))
    for query, low, high in zip(part.queries.tolist(), bounds[:-1], bounds[1:], strict=True):
        places, every = list_judged(judgement, query)
        items = item[low:high]
        if len(places):
            at = np.searchsorted(places, items).clip(max=len(places) - 1)
            grades[low:high] = np.where(places[at] == items, every[at], np.nan)
        if with_credits:
            known = items >= 0
            credits[low:high][known] = judgement.credits(query)[items[known]]
        relevant.append(int((every >= judgement.relevant_from).sum()))
        nonrelevant.append(int(((every >= 0) & (every < judgement.relevant_from)).sum()))
        ideal.append(np.sort(every[every > 0])[::-1])
    sizes = [len(each) for each in ideal]
    ranks = np.concatenate([np.arange(1, size + 1) for size in sizes])
    best = (np.repeat(np.arange(len(sizes)), sizes), ranks, np.concatenate(ideal))
    grade, judged = np.nan_to_num(grades).clip(min=0), ~np.isnan(grades)
    hit, is_counted = grade >= judgement.relevant_from, grades >= 0
    return Block(
        row, rank, grade, hit, credits, judged, is_counted & ~hit,
        np.array(relevant), np.array(nonrelevant), part.passing, best,
    )  # fmt: skip


def divide(top: FloatArray, bottom: FloatArray | IntArray) -> FloatArray:
    """Return top / bottom, NaN where bottom is 0."""
    undefined = np.full(len(top), np.nan)
    return np.asarray(np.divide(top, bottom, out=undefined, where=np.not_equal(bottom, 0)))
