"""Hash codes: pairs are of type 1, 2 or 3, and gallery and queries share no item."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.protocol import (
    NO_RELEVANT,
    Evidence,
    Protocol,
    asked,
    judgement,
    keep_all,
    qrels_of,
)
from dashboard.tables import DataError

GRADES = {1: 2, 2: 1, 3: 0}


def judge(evidence: Evidence, groups: Sequence[str] | None = None) -> Judgement:
    """Type 1 has grade 2, type 2 grade 1, type 3 grade 0; both of the first are relevant.

    Types stand in a column `type` of the qrels; without it the grades are taken as they are.
    Raises DataError if an item is both query and gallery, or for a type that is not 1, 2 or 3.
    """
    qrels = qrels_of(evidence, "hashing")
    _refuse_overlap(evidence, qrels)
    if "type" in qrels.columns:
        grade = pd.to_numeric(qrels["type"], errors="coerce").map(GRADES)
        if grade.isna().any():
            found = qrels.loc[grade.isna(), "type"].iloc[0]
            raise DataError("qrels", f"type {found}", "1, 2 or 3")
        qrels = qrels.assign(grade=grade)
    return judgement(
        qrels.assign(credit=(qrels["grade"] >= 1).astype(float)),
        asked(evidence.queries, qrels["query_id"].unique()),
        nothing_relevant=NO_RELEVANT,
    )


def _refuse_overlap(evidence: Evidence, qrels: pd.DataFrame) -> None:
    if evidence.queries is None or evidence.items is None:
        return
    columns = [c for c in ("query_id", "item_id") if c in evidence.queries.columns]
    items = evidence.items["item_id"]
    # an item that is only searched with, and judged by nothing, is no query of the protocol
    measured = evidence.queries[evidence.queries["query_id"].isin(qrels["query_id"])]
    both = [i for c in columns for i in items[items.isin(measured[c])]]
    if both:
        raise DataError(
            "queries",
            f"{both[0]!r} and {len(both) - 1} more that are in the gallery too",
            "a query set and a gallery without a common item",
        )


HASHING = Protocol(
    name="hashing",
    title="Hash codes, graded by type",
    source="mAP@p and nDCG@p of hashing for image retrieval",
    metrics="AP(retrieved)@100 nDCG(exp)@100 P@100",
    shown_as={
        "AP(retrieved)": "AP@K (Σ hits ÷ k at each hit ÷ hits in the first K; its mean: mAP)",
        "nDCG(exp)": "nDCG@K (gain 2^grade − 1, log2; ideal: best of the whole gallery)",
    },
    nothing_relevant="null",
    judge=judge,
    keep=keep_all,
    complete=True,
)
