"""What to judge next: unjudged results that can move a comparison, labels that may be wrong, and
pairs on which reviewers disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.rankings import Floats
from dashboard.evaluation.reviewing.bounds import LINEAR, Pool, _ideal, pair_weights, weights

COLUMNS = ["query_id", "item_id", "rank_baseline", "rank_candidate", "effect"]


def queue(measure: Measure, pools: Sequence[Pool], gain: float = 1.0) -> pd.DataFrame:
    """The unjudged results in the order of how much each can move the mean difference.

    Columns COLUMNS: ranks from 1, null where a version does not show it; effect: the most that
    this judgement moves the mean. Results that cannot move P, DCG or RBP, such as one of the same
    rank in both versions, are left out; those that only move an ideal, or R, stand last. Equal
    effects take turns among queries.

    Source: Carterette, Allan and Sitaraman (SIGIR 2006): for AP the larger of what a result adds
    if it is relevant, and what it takes away if it is not.
    """
    pieces = []
    for place, pool in enumerate(pools):
        unjudged = np.flatnonzero(pool.unjudged)
        effect = _effect(pool, measure, gain)[unjudged] / max(len(pools), 1)
        ranks = np.where(pool.places >= 0, pool.places + 1.0, np.nan)[:, unjudged]
        pieces.append(
            pd.DataFrame(
                {
                    "query_id": pool.query_id,
                    "item_id": [pool.items[i] for i in unjudged],
                    "rank_baseline": ranks[0],
                    "rank_candidate": ranks[1],
                    "effect": np.round(effect, 12),
                    "place": place,
                    "best": np.nanmin(ranks, axis=0) if len(unjudged) else ranks[0],
                }
            )
        )
    if not pieces:
        return pd.DataFrame(columns=COLUMNS)
    table = pd.concat(pieces, ignore_index=True)
    if measure.metric.name in LINEAR:
        table = table[table["effect"] > 0]
    table = table.sort_values(["effect", "best", "place"], ascending=[False, True, True])
    return (
        table[COLUMNS]
        .astype({"rank_baseline": "Int64", "rank_candidate": "Int64"})
        .reset_index(drop=True)
    )


def _effect(pool: Pool, measure: Measure, gain: float) -> Floats:
    """The most that a judgement of each result moves the query's difference. [n]"""
    judged = ~pool.unjudged
    known = np.append(pool.gain[judged], pool.elsewhere)
    name = measure.metric.name
    if name == "AP":
        pairs = pair_weights(pool, measure.cutoff)
        pairs = pairs + np.triu(pairs, 1).T
        with_relevant = np.diag(pairs) + pairs @ np.nan_to_num(pool.gain)
        alone = with_relevant - np.diag(pairs) * judged  # a judged one is no pair with itself
        possible = pairs * pool.unjudged
        np.fill_diagonal(possible, 0.0)
        rest = [np.minimum(possible, 0).sum(axis=1), np.maximum(possible, 0).sum(axis=1)]
        most = np.max([np.abs(alone + each) for each in rest], axis=0)
        return np.asarray(np.maximum(np.abs(alone), most) / max(float((known > 0).sum()), 1.0))
    if name in ("RR", "Success"):
        places = np.where(pool.places >= 0, pool.places + 1.0, np.inf)
        best = 1 / places
        return np.asarray(np.abs(best[1] - best[0]))
    weight = np.abs(weights(pool, measure)) * gain
    if name == "R":
        return weight / max(float((known > 0).sum()), 1.0)
    return weight / (_ideal(known, 1, gain, measure.cutoff) or 1.0) if name == "nDCG" else weight


def suspects(
    baseline: pd.DataFrame,
    candidate: pd.DataFrame,
    judgement: Judgement,
    copies: Mapping[str, str] | None = None,
    depth: int = 10,
) -> pd.DataFrame:
    """Labels that may be wrong, the likeliest first: columns query_id, item_id, rank_baseline,
    rank_candidate, reason and other (the near-duplicate).

    Not relevant, but in the first `depth` of both versions; and items that have another label than
    a near-duplicate. copies: each copy → the item that stands for it.
    """
    columns = ["query_id", "item_id", "rank_baseline", "rank_candidate", "reason", "other"]
    qrels = judgement.qrels.assign(relevant=judgement.grade >= judgement.relevant_from)
    qrels = qrels[["query_id", "item_id", "relevant"]].astype({"query_id": str, "item_id": str})
    found = qrels
    for run, name in ((baseline, "rank_baseline"), (candidate, "rank_candidate")):
        ranks = run[["query_id", "item_id", "rank"]].rename(columns={"rank": name})
        ranks = ranks.astype({"query_id": str, "item_id": str})
        found = found.merge(ranks, on=["query_id", "item_id"], how="left")
    found["lower"] = found[["rank_baseline", "rank_candidate"]].max(axis=1, skipna=False)
    high = found[~found["relevant"] & (found["lower"] <= depth)].assign(
        reason="both versions rank it high; its label says no", other=""
    )
    group = found["item_id"].map(lambda item: (copies or {}).get(item, item))
    found = found.assign(group=group)
    keys = ["query_id", "group"]
    shares = found.groupby(keys)["relevant"].transform("mean")
    split = found[(shares > 0) & (shares < 1)]
    # the label of fewer copies, or of none fewer the one that says no, is the likelier to be wrong
    odd = split[np.where(shares[split.index] > 0.5, ~split["relevant"], split["relevant"])]
    even = split[(shares[split.index] == 0.5) & ~split["relevant"]]
    odd = pd.concat([odd[shares[odd.index] != 0.5], even])
    others = split.groupby([*keys, "relevant"])["item_id"].first()
    odd = odd.assign(
        reason="a near-duplicate has another label",
        other=[
            others.get((query, each, not relevant), "")
            for query, each, relevant in zip(
                odd["query_id"], odd["group"], odd["relevant"], strict=True
            )
        ],
    )
    every = pd.concat([high, odd], ignore_index=True).sort_values(
        ["lower", "query_id", "item_id"], na_position="last", kind="stable"
    )
    every = every.drop_duplicates(["query_id", "item_id", "reason"])
    return (
        every[columns]
        .astype({"rank_baseline": "Int64", "rank_candidate": "Int64"})
        .reset_index(drop=True)
    )
