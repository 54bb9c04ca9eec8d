"""The ideal ranking of one query, the best first, and the most that a metric can reach with it."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
import pandas as pd

from dashboard.evaluation.join import of_items
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import values_of
from dashboard.evaluation.metrics import Measure, parse
from dashboard.evaluation.protocols import PROTOCOLS, Protocol
from dashboard.evaluation.protocols.protocol import as_decided
from dashboard.evaluation.rankings import Floats, Rankings


def of_query(judgement: Judgement, query_id: str) -> Judgement:
    """The judgement of one query alone. ValueError where it was not asked."""
    if query_id not in judgement.query_ids:
        raise ValueError(f"There is no query {query_id!r} in the judgement.")
    return judgement.of_queries([query_id])


def ideal_run(
    judgement: Judgement, query_id: str, like: pd.DataFrame, most: int | None = None
) -> pd.DataFrame:
    """What is worth anything to a query, by grade, then credit: query_id, item_id, grade, rank.

    Items of equal worth stand as in the ranking `like` (item_id, rank), then as they are judged.
    most: how many are wanted; None: all. Raises KeyError where the query was not asked.
    """
    labels = judgement.labels(query_id) if most is None else judgement.best(query_id, most)
    rows = np.flatnonzero((labels.grade > 0) | (labels.credit > 0))
    names = labels.names(rows)
    placed = of_items(like, names)
    place = np.full(len(rows), int(like["rank"].to_numpy().max(initial=0)) + 1)
    at = names.get_indexer(pd.Index(placed["item_id"].tolist(), dtype="str"))
    place[at] = placed["rank"].to_numpy()
    worth = -labels.credit[rows], -labels.grade[rows].astype(np.float64)
    rows = rows[np.lexsort((place, *worth))[:most]]
    return pd.DataFrame(
        {
            "query_id": query_id,
            "item_id": pd.array(labels.ids(rows), dtype="str"),
            "grade": labels.grade[rows],
            "rank": np.arange(1, len(rows) + 1),
        }
    )


def ideal_value(
    judgement: Judgement, query_id: str, protocol: Protocol | str, metric: str
) -> float:
    """What a metric gives for the ideal ranking, the most that a version can reach; NaN for null.

    The other judged items follow it, so that a list is as long as a version's. NaN too for a metric
    whose best order is not the one with the best first. Raises KeyError as `ideal_run`.
    """
    (wanted,) = parse(metric)
    if not wanted.metric.best_first:
        return float("nan")
    rules = PROTOCOLS[protocol] if isinstance(protocol, str) else protocol
    one = judgement.of_queries([query_id])
    value = float(values_of(wanted, _best_of_one(one, query_id, wanted.reach), one, rules)[0])
    if rules.finish is as_decided or math.isnan(value):
        return value
    # the value rests on other queries, too: theirs are then as good as they can be
    best = wanted(_best_of_all(judgement))
    unscorable = judgement.asked.isin(list(judgement.unscorable))
    best[unscorable] = np.nan
    place = judgement.query_ids.index(query_id)
    return float(rules.finish(wanted, best, judgement)[place])


def _best_of_one(judgement: Judgement, query_id: str, most: int | None) -> Rankings:
    """All judged items of the one query of a judgement as a ranking, the best first. most: how many
    are read, and stand in it; None: all. It says how many there are in either case."""
    grade, credit = judgement.best_first(query_id, most)
    return Rankings(
        query_ids=judgement.query_ids,
        grades=grade[None],
        credit=(grade >= judgement.relevant_from if judgement.credit_is_hit else credit)[None],
        judged=np.ones((1, len(grade)), dtype=bool),
        returned=judgement.number_judged,
        relevant=judgement.relevant,
        ideal=judgement.ideal,
        best_credit=lambda: judgement.ideal_credit,
        tied=np.zeros((1, len(grade)), dtype=bool),
        relevant_from=judgement.relevant_from,
        missable=judgement.missable,
    )


def _best_of_all(judgement: Judgement) -> Rankings:
    """The ideal rankings of all queries: what has a grade above 0, the best first."""
    grades = judgement.ideal
    return Rankings(
        query_ids=judgement.query_ids,
        grades=grades,
        credit=judgement.ideal_credit[:, : grades.shape[1]],
        judged=grades > 0,
        returned=(grades > 0).sum(axis=1),
        relevant=judgement.relevant,
        ideal=grades,
        best_credit=lambda: judgement.ideal_credit,
        tied=np.zeros(grades.shape, dtype=bool),
        relevant_from=judgement.relevant_from,
        missable=judgement.missable,
    )


def ceilings(measure: Measure, judgement: Judgement) -> Floats | None:
    """The most that any ranking can get, for each query [Q]; None: 1, or not known.

    P@K: min(K, R) ÷ K. R@K: min(K, R) ÷ R. NaN for a query that is not scored, or has no relevant
    item to find.
    """
    if measure.cutoff is None or measure.metric.name not in ("P", "R"):
        return None
    relevant = judgement.relevant.astype(np.float64)
    divisor = relevant if measure.metric.name == "R" else np.full(len(relevant), measure.cutoff)
    scored = (relevant > 0) & ~judgement.asked.isin(list(judgement.unscorable))
    found = np.minimum(relevant, measure.cutoff)
    unknown = np.full(len(relevant), np.nan)
    return np.asarray(np.divide(found, divisor, out=unknown, where=scored))


def mean_ceiling(
    measure: Measure, judgement: Judgement, only: Collection[str] | None = None
) -> float | None:
    """The mean of `ceilings` over `only` these queries (None: all); None where there is none."""
    values = ceilings(measure, judgement)
    if values is None:
        return None
    if only is not None:
        values = values[judgement.asked.isin(list(only))]
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
