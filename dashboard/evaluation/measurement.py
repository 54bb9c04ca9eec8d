"""Runs x metrics -> values. Whether a value is a number, zero or null is decided here alone."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from dashboard.evaluation.block import Block, label
from dashboard.evaluation.judgement import Judgement, JudgingRules, list_judged
from dashboard.evaluation.metrics import Measure, Reads
from dashboard.retrieval.sources import Run
from dashboard.tables import BoolArray, FloatArray, IntArray, Names, Row, Rows

BLOCK = 256
"""Queries that are labelled at once."""
Described = tuple[Row, Rows]
"""What a plugin says of a query, and more fields of rows of its results."""


class Measurement(NamedTuple):
    """Values of one run: float64 of shape [metrics, queries], NaN for null; folds as the rules."""

    run: str
    measures: tuple[Measure, ...]
    query_ids: Names
    values: FloatArray
    folds: IntArray | None = None

    def list_values(self) -> Iterator[Row]:
        """Yield run, query_id, metric, cutoff and value of every query."""
        for measure, values in zip(self.measures, self.values.tolist(), strict=True):
            for query, value in zip(self.query_ids, values, strict=True):
                yield {
                    "run": self.run,
                    "query_id": query,
                    "metric": measure.name,
                    "cutoff": measure.cutoff,
                    "value": None if value != value else value,
                }

    def list_means(self) -> Iterator[Row]:
        """Yield run, metric, cutoff, mean (or median) of the scored queries, scored and total."""
        for measure, values in zip(self.measures, self.values, strict=True):
            yield {
                "run": self.run,
                "metric": measure.name,
                "cutoff": measure.cutoff,
                "mean": measure.average(values, self.folds),
                "scored": int((~np.isnan(values)).sum()),
                "total": len(values),
            }


def measure_run(
    run: Run,
    queries: IntArray,
    judgement: Judgement,
    rules: JudgingRules,
    measures: Sequence[Measure],
) -> FloatArray:
    """Return the value of each metric for each query, NaN for null. [metrics, queries].

    Null: the query is not scorable, was not run, or nothing is relevant to it (under rules that
    say so; under others what the formula gives). Zero: a list without results, where there was
    something to find.
    """
    found = []
    for asked, block in list_blocks(run, queries, judgement, measures):
        null = np.isin(asked, [*judgement.unscorable, *run.source.not_run])
        found.append(np.stack([_decide(each, block, null, rules) for each in measures]))
    return np.concatenate(found, axis=1)


def list_blocks(
    run: Run, queries: IntArray, judgement: Judgement, measures: Sequence[Measure]
) -> Iterator[tuple[IntArray, Block]]:
    """Yield some queries after another, and the results of them that some metrics read."""
    # of some metrics every result that adds to them is needed, however deep
    reads = {each.metric.reads for each in measures if each.depth is None or each.metric.deep}
    wanted = (lambda query: _find_worthy(judgement, query, reads)) if reads else None
    with_credits = "credits" in {each.metric.reads for each in measures}
    found = run.find_all(queries, max((each.depth or 0 for each in measures), default=0), wanted)
    for start in range(0, len(queries), BLOCK):
        asked = queries[start : start + BLOCK]
        yield asked, label(asked, islice(found, len(asked)), judgement, with_credits)


def _find_worthy(judgement: Judgement, query: int, reads: Collection[Reads]) -> IntArray:
    """Return the items whose rank a metric without a cutoff reads."""
    items, grades = list_judged(judgement, query)
    if "judged" in reads:
        return items
    worthy = grades >= min(judgement.relevant_from, np.finfo(np.float64).tiny)
    if "credits" in reads:
        worthy |= judgement.credits(query)[items] > 0
    return items[worthy]


def _decide(measure: Measure, block: Block, null: BoolArray, rules: JudgingRules) -> FloatArray:
    values = measure(block)
    undefined = np.isnan(values)
    nothing_relevant = block.relevant == 0
    if rules.nothing_relevant == "zero":
        values[undefined] = 0.0
    elif rules.nothing_relevant == "null":
        null = null | nothing_relevant
    values[undefined & (block.returned == 0) & ~nothing_relevant] = 0.0
    values[null] = np.nan
    return values
