"""Image search in context: relevance from 0 to 100, invalid answers left out."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics.context import DISCOUNTS
from dashboard.evaluation.protocols import alfa
from dashboard.evaluation.protocols.protocol import (
    NO_RELEVANT,
    TIES,
    Evidence,
    Protocol,
    asked,
    ids_of,
    judgement,
    keep_judged,
)
from dashboard.tables import QRELS, DataError

OF_SOURCE = [discount for discount in DISCOUNTS.values() if discount.original]
"""The discounts that the source has with both gains."""
SCALE = 100.0
HALF = 50.0  # the sources give no threshold: half of the scale counts as a hit
MOST_INVALID = 0.9
INVALID = "over 90 % invalid relevance"
THRESHOLD = "Where hits are shown, a relevance of 50 or more is one; the source has no threshold."


def judge(evidence: Evidence, groups: Sequence[str] | None = None) -> Judgement:
    """Credit is grade ÷ 100; a grade of at least 50 is a hit; invalid answers (-1, -2) are dropped.

    Queries with more than 90 % invalid answers are not scorable. A collection without qrels but
    with keywords is graded by the share of required keywords, times 100, and a note says so.
    Without either nothing is judged.
    """
    if evidence.qrels is None or evidence.qrels.empty:
        annotated = evidence.keywords is not None and not evidence.keywords.empty
        return _from_keywords(evidence, groups) if annotated else _nothing(evidence.queries)
    above = evidence.qrels[evidence.qrels["grade"] > SCALE]
    if len(above):
        found = f"grade {above['grade'].iloc[0]:g} of query {above['query_id'].iloc[0]!r}"
        wanted = "a relevance from 0 to 100, or -1 or -2 for invalid"
        raise DataError("qrels", found, wanted, about=ids_of(above))
    kept, removed = clean(evidence.qrels)
    invalid = int((evidence.qrels["grade"] < 0).sum())
    return judgement(
        kept.assign(credit=kept["grade"] / SCALE),
        asked(evidence.queries, evidence.qrels["query_id"].unique()),
        relevant_from=HALF,
        unscorable=dict.fromkeys(removed, INVALID),
        notes=(
            f"{invalid:,} of {len(evidence.qrels):,} query–picture pairs have no valid relevance "
            f"and are left out; {len(removed):,} queries with more than 90 % of such pairs are "
            "not scored.",
            THRESHOLD,
        ),
    )


def clean(
    qrels: pd.DataFrame, most_invalid: float = MOST_INVALID
) -> tuple[pd.DataFrame, list[str]]:
    """The valid rows of the queries that can be scored, and the queries that cannot, in order.

    A query goes if more than `most_invalid` of its grades are below 0.
    """
    share = invalid_share(qrels)
    removed = share.index[share > most_invalid].tolist()
    kept = (qrels["grade"] >= 0) & ~qrels["query_id"].isin(removed)
    return qrels[kept], removed


def invalid_share(qrels: pd.DataFrame) -> pd.Series:
    """The share of invalid grades (below 0) of each query, in order of appearance."""
    invalid = qrels["grade"] < 0
    return invalid.groupby(qrels["query_id"], sort=False, observed=True).mean()


def _from_keywords(evidence: Evidence, groups: Sequence[str] | None) -> Judgement:
    made = alfa.judge(evidence, groups)
    return made.graded(
        SCALE,
        relevant_from=HALF,
        unscorable={q: r for q, r in made.unscorable.items() if r != NO_RELEVANT},
        notes=(
            "Relevance is the share of required keywords that an item has, times 100.",
            THRESHOLD,
        ),
    )


def _nothing(queries: pd.DataFrame | None) -> Judgement:
    """An empty judgement with a note, which for a single query names its kind."""
    what = "these queries"
    if queries is not None and len(queries) == 1:
        what = "this text" if str(queries["text"].iloc[0]) else "this picture"
    note = f"Nothing is judged for {what}: no relevance is known, and no keywords."
    return judgement(
        QRELS.empty().assign(credit=0.0),
        asked(queries, ()),
        relevant_from=HALF,
        notes=(note,),
    )


def keep(run: pd.DataFrame, judgement: Judgement) -> pd.DataFrame:
    """The results that have a valid relevance (a condensed list): the others close up."""
    return keep_judged(alfa.keep(run, judgement), judgement)


CONTEXT = Protocol(
    name="context",
    title="Image search in context",
    source="Shao et al., Towards Context-Aware Evaluation for Image Search, SIGIR 2019",
    # people see some rows, never all of a ranking: 50 pictures are 10 rows of five
    metrics=" ".join(
        [f"{each.metric}@50" for each in OF_SOURCE] + [f"{each.original}@50" for each in OF_SOURCE]
    ),
    shown_as={
        "RBP(0.95,per=image)": "RBP, original gain (0.05 Σ r · 0.95^(k−1) ÷ K)",
        "DCG(credit,per=image)": "DCG, original gain (Σ r ÷ log2(k + 1) ÷ K)",
        "CG(per=image)": "CG, original gain (Σ r ÷ K)",
        "AVG": "AVG, original gain (mean r)",
        "ERR": "ERR, original gain (Σ r/k Π(1 − r before))",
        "MAX": "MAX, original gain (largest r)",
    }
    | {each.title: each.label for each in DISCOUNTS.values()},
    nothing_relevant="formula",
    judge=judge,
    keep=keep,
    condensed=True,
    in_rows=True,
    grade_in_words=lambda grade: f"relevance {grade:.4g} of 100",
    definition="Each result has a relevance from 0 to 100, the mean of what people said of it; "
    "invalid answers are left out, and so are queries where more than 90 % of them are. Its credit "
    "r is relevance ÷ 100; where hits are shown, 50 or more is one, a threshold that the source "
    "does not have. What a result is worth depends on those seen before it.",
    formula="r′(k) = r(k)² ÷ largest r up to k; g(k) = mean of r′ over the last w results; "
    "CAG = Σ g(k) · d(k), with the discount d of RBP, DCG, CG, AVG, ERR or the maximum.",
    blind=(
        "It is a model of how people feel: only satisfaction that people report can show whether"
        " it is a better one than the plain gain.",
        "Two pictures that are the same count twice: each is judged alone, whatever it repeats.",
        "The value depends on w and on the depth; only values of equal ones can be compared.",
        TIES,
    ),
)
