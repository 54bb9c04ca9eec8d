"""Plain qrels and runs, by trec_eval's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.protocol import (
    CEILING,
    RECALL,
    Evidence,
    Protocol,
    asked,
    ids_of,
    judgement,
    keep_all,
    qrels_of,
)
from dashboard.tables import DataError


def judge(
    evidence: Evidence,
    groups: Sequence[str] | None = None,
    *,
    scale: float | None = None,
    level: float = 1.0,
) -> Judgement:
    """The qrels as they are: a grade of at least `level` is relevant, an unjudged result is not.

    Credit is 1 for a relevant item, or grade ÷ scale in [0, 1] where the grades' scale is given.
    A query without relevant items counts 0; one without qrels, if the queries name it, is null.
    """
    qrels = qrels_of(evidence, "trec")
    grade = qrels["grade"].to_numpy()
    credit = (grade >= level).astype(np.float64)
    if scale is not None:
        above = qrels[grade > scale]
        if len(above):
            found = f"grade {above['grade'].iloc[0]:g} of query {above['query_id'].iloc[0]!r}"
            wanted = f"grades up to the scale, {scale:g}"
            raise DataError("qrels", found, wanted, about=ids_of(above))
        credit = np.clip(grade / scale, 0, 1)
    return judgement(
        qrels.assign(credit=credit),
        asked(evidence.queries, qrels["query_id"].unique()),
        relevant_from=level,
    )


def with_options(scale: float | None, level: float | None) -> Protocol:
    """The protocol with a scale of its grades, and the least grade that is relevant.

    None: as it is without. Both are above 0.
    """
    least = 1.0 if level is None else level
    definition = TREC.definition.replace("at least 1 ", f"at least {least:g} ")
    return replace(TREC, judge=partial(judge, scale=scale, level=least), definition=definition)


TREC = Protocol(
    name="trec",
    title="TREC, plain qrels",
    source="trec_eval (NIST), with -c: every judged query counts",
    metrics="P@5 P@10 R@10 AP nDCG@10 RR Success@5",
    shown_as={
        "P": "P_K (hits ÷ K)",
        "R": "recall_K (hits ÷ relevant)",
        "Success": "success_K (at least one hit in the first K)",
        "AP": "map (Σ hits ÷ k at each hit ÷ relevant)",
        "nDCG": "ndcg_cut_K (linear gain, log2; ideal: all judged items)",
        "RR": "recip_rank (1 ÷ rank of the first hit)",
        "IPrec": "iprec_at_recall (best precision from that recall on)",
        "Rprec": "Rprec (hits in the first R ÷ R)",
    },
    nothing_relevant="zero",
    judge=judge,
    keep=keep_all,
    ties="trec",
    definition="A result whose grade is at least 1 is relevant; one without a grade counts as not "
    "relevant. Every judged query counts: one without a relevant item, or without results, as 0. "
    "Equal scores stand as trec_eval puts them, the last id first.",
    formula="P_K = hits in the first K ÷ K; recall_K = hits in the first K ÷ relevant items; map = "
    "mean of Σ over hits of (hits up to its rank ÷ its rank) ÷ relevant items; ndcg_cut_K = "
    "Σ grade ÷ log2(rank + 1), divided by that of the best order.",
    blind=(
        "An item that nobody judged counts as wrong: a version that finds items which the judged"
        " versions missed looks worse than it is. Judged@K says how much of a list was judged.",
        CEILING,
        RECALL,
        "Equal scores stand by their ids. A collapsed model, to which all items are alike, gets "
        "the value of that order, which says nothing about it.",
    ),
)
