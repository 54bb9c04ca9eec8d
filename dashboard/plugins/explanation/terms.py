"""The terms that add up to a value, from the metric's own computation."""

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from dashboard.evaluation.block import Sum
from dashboard.evaluation.differences import replace_nan
from dashboard.evaluation.judgement import mark_hits
from dashboard.evaluation.measurement import Row, list_blocks
from dashboard.evaluation.metrics import Measure
from dashboard.study.query_result import explain_null
from dashboard.study.study import Study

NEAR = 1e-9
"""Largest difference between a value and the sum of its terms."""


class Explanation(NamedTuple):
    """A value and the terms that add up to it.

    Attributes:
        value: The value; None for null.
        divisor: What the sum of the terms was divided by.
        rows: rank, item_id, grade, credit, hit, term (divided already) and sum (of the terms so
            far), a row a result that the metric looked at.
        why_not: Why there are no terms, in a sentence; "" if there are.
    """

    value: float | None
    divisor: float
    rows: list[Row]
    why_not: str


def explain_value(study: Study, version: str, query: int, measure: Measure) -> Explanation:
    """Return the terms of a metric's value for the query at a position.

    Raises:
        DataError: If the version cannot be used.
    """
    name = str(measure)
    value = study.value(version, query, str(measure))
    if value is None:
        why = f"{name} has no value: {explain_null(study, version, query)}."
        return Explanation(None, 1, [], why)
    run = study.run(version)
    found = None
    ((part, block),) = list_blocks(run, np.array([query]), study.judgement, [measure])
    with suppress(ValueError):  # one that only its protocol can compute
        found = measure.explain(block)
    if not isinstance(found, Sum):
        return Explanation(value, 1, [], f"{name} is not made of one term a result.")
    if abs(np.nan_to_num(found.compute(measure.cutoff)[0]) - value) > NEAR:
        why = f"{name} is computed from all queries together by the protocol {study.rules.title}."
        return Explanation(value, 1, [], why)
    is_read = found.rank <= (measure.cutoff or np.inf)
    ranks = found.rank[is_read]
    terms = found.terms[is_read]
    divisor = float(found.divisor[0]) or 1.0
    if not np.isin(ranks, part.rank).all():  # terms of results that nobody judged, too
        (part,) = run.parts(np.array([query]), int(ranks.max()))
    items = dict(zip(part.rank.tolist(), part.item.tolist(), strict=True))
    rows = [_describe_result(study, query, rank, items[rank]) for rank in ranks.tolist()]
    for row, term, total in zip(rows, terms, np.cumsum(terms), strict=True):
        row |= {"term": float(term / divisor), "sum": float(total / divisor)}
    return Explanation(value, divisor, rows, "")


def _describe_result(study: Study, query: int, rank: int, item: int) -> Row:
    judged = study.judgement
    ids = study.collection.items.ids
    (hit,) = mark_hits(judged, query, np.array([item]), study.rules.is_complete)
    return {
        "rank": rank,
        "item_id": ids[item] if item >= 0 else None,
        "grade": replace_nan(judged.grades(query)[item]) if item >= 0 else None,
        "credit": float(judged.credits(query)[item]) if item >= 0 else None,
        "hit": hit,
    }
