"""Images and sentences that belong together: any match in the first K counts."""

from __future__ import annotations

from collections.abc import Sequence

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


def judge(evidence: Evidence, groups: Sequence[str] | None = None) -> Judgement:
    """The pairs that belong together have grade 1; every other result is a miss."""
    qrels = qrels_of(evidence, "crossmodal")
    return judgement(
        qrels.assign(credit=(qrels["grade"] >= 1).astype(float)),
        asked(evidence.queries, qrels["query_id"].unique()),
        nothing_relevant=NO_RELEVANT,
    )


CROSSMODAL = Protocol(
    name="crossmodal",
    title="Image–text matching, any match",
    source="VSE++ (Faghri et al., BMVC 2018): R@K on Flickr30k and COCO",
    metrics="Success@1 Success@5 Success@10 RR",
    cutoffs=(1, 5, 10),
    shown_as={"Success": "R@K, hit rate (any match in the first K)"},
    nothing_relevant="null",
    judge=judge,
    keep=keep_all,
)
