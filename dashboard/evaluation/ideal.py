"""The ideal ranking of one query: what is judged, the best first, and what it would be worth."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.protocols import Protocol


def of_query(judgement: Judgement, query_id: str) -> Judgement:
    """The judgement of one query alone. ValueError where it was not asked."""
    if query_id not in judgement.query_ids:
        raise ValueError(f"There is no query {query_id!r} in the judgement.")
    mine = judgement.qrels["query_id"] == query_id
    reasons = {q: why for q, why in judgement.unscorable.items() if q == query_id}
    return replace(
        judgement, qrels=judgement.qrels[mine], query_ids=(query_id,), unscorable=reasons
    )


def ideal_run(judgement: Judgement, query_id: str, like: pd.DataFrame) -> pd.DataFrame:
    """What is worth anything to a query, by grade, then credit: query_id, item_id, grade, rank.

    Items of equal worth stand as in the ranking `like` (item_id, rank), then as they are judged.
    """
    mine = of_query(judgement, query_id).qrels
    worth = mine[(mine["grade"] > 0) | (mine["credit"] > 0)].astype({"item_id": "str"})
    place = dict(zip(like["item_id"].astype("str"), like["rank"], strict=True))
    worth = worth.assign(place=worth["item_id"].map(place).fillna(len(place) + 1))
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
    values = measure({"ideal": whole}, one, protocol, [wanted])
    return float(values["value"].iloc[0])
