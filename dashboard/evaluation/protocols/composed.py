"""Composed queries, a picture and words about it: only annotated items are ranked."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from dashboard import ids
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.protocol import (
    CEILING,
    NO_RELEVANT,
    RECALL,
    TIES,
    Evidence,
    Protocol,
    asked,
    ids_of,
    judgement,
    keep_judged,
    qrels_of,
)
from dashboard.tables import DataError

FEEDBACK = re.compile(r"feedback_\d+")
FEEDBACKS = 3


def judge(evidence: Evidence, groups: Sequence[str] | None = None) -> Judgement:
    """The annotators' labels: 1 fulfils the query, 0 does not; all other items are left out.

    Raises DataError for a label that is neither, or of an item that the gallery does not have.
    """
    qrels = qrels_of(evidence, "composed")
    other = qrels[~qrels["grade"].isin([0, 1])]
    if len(other):
        found = f"label {other['grade'].iloc[0]:g} for item {other['item_id'].iloc[0]!r}"
        raise DataError("qrels", found, "1 (fulfils the query) or 0", about=ids_of(other))
    if evidence.items is not None:
        strange = qrels[~ids.among(qrels["item_id"], evidence.items["item_id"])]
        if len(strange):
            found = f"item {strange['item_id'].iloc[0]!r}"
            raise DataError("qrels", found, "an item of the gallery", about=ids_of(strange))
    return judgement(
        qrels.assign(credit=qrels["grade"]),
        asked(evidence.queries, qrels["query_id"].unique()),
        nothing_relevant=NO_RELEVANT,
        notes=_odd_queries(evidence.queries),
    )


def _odd_queries(queries: pd.DataFrame | None) -> tuple[str, ...]:
    """A note on queries that are not one picture with exactly three feedbacks, where the queries
    have such columns."""
    told = [] if queries is None else [str(c) for c in queries if FEEDBACK.fullmatch(str(c))]
    if queries is None or not told:
        return ()
    said = (queries[told].fillna("").map(lambda text: text.strip()) != "").sum(axis=1)
    shown = [column for column in ("image", "item_id") if column in queries]
    pictured = (queries[shown].fillna("") != "").any(axis=1)
    odd = ~pictured | (said != FEEDBACKS)
    if not odd.any():
        return ()
    first, has = queries.loc[odd, "query_id"].iloc[0], int(said[odd].iloc[0])
    picture = "a picture" if pictured[odd].iloc[0] else "no picture"
    return (
        f"{int(odd.sum()):,} of {len(queries):,} queries are not a picture with exactly "
        f"{FEEDBACKS} feedbacks, such as {first!r} with {picture} and {has}; they are scored.",
    )


COMPOSED = Protocol(
    name="composed",
    title="Composed queries, annotated items only",
    source="Fashion retrieval with language feedback: evaluation of the challenge",
    metrics="AP(annotated) P@5 R@5 nDCG@5",
    shown_as={
        "AP(annotated)": "AP (of the annotated items in their relative order ÷ fulfilled labels; "
        "its mean: mAP)",
    },
    nothing_relevant="null",
    judge=judge,
    keep=keep_judged,
    condensed=True,
    takes_features=True,
    definition="A query is a picture with three feedbacks on it; the same picture with other "
    "feedbacks is another query. About 50 items of the gallery are annotated for each: 1 fulfils "
    "it, 0 does not. Items are ranked by cosine; those that nobody annotated for the query are "
    "taken out, and the others close up. A query without a fulfilled label is not scored.",
    formula="AP = Σ over the fulfilled items of (fulfilled items up to its place ÷ its place) ÷ "
    "fulfilled labels, places counted among the annotated items; mAP is its mean over the queries.",
    blind=(
        "Items that nobody annotated cost nothing, wherever they stand: a version that ranks a "
        "thousand wrong pictures above the right one has the same AP. The whole ranking stands "
        "beside it on the Query screen.",
        "Only the order counts, not the cosine: a narrow lead is worth what a wide one is.",
        CEILING,
        RECALL,
        TIES,
    ),
)
