"""Composed queries, a picture and words about it: only annotated items are ranked."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.blind import CEILING, RECALL, TIES
from dashboard.evaluation.protocols.protocol import (
    NO_RELEVANT,
    Evidence,
    Protocol,
    asked,
    judgement,
    keep_judged,
    qrels_of,
)
from dashboard.tables import DataError


def judge(evidence: Evidence, groups: Sequence[str] | None = None) -> Judgement:
    """The annotators' labels: 1 fulfils the query, 0 does not; all other items are left out.

    Raises DataError for a label that is neither, or of an item that the gallery does not have.
    """
    qrels = qrels_of(evidence, "composed")
    other = qrels[~qrels["grade"].isin([0, 1])]
    if len(other):
        found = f"label {other['grade'].iloc[0]:g} for item {other['item_id'].iloc[0]!r}"
        raise DataError("qrels", found, "1 (fulfils the query) or 0")
    if evidence.items is not None:
        strange = qrels.loc[~qrels["item_id"].isin(evidence.items["item_id"]), "item_id"]
        if len(strange):
            raise DataError("qrels", f"item {strange.iloc[0]!r}", "an item of the gallery")
    return judgement(
        qrels.assign(credit=qrels["grade"]),
        asked(evidence.queries, qrels["query_id"].unique()),
        nothing_relevant=NO_RELEVANT,
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
    definition="A query is a picture with three feedbacks on it; the same picture with other "
    "feedbacks is another query. About 50 items of the gallery are annotated for each: 1 fulfils "
    "it, 0 does not. Items are ranked by cosine; those that nobody annotated for the query are "
    "taken out, and the others close up. A query without a fulfilled label is not scored.",
    formula="AP = Σ over the fulfilled items of (fulfilled items up to its place ÷ its place) ÷ "
    "fulfilled labels, places counted among the annotated items; mAP is its mean over the queries.",
    blind=(
        "Whatever nobody annotated costs nothing, wherever it stands: a version that puts a "
        "thousand wrong pictures above the right one has the same AP. The whole ranking stands "
        "beside it on the Query screen.",
        "Only the order counts, not the cosine: a narrow lead is worth what a wide one is.",
        CEILING,
        RECALL,
        TIES,
    ),
)
