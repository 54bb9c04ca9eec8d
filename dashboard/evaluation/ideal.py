"""The ideal ranking of one query, the best first, and the most that a metric can reach with it."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from dashboard.evaluation.join import of_items
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import Measure, parse
from dashboard.evaluation.protocols import PROTOCOLS, Protocol
from dashboard.evaluation.protocols.protocol import as_decided
from dashboard.evaluation.rankings import Floats, Rankings


def of_query(judgement: Judgement, query_id: str) -> Judgement:
    """The judgement of one query alone. ValueError where it was not asked."""
    if query_id not in judgement.query_ids:
        raise ValueError(f"There is no query {query_id!r} in the judgement.")
    return judgement.of_queries([query_id])


def ideal_run(judgement: Judgement, query_id: str, like: pd.DataFrame) -> pd.DataFrame:
    """What is worth anything to a query, by grade, then credit: query_id, item_id, grade, rank.

    Items of equal worth stand as in the ranking `like` (item_id, rank), then as they are judged.
    """
    mine = of_query(judgement, query_id).qrels
    worth = mine[(mine["grade"] > 0) | (mine["credit"] > 0)].astype({"item_id": "str"})
    mine = of_items(like, worth["item_id"])
    place = dict(zip(mine["item_id"].astype("str"), mine["rank"], strict=True))
    worth = worth.assign(place=worth["item_id"].map(place).fillna(like["item_id"].nunique() + 1))
    order = ["grade", "credit", "place"]
    best = worth.sort_values(order, ascending=[False, False, True], kind="stable")
    best = best[["query_id", "item_id", "grade"]].reset_index(drop=True)
    return best.assign(rank=best.index + 1)


def ideal_value(
    judgement: Judgement, query_id: str, run: pd.DataFrame, protocol: Protocol | str, metric: str
) -> float:
    """What a metric gives for the ideal ranking, the most that a version can reach; NaN for null.

    run: as `ideal_run` gives it; the other judged items follow, so that a list is as long as a
    version's. NaN too for a metric whose best order is not the one with the best first.
    """
    (wanted,) = parse(metric)
    if not wanted.metric.best_first:
        return float("nan")
    one = of_query(judgement, query_id)
    others = one.qrels[~one.qrels["item_id"].astype("str").isin(run["item_id"])]
    whole = pd.concat([run[["query_id", "item_id"]], others[["query_id", "item_id"]]])
    ranks = range(1, len(whole) + 1)
    whole = whole.astype("str").assign(rank=ranks, score=[-float(rank) for rank in ranks])
    rules = PROTOCOLS[protocol] if isinstance(protocol, str) else protocol
    alone = replace(rules, finish=as_decided)
    value = float(measure({"ideal": whole}, one, alone, [wanted])["value"].iloc[0])
    if rules.finish is as_decided or math.isnan(value):
        return value
    # the value rests on other queries, too: theirs are then as good as they can be
    best = wanted(_best_of_all(judgement))
    unscorable = judgement.asked.isin(list(judgement.unscorable))
    best[unscorable] = np.nan
    place = judgement.query_ids.index(query_id)
    return float(rules.finish(wanted, best, judgement)[place])


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
