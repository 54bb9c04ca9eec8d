"""Hash codes: pairs are of type 1, 2 or 3, and gallery and queries share no item."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.class_labels import labelled, labelled_pairs
from dashboard.evaluation.protocols.protocol import (
    CEILING,
    NO_RELEVANT,
    RETRIEVED,
    TIES,
    Evidence,
    Protocol,
    asked,
    ids_of,
    judgement,
    keep_all,
    qrels_of,
)
from dashboard.tables import DataError, counted

BY_LABELS = "Types come from labels: the same ones make type 1, some in common type 2, none type 3."
GRADES = {1: 2, 2: 1, 3: 0}
TYPES = {grade: kind for kind, grade in GRADES.items()}


def judge(evidence: Evidence, groups: Sequence[str] | None = None) -> Judgement:
    """Type 1 has grade 2, type 2 grade 1, type 3 grade 0; both of the first are relevant.

    Types stand in a column `type` of the qrels; without it the grades are taken as they are. A pair
    that is not named is of type 3. Without qrels the labels of queries and items make the types.
    Raises DataError if an item is both query and gallery, or for a type or grade that is none of
    these.
    """
    qrels, notes = _pairs(evidence)
    _refuse_overlap(evidence, qrels)
    if "type" in qrels.columns:
        grade = pd.to_numeric(qrels["type"], errors="coerce").map(GRADES)
        _refuse_unknown(qrels, "type", grade.isna(), "1, 2 or 3")
        qrels = qrels.assign(grade=grade)
    known = qrels["grade"].isin(list(TYPES))
    _refuse_unknown(qrels, "grade", ~known, "2 (type 1), 1 (type 2) or 0 (type 3)")
    return judgement(
        qrels.assign(credit=(qrels["grade"] >= 1).astype(np.int8)),
        asked(evidence.queries, qrels["query_id"].unique()),
        nothing_relevant=NO_RELEVANT,
        notes=notes,
    )


def _pairs(evidence: Evidence) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The pairs of the qrels, or without qrels those that labels make; and notes on them."""
    if evidence.qrels is not None or not labelled(evidence.queries, evidence.items):
        return qrels_of(evidence, "hashing"), ()
    return labelled_pairs(evidence.queries, evidence.items), (BY_LABELS,)


def signs_in_a_sentence(versions: Sequence[str]) -> str:
    """The sentence on versions whose real-valued outputs are read by their signs; empty: none."""
    if not versions:
        return ""
    return (
        f"Real-valued outputs, whose signs are taken for hash codes: {', '.join(versions)}. "
        "A 0 counts as +1, or as −1 where nothing but 0 and 1 is stored."
    )


def types(
    judgement: Judgement, gallery: Collection[str], only: Collection[str] | None = None
) -> pd.DataFrame:
    """How many pairs of a query and a gallery item are of each type.

    gallery: the ids of its items. Columns type, grade, gain (2^grade - 1), pairs, and of a query
    mean, least, most; queries.
    """
    kept = set(judgement.query_ids) if only is None else set(only)
    chosen = [query for query in judgement.query_ids if query in kept]
    there = judgement.qrels["item_id"].isin(list(gallery)).to_numpy()
    places = judgement.asked.get_indexer(pd.Index(chosen, dtype="str"))
    counts = pd.DataFrame(index=chosen)
    for grade in (2, 1):
        mine = judgement.query[there & (judgement.grade == grade)]
        counts[grade] = np.bincount(mine, minlength=len(judgement.query_ids))[places]
    counts[0] = len(gallery) - counts[2] - counts[1]
    rows = [
        (kind, grade, 2**grade - 1, int(counts[grade].sum()), *_spread(counts[grade]))
        for kind, grade in GRADES.items()
    ]
    columns = ["type", "grade", "gain", "pairs", "mean", "least", "most"]
    return pd.DataFrame(rows, columns=columns).assign(queries=len(chosen))


def _spread(counts: pd.Series) -> tuple[float, int | None, int | None]:
    if counts.empty:
        return float("nan"), None, None
    return float(counts.mean()), int(counts.min()), int(counts.max())


def _refuse_unknown(qrels: pd.DataFrame, what: str, wrong: pd.Series, wanted: str) -> None:
    if wrong.any():
        row = qrels[wrong].iloc[0]
        value = f"{row[what]:g}" if isinstance(row[what], float) else row[what]
        found = f"{what} {value} for the query {row['query_id']!r} and the item {row['item_id']!r}"
        raise DataError("qrels", found, wanted, about=ids_of(qrels[wrong]))


def shared(evidence: Evidence, qrels: pd.DataFrame) -> list[str]:
    """The gallery items that are queries too: by id, or by the file of their picture."""
    if evidence.queries is None or evidence.items is None:
        return []
    # an item that is only searched with, and has no judgement, is no query of the protocol
    judged = qrels["query_id"].unique()  # once each: there may be millions of pairs
    asked_with = evidence.queries[evidence.queries["query_id"].isin(judged)]
    names = {
        name
        for column in ("query_id", "item_id", "image")
        for name in asked_with.get(column, pd.Series(dtype="str"))
        if name
    }
    items = evidence.items
    both = items["item_id"].isin(names)
    if "file" in items.columns:
        both |= items["file"].isin(names)
    return [str(item) for item in items.loc[both, "item_id"]]


def _asked_with(evidence: Evidence, item_id: str) -> tuple[str, ...]:
    """The first query that is an item, or asks with its file."""
    queries, items = evidence.queries, evidence.items
    if queries is None or items is None:
        return ()
    mine = items[items["item_id"] == item_id]
    names = {item_id, *mine.get("file", pd.Series(dtype="str"))}
    asks = queries[["query_id", *{"item_id", "image"} & set(queries.columns)]].isin(names)
    return tuple(queries.loc[asks.any(axis=1), "query_id"].head(1).astype("str"))


def _refuse_overlap(evidence: Evidence, qrels: pd.DataFrame) -> None:
    both = shared(evidence, qrels)
    if both:
        some = ", ".join(both[:3]) + (" …" if len(both) > 3 else "")
        raise DataError(
            "queries",
            f"{counted(len(both), 'item')} of the gallery among the queries ({some})",
            "a query set and a gallery without a common item",
            cure="Remove them from one of the two; an item would find itself.",
            about=_asked_with(evidence, both[0]),
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
    grade_in_words=lambda grade: f"type {3 - grade:g} (grade {grade:g})",
    definition="A pair of query and item is of type 1 (grade 2), 2 (grade 1) or 3 (grade 0): as "
    "written down, or by labels (the same ones; some in common; none). Types 1 and 2 "
    "are hits. Items stand by ascending Hamming distance of their codes; of real-valued "
    "outputs the signs are the codes. Queries and gallery share no item. A query "
    "without an item of type 1 or 2 is not scored.",
    formula="AP@p = Σ over hits in the first p of (hits up to its rank ÷ its rank) ÷ hits in the "
    "first p; nDCG@p = Σ (2^grade − 1) ÷ log2(rank + 1) over the first p, divided by that of the "
    "best order of the whole gallery; means over the queries.",
    blind=(
        "Codes of 16 bits have 17 distances, so most items are tied: between which bounds the "
        "value lies in other orders is shown with it.",
        "Precision within Hamming radius 2 counts a query that finds nothing so near as 0, as the "
        "literature does (Liu et al., CVPR 2012): long codes look bad there however well they "
        "rank.",
        RETRIEVED,
        CEILING,
        TIES,
    ),
)
