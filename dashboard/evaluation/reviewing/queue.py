"""What to judge next: unjudged results that can move a comparison, labels that may be wrong, and
pairs on which reviewers disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dashboard.evaluation.join import codes, of_items
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.rankings import Flags, Floats
from dashboard.evaluation.reviewing.bounds import LINEAR, Pool, _ideal, pair_weights, weights

PAIR = ["query_id", "item_id"]
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
    both = [_in_words(run[run["rank"] <= depth]) for run in (baseline, candidate)]
    high = both[0].merge(both[1], on=PAIR, suffixes=("_baseline", "_candidate"))
    high = high[_is_judged_a_miss(judgement, high)]
    high = high.assign(reason="both versions rank it high; its label says no", other="")
    odd = _contradicted(judgement, copies or {}).assign(reason="a near-duplicate has another label")
    for run, name in ((baseline, "rank_baseline"), (candidate, "rank_candidate")):
        ranks = _in_words(of_items(run, odd["item_id"].unique()))
        odd = odd.merge(ranks.rename(columns={"rank": name}), on=PAIR, how="left")
    every = pd.concat([high, odd.astype({name: "Int64" for name in columns[2:4]})])
    every["lower"] = every[columns[2:4]].max(axis=1, skipna=False)
    every = every.sort_values(["lower", *PAIR], na_position="last", kind="stable")
    return (
        every[columns]
        .astype({"rank_baseline": "Int64", "rank_candidate": "Int64"})
        .reset_index(drop=True)
    )


def _in_words(run: pd.DataFrame) -> pd.DataFrame:
    return run[[*PAIR, "rank"]].astype(dict.fromkeys(PAIR, "str"))


def _is_judged_a_miss(judgement: Judgement, pairs: pd.DataFrame) -> Flags:
    query, missed = codes(pairs["query_id"], judgement.asked), np.zeros(len(pairs), dtype=bool)
    of_it = np.flatnonzero(query >= 0)
    found, pair = judgement.judged(query[of_it], pairs["item_id"], of_it)
    missed[of_it[found]] = judgement.grades(pair) < judgement.relevant_from
    return missed


def _contradicted(judgement: Judgement, copies: Mapping[str, str]) -> pd.DataFrame:
    """The labels that near-duplicates contradict: query_id, item_id and other, the first of these.

    The label of fewer copies, or of none fewer the one that says no, is the likelier to be wrong.
    """
    firsts = sorted(set(copies.values()))
    members, index = [*firsts, *copies], judgement.item_ids
    groups = [*firsts, *copies.values()]
    number = pd.Index(firsts, dtype="str").get_indexer(pd.Index(groups, dtype="str"))
    place = index.get_indexer(pd.Index(members, dtype="str"))
    group_of = np.full(len(index) + 1, -1)  # the last place is of members that nobody judged
    group_of[place] = number
    group_of[-1] = -1
    found = []
    for query in judgement.query_ids if copies else ():
        labels = judgement.labels(query)
        rows = np.flatnonzero(group_of[labels.place] >= 0)
        group, hit = group_of[labels.place[rows]], labels.grade[rows] >= labels.relevant_from
        hits, judged = (np.bincount(group[some], minlength=len(firsts)) for some in (hit, hit >= 0))
        share = hits[group] / judged[group]
        for at in np.flatnonzero((share > 0) & (share < 1) & (hit == (share < 0.5))):
            other = rows[np.flatnonzero((group == group[at]) & (hit != hit[at]))[:1]]
            found.append((query, *labels.ids(rows[[at]]), *labels.ids(other)))
    return pd.DataFrame(found, columns=[*PAIR, "other"], dtype="str")
