"""Labels with the reviewers' corrections. What was given stays beside it; no file is changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dashboard.evaluation.join import codes
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.amended_judgement import AmendedJudgement
from dashboard.evaluation.protocols.keyword_judgement import KeywordJudgement
from dashboard.evaluation.rankings import Floats

RULE = (
    "A curator's decision counts, else what more than half of the reviewers say who are sure, each "
    "of them once; otherwise the label stays as it is."
)
COLUMNS = ["query_id", "item_id", "value", "reviewers", "by"]
LEFT_ALONE = ("crossmodal", "hashing", "context")
"""Protocols whose labels are no grades of single results, so that verdicts do not correct them."""
_PAIR = ["query_id", "item_id"]


def corrections(verdicts: pd.DataFrame, decisions: pd.DataFrame) -> pd.DataFrame:
    """What reviewers say of each pair by RULE: columns COLUMNS; pairs without a majority are left
    out. value: relevant, not, or a grade; by: majority or curator.

    verdicts, decisions: tables REVIEWS, oldest first; of several by one author the last counts, and
    of several curators the last decision. A decision of `unsure` leaves the label as it is.
    """
    last = verdicts.drop_duplicates([*_PAIR, "author"], keep="last")
    sure = last[~last["value"].isin(["unsure", ""])]
    counts = sure.groupby([*_PAIR, "value"]).size().rename("votes").reset_index()
    counts["reviewers"] = counts.groupby(_PAIR)["votes"].transform("sum")
    majority = counts[2 * counts["votes"] > counts["reviewers"]].assign(by="majority")
    decided = decisions.drop_duplicates(_PAIR, keep="last")
    decided = decided[decided["value"] != ""]
    decided = decided[[*_PAIR, "value"]].assign(reviewers=1, by="curator")
    every = pd.concat([majority[COLUMNS], decided[COLUMNS]], ignore_index=True)
    every = every.drop_duplicates(_PAIR, keep="last")
    every = every[every["value"] != "unsure"].sort_values(_PAIR)
    return every.astype({"reviewers": "int64"}).reset_index(drop=True)


def changes(judgement: Judgement, table: pd.DataFrame) -> pd.DataFrame:
    """The pairs whose label the corrections change: query_id, item_id, given (null: unjudged),
    corrected, reviewers and by.

    `relevant` makes an irrelevant or unjudged pair the least relevant grade, `not` a relevant or
    unjudged one 0; a label that already says so stays. Pairs of other queries are left out, and so
    are items that never count as results of their own query.
    """
    found = table[table["query_id"].isin(judgement.query_ids)].reset_index(drop=True)
    found["grade"] = _given(judgement, found)
    own = [judgement.leave_out.get(query) for query in found["query_id"]]
    found = found[found["item_id"] != pd.Series(own, index=found.index, dtype=object)]
    grade, least = found["grade"].astype("float64"), judgement.relevant_from
    new = pd.to_numeric(found["value"], errors="coerce").astype("float64")
    says_yes, says_no = found["value"] == "relevant", found["value"] == "not"
    new = new.mask(says_yes, grade.where(grade >= least, least))
    new = new.mask(says_no, grade.where(grade < least, 0.0))
    changed = found.assign(given=grade, corrected=new)
    changed = changed[(changed["given"] != changed["corrected"])]
    return changed[[*_PAIR, "given", "corrected", "reviewers", "by"]].reset_index(drop=True)


def _given(judgement: Judgement, table: pd.DataFrame) -> Floats:
    """The grade of each pair, NaN where it is not judged."""
    query, grades = codes(table["query_id"], judgement.asked), np.full(len(table), np.nan)
    found, pair = judgement.judged(query, table["item_id"].astype("str"), slice(None))
    grades[found] = judgement.grades(pair)
    return grades


def corrected(judgement: Judgement, table: pd.DataFrame) -> Judgement:
    """The judgement with the corrections in it.

    Credit of a changed pair is that of other pairs with its grade, else 1 if it is relevant; of one
    that is not, 0, whatever part of the credit other such pairs have. A query that had no relevant
    item and has one now is scored.
    """
    changed = changes(judgement, table)
    if changed.empty:
        return judgement
    credit = _credit_by_grade(judgement)
    new = changed[_PAIR].assign(
        grade=changed["corrected"].astype(np.float64),
        credit=[
            credit.get(grade, float(grade >= judgement.relevant_from))
            for grade in changed["corrected"].tolist()
        ],
    )
    scored = set(new.loc[new["grade"] >= judgement.relevant_from, "query_id"])
    reasons = {q: why for q, why in judgement.unscorable.items() if q not in scored}
    return _with_pairs(
        judgement,
        new,
        unscorable=reasons,
        notes=(
            *judgement.notes,
            f"Labels with corrections by reviewers: {len(changed):,} pairs. {RULE}",
        ),
    )


def _credit_by_grade(judgement: Judgement) -> Mapping[float, float]:
    """The credit of pairs with each grade; none of grade 0, where parts of credit may differ."""
    if isinstance(judgement, KeywordJudgement):
        return {1.0: 1.0, 0.0: 0.0}
    qrels = judgement.qrels
    given = dict(zip(qrels["grade"].tolist(), qrels["credit"].tolist(), strict=True))
    return given | {0.0: 0.0}


def _with_pairs(judgement: Judgement, pairs: pd.DataFrame, **others: Any) -> Judgement:
    """A judgement with pairs (query_id, item_id, grade, credit) in place of what they were.

    others: fields of `Judgement` that change.
    """
    if isinstance(judgement, KeywordJudgement | AmendedJudgement):
        return AmendedJudgement.of(judgement).with_pairs(pairs, **others)
    qrels, new = (each.astype(dict.fromkeys(_PAIR, "str")) for each in (judgement.qrels, pairs))
    replaced = pd.MultiIndex.from_frame(qrels[_PAIR]).isin(pd.MultiIndex.from_frame(new[_PAIR]))
    every = pd.concat([qrels[~replaced], new])
    return judgement.with_qrels(every.reset_index(drop=True), **others)
