"""How a value of one query is computed: as the formula gives it, and as a protocol decides it."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd

from dashboard.evaluation.comparison.compare import SAME
from dashboard.evaluation.ideal import of_query
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import measure as measured
from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.metrics.explanation import Explanation, RankedList, write_result
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.rankings import Rankings, rank


def explain(measure: Measure, rankings: Rankings, query_id: str) -> Explanation:
    """How the formula's value of one query is computed. ValueError for an unknown query.

    >>> from dashboard.evaluation.metrics import parse
    >>> from dashboard.evaluation.rankings import from_lists
    >>> explain(parse("AP")[0], from_lists([[1, 0, 1]], relevant=[4]), "q1").lines[-1]
    '(1/1 + 2/3) ÷ 4 = 0.417'
    """
    ranked = RankedList.of(rankings, query_id, measure.cutoff)
    explainer = measure.metric.explain
    if explainer is None:
        return _by_formula(measure, ranked)
    return explainer(ranked, **dict(measure.settings))


def explain_run(
    measure: Measure,
    run: pd.DataFrame,
    judgement: Judgement,
    protocol: Protocol,
    query_id: str,
    mine: pd.DataFrame | None = None,
) -> Explanation:
    """The same for a query of a run, under a protocol, which decides what is null or zero.

    mine: the query's whole ranking, where the run may hold parts of it (None: it is in the run).
    `steps` then has `item_id` after `rank`, null where the ideal is longer than the list. Where the
    protocol gives no value, there are no steps, and the line says why.
    """
    alone = of_query(judgement, query_id)
    if mine is None:
        mine = run[run["query_id"] == query_id]
        mine.attrs = run.attrs
    kept = protocol.keep(mine, alone)
    found = explain(measure, rank(kept, alone), query_id)
    # a picture's value may depend on its texts, so all queries of both kinds are measured
    asked = (mine, alone) if not judgement.kinds else (run, judgement)
    values = measured({"": asked[0]}, asked[1], protocol, [measure])
    value = float(values.loc[values["query_id"] == query_id, "value"].iloc[0])
    if math.isnan(value):
        reason = _reason(run, alone, query_id) or _other_kind(measure, found)
        return Explanation(found.steps.iloc[:0], (reason,), value)
    if math.isnan(found.value):
        why = "No result came back" if kept.empty else "Nothing is relevant"
        line = f"{why}; the protocol “{protocol.title}” counts that as {write_result(value)}."
        found = Explanation(found.steps, (*found.lines[:-1], line), value)
    elif abs(value - found.value) > SAME:
        line = f"With what its texts find, in the same measure: {write_result(value)}."
        found = Explanation(found.steps, (*found.lines, line), value)
    return replace(found, steps=_with_items(found.steps, kept))


def _other_kind(measure: Measure, found: Explanation) -> str:
    """Why the protocol gives no value where the formula does."""
    if math.isnan(found.value):
        return found.lines[-1]
    return f"{measure} does not stand with queries of this kind."


def _reason(run: pd.DataFrame, judgement: Judgement, query_id: str) -> str:
    """Why a query has no value whatever the metric; empty if that is not so."""
    if query_id in run.attrs.get("not_run", {}):
        return f"Not run: {run.attrs['not_run'][query_id]}."
    if query_id in judgement.unscorable:
        return f"Not scored: {judgement.unscorable[query_id]}."
    return ""


def _with_items(steps: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    order = kept.sort_values("rank", kind="stable")["item_id"].astype("str")
    table = steps.copy()
    table.insert(1, "item_id", order.reset_index(drop=True).reindex(range(len(steps))))
    return table


def _by_formula(measure: Measure, ranked: RankedList) -> Explanation:
    """What a metric reads, its formula and its value, for a metric without an explainer."""
    reads = measure.metric.reads
    column = {"hits": "hit", "grades": "grade", "credit": "credit", "judged": "judged"}[reads]
    table = {"hits": ranked.hits, "grades": ranked.grades, "judged": ranked.judged}
    value = float(measure(ranked.rankings)[0])
    lines = (*ranked.shortfall, f"{measure}: {measure.metric.formula}")
    ending = "no value" if math.isnan(value) else write_result(value)
    steps = ranked.steps(**{column: table.get(reads, ranked.credit)})
    return Explanation(steps, (*lines, f"= {ending}"), value)
