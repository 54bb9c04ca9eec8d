"""The terms that add up to a value, from the metric's own computation."""

from contextlib import suppress

import numpy as np

from dashboard.errors import ChoiceError
from dashboard.evaluation.block import Sum
from dashboard.evaluation.differences import replace_nan
from dashboard.evaluation.judgement import mark_hits
from dashboard.evaluation.measurement import list_blocks
from dashboard.evaluation.metrics import Measure
from dashboard.study.query_result import explain_null
from dashboard.study.study import Study
from dashboard.tables import Rows

NEAR = 1e-9
"""Largest difference between a value and the sum of its terms."""


def explain_value(
    study: Study, version: str, query: int, measure: Measure
) -> tuple[float, float, Rows]:
    """Return a metric's value for the query at a position, and the terms that add up to it.

    Returns:
        The value; what the sum of the terms was divided by; and a row a result that the metric
        looked at: rank, item_id, grade, credit, hit, term (divided already) and sum (of the terms
        so far).

    Raises:
        ChoiceError: Why there are no terms, in a sentence.
        DataError: If the version cannot be used.
    """
    name = str(measure)
    value = study.value(version, query, name)
    if value is None:
        why = explain_null(study, version, query, measure)
        raise ChoiceError(f"{name} has no value: {why}.")
    run = study.run(version)
    judged = study.judgement
    found = None
    ((_, block),) = list_blocks(run, np.array([query]), judged, [measure])
    with suppress(ValueError):  # one that only its protocol can compute
        found = measure.explain(block)
    if not isinstance(found, Sum):
        raise ChoiceError(f"{name} is not made of one term a result.")
    if abs(np.nan_to_num(found.compute(measure.cutoff)[0]) - value) > NEAR:
        why = f"{name} is computed from all queries together by the protocol {study.rules.title}."
        raise ChoiceError(why)
    is_read = found.rank <= (measure.cutoff or np.inf)
    ranks = found.rank[is_read]
    divisor = float(found.divisor[0]) or 1.0
    terms = found.terms[is_read]
    every = next(run.find_all(np.array([query]), int(ranks.max(initial=1))))  # judged or not
    items = every.items[np.searchsorted(every.rank, ranks)]
    columns = (
        ranks.tolist(),
        [study.collection.items.ids[item] if item >= 0 else None for item in items.tolist()],
        *(
            map(replace_nan, np.append(values, np.nan)[items])
            for values in (judged.grades(query), judged.credits(query))
        ),
        mark_hits(judged, query, items, study.rules.is_complete),
        (terms / divisor).tolist(),
        (np.cumsum(terms) / divisor).tolist(),
    )
    names = ("rank", "item_id", "grade", "credit", "hit", "term", "sum")
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return value, divisor, rows
