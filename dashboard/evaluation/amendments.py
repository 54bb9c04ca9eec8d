"""Judgements in which the grades of some pairs are replaced."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dashboard.evaluation.judgement import NO_PAIRS, Judgement
from dashboard.tables import FloatArray, IntArray, Reasons


class AmendedJudgement(NamedTuple):
    """A judgement in which the grades of some pairs are replaced.

    Attributes:
        given: The judgement without them.
        pairs: Items and grades that are replaced, by query.
    """

    given: Judgement
    pairs: Mapping[int, tuple[IntArray, FloatArray]]
    unscorable: Reasons
    relevant_from: float

    def grades(self, query: int) -> FloatArray:
        found = self.given.grades(query).copy()
        items, grades = self.pairs.get(query, NO_PAIRS)
        found[items] = grades
        return found

    def credits(self, query: int) -> FloatArray:
        found = self.given.credits(query).copy()
        items, grades = self.pairs.get(query, NO_PAIRS)
        found[items] = grades >= self.relevant_from
        return found


def amend(judgement: Judgement, grades: Mapping[int, Mapping[int, float]]) -> Judgement:
    """Return a judgement with other grades of some pairs; nothing else of it changes.

    A query that has a relevant item now is scored.

    Args:
        judgement: The judgement without them.
        grades: Grade by query and item, which are positions.
    """
    pairs = {
        query: (np.array(list(each), int), np.array(list(each.values())))
        for query, each in grades.items()
    }
    scored = {q for q, (_, new) in pairs.items() if (new >= judgement.relevant_from).any()}
    reasons = {query: why for query, why in judgement.unscorable.items() if query not in scored}
    return AmendedJudgement(judgement, pairs, reasons, judgement.relevant_from)
