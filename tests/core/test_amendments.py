"""Amended judgements: a table, and any other judgement, with other grades of some pairs."""

import numpy as np

from dashboard.evaluation.amendments import AmendedJudgement, amend
from dashboard.evaluation.judgement import NO_RELEVANT, TableJudgement, list_judged
from dashboard.evaluation.labels import judge_labels

GAP = np.nan


def test_table_stays_a_table() -> None:
    """Of three items the first has grade 2; the second gets 1, and the third, unjudged, 0."""
    given = TableJudgement(3, {0: (np.array([0]), np.array([2.0]))}, {1: NO_RELEVANT})
    amended = amend(given, {0: {2: 0.0, 1: 1.0}, 1: {0: 1.0}})
    assert isinstance(amended, TableJudgement)
    items, grades = list_judged(amended, 0)
    assert (items.tolist(), grades.tolist()) == ([0, 1, 2], [2.0, 1.0, 0.0])
    assert amended.credits(0).tolist() == [1.0, 1.0, 0.0]
    assert amended.unscorable == {} and given.unscorable == {1: NO_RELEVANT}
    np.testing.assert_array_equal(given.grades(0), [2.0, GAP, GAP])


def test_labels_are_wrapped() -> None:
    """Query 0 is like item 0 alone; query 1 asks for what no item has, and gets a 0."""
    cat, dog, cow = (frozenset({name}) for name in ("cat", "dog", "cow"))
    given = judge_labels([cat, dog], [cat, cow], np.array([-1, -1]))
    amended = amend(given, {0: {0: 0.0, 1: 1.0}, 1: {1: 0.0}})
    assert isinstance(amended, AmendedJudgement) and amended.given is given
    assert amended.grades(0).tolist() == amended.credits(0).tolist() == [0.0, 1.0]
    assert given.grades(0).tolist() == [1.0, 0.0]
    assert amended.unscorable == {1: NO_RELEVANT}
    assert amend(given, {}).grades(0).tolist() == [1.0, 0.0]
