"""Images and sentences that belong together: any match in the first K counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics.registry import Measure
from dashboard.evaluation.protocols.alfa import own_items
from dashboard.evaluation.protocols.protocol import (
    NO_RELEVANT,
    TIES,
    Evidence,
    Protocol,
    asked,
    judgement,
    keep_all,
    qrels_of,
)
from dashboard.evaluation.rankings import Array, Floats
from dashboard.tables import between

IMAGE, TEXT = "image", "text"
OF_KIND = {"i2t_R": IMAGE, "t2i_R": TEXT}
BOTH_WAYS = {"Rsum": 1, "mR": 2}
"""Metrics of both directions, and how many directions the value is divided by."""
USUAL_TEXTS = 5
UNTOLD = (
    "Nothing says which queries are pictures and which are texts, so i2t_R, t2i_R, Rsum and mR "
    "have no value. For plain files add --queries text or --queries item, or measure the metrics"
    " of one direction only."
)
WHO = {IMAGE: "pictures", TEXT: "texts"}
BOTH = (
    "i2t_R is of pictures, t2i_R of texts. Rsum and mR stand with the pictures: what a picture "
    "finds of its texts, and with it what its texts find, so that their mean is that of the six."
)


def judge(evidence: Evidence, groups: Sequence[str] | None = None) -> Judgement:
    """The pairs that belong together have grade 1; every other result is a miss.

    A query with a text, or of an item that is a text, is a text query, any other a picture query.
    Notes tell a ratio of texts to pictures other than five to one, and a direction without queries.
    """
    qrels = qrels_of(evidence, "crossmodal")
    kinds = _kinds(evidence)
    made = judgement(
        qrels.assign(credit=(qrels["grade"] >= 1).astype(float)),
        asked(evidence.queries, qrels["query_id"].unique()),
        nothing_relevant=NO_RELEVANT,
        leave_out={} if evidence.queries is None else own_items(evidence.queries),
    )
    alone = _alone(evidence.items, made, kinds)
    made = replace(made, kinds=kinds)
    if len(made.query_ids) < 2 and kinds:
        return made  # the notes are about a collection's queries, not about a single typed one
    ways = _ways(set(kinds.values()))
    return replace(made, notes=(ways, *_unpaired(made), *_ratio(made, kinds), *alone))


def of_one_kind(judgement: Judgement, kind: str) -> Judgement:
    """The judgement of queries that are all pictures, or all texts, where no table says which."""
    notes = (_ways({kind}), *(note for note in judgement.notes if note != UNTOLD))
    return replace(judgement, kinds=dict.fromkeys(judgement.query_ids, kind), notes=notes)


def _ways(asking: set[str]) -> str:
    """The sentence on which queries the metrics of one direction and of both belong to."""
    if asking == {IMAGE, TEXT}:
        return BOTH
    if len(asking) != 1:
        return UNTOLD
    (kind,) = asking
    silent = next(metric for metric, of in OF_KIND.items() if of != kind)
    return (
        f"Only {WHO[kind]} are asked: {silent} has no value, and neither have Rsum and mR, which "
        "are of both directions."
    )


def _unpaired(made: Judgement) -> tuple[str, ...]:
    """The note on texts whose picture is no query, which leaves Rsum without a value."""
    kind = _kind(made)
    scored = made.relevant > 0
    if not (scored & (kind == IMAGE)).any():
        return ()
    texts = np.flatnonzero(scored & (kind == TEXT))
    picture = _picture_of(made, kind)[texts]
    without = texts[(picture < 0) | ~scored[picture]]
    if not len(without):
        return ()
    return (
        f"The picture of {len(without):,} of {len(texts):,} texts does not itself ask for texts, "
        f"such as that of {made.query_ids[without[0]]!r}: what these texts find stands with no "
        "picture, so that Rsum and mR of single queries, and with them their intervals, have no "
        "value. The six recalls can be added all the same.",
    )


def _kinds(evidence: Evidence) -> dict[str, str]:
    queries, items = evidence.queries, evidence.items
    if queries is None or "text" not in queries.columns:
        return {}
    is_text = queries["text"].fillna("").str.strip() != ""
    if items is not None and {"item_id", "kind"} <= set(items.columns):
        texts = items.loc[items["kind"].str.strip().str.lower() == TEXT, "item_id"]
        is_text |= queries.get("item_id", is_text).isin(texts)
    kinds = np.where(is_text, TEXT, IMAGE).tolist()
    return dict(zip(queries["query_id"], kinds, strict=True))


def _ratio(made: Judgement, kinds: dict[str, str]) -> tuple[str, ...]:
    """The note on how many texts the pictures have, where that is not five each."""
    counts = [
        int(count)
        for query, count in zip(made.query_ids, made.relevant, strict=True)
        if kinds.get(query) == IMAGE
    ]
    if not counts or set(counts) == {USUAL_TEXTS}:
        return ()
    each = between(min(counts), max(counts))
    return (
        f"The {len(counts):,} pictures have {each} texts each, not the source's {USUAL_TEXTS}: "
        "the more texts, the easier to find one of them.",
    )


def _alone(items: pd.DataFrame | None, made: Judgement, kinds: dict[str, str]) -> tuple[str, ...]:
    """The notes on texts without a picture and pictures without a text."""
    if items is None or "side" not in items.columns or not kinds:
        return ()
    relevant = made.qrels[made.qrels["grade"] >= made.relevant_from]
    asked_by = relevant["query_id"].astype("str").map(kinds)
    notes = []
    for kind, what, whose in ((IMAGE, "texts", "picture"), (TEXT, "pictures", "text")):
        found = set(relevant.loc[asked_by == kind, "item_id"].astype("str"))
        side = items[items["side"].isin(items.loc[items["item_id"].isin(found), "side"])]
        alone = side.loc[~side["item_id"].isin(found), "item_id"].tolist()
        if alone:
            some = ", ".join(alone[:3]) + (" …" if len(alone) > 3 else "")
            notes.append(
                f"{len(alone):,} of {len(side):,} {what} that can be found belong to no {whose} "
                f"that is asked ({some}): they are wrong for all."
            )
    return tuple(notes)


def finish(measure: Measure, values: Floats, judgement: Judgement) -> Floats:
    """Each direction's metric for its own queries only; Rsum and mR over both, with the pictures.

    A picture's Rsum is its own R@1 + R@5 + R@10 and, for each of its texts, pictures ÷ texts times
    the same: the mean over pictures is then the sum of the six means, whatever the ratio. It is
    null where no text is scored, or a scored text's picture is not. Without queries of a direction,
    neither that direction nor Rsum nor mR has a value; the same holds for all of them where no
    column tells pictures from texts.
    """
    kind = _kind(judgement)
    if measure.name in OF_KIND:
        return np.where(kind == OF_KIND[measure.name], values, np.nan)
    if measure.name not in BOTH_WAYS:
        return values
    texts = (kind == TEXT) & ~np.isnan(values)
    scored = (kind == IMAGE) & ~np.isnan(values)
    picture = _picture_of(judgement, kind)[texts]
    if not len(picture) or not ((picture >= 0) & scored[picture]).all():
        return np.full(len(values), np.nan)
    of_texts = np.bincount(picture, values[texts], minlength=len(values))
    total = (values + scored.sum() / len(picture) * of_texts) / BOTH_WAYS[measure.name]
    return np.where(scored, total, np.nan)


def _kind(judgement: Judgement) -> Array:
    """The kind of each query, in order; empty where it is unknown."""
    return np.array([judgement.kinds.get(query, "") for query in judgement.query_ids])


def _picture_of(judgement: Judgement, kind: np.ndarray) -> np.ndarray:
    """For each text the place of the query that is its picture; -1 where that is no query."""
    place = {
        judgement.leave_out[query]: number
        for number, query in enumerate(judgement.query_ids)
        if kind[number] == IMAGE and query in judgement.leave_out
    }
    found = np.full(len(kind), -1)
    relevant = judgement.grade >= judgement.relevant_from
    items = judgement.qrels["item_id"].astype("str").map(place).fillna(-1).to_numpy(dtype=int)
    rows = np.flatnonzero(relevant & (items >= 0) & (kind[judgement.query] == TEXT))[::-1]
    found[judgement.query[rows]] = items[rows]
    return found


CROSSMODAL = Protocol(
    name="crossmodal",
    title="Image–text matching, any match",
    source="VSE++ (Faghri et al., BMVC 2018): R@K on Flickr30k and COCO",
    metrics="i2t_R@1 i2t_R@5 i2t_R@10 t2i_R@1 t2i_R@5 t2i_R@10 Rsum mR",
    shown_as={
        "Success": "R@K, hit rate (any match in the first K)",
        "i2t_R": "Image to text R@K (any of its texts in the first K; elsewhere: Success@K)",
        "t2i_R": "Text to image R@K (its image in the first K)",
        "Rsum": "Rsum (the six recalls added: of 6, or of 600 in per cent as the source has it)",
        "mR": "mR (mean of the six recalls)",
    },
    nothing_relevant="null",
    judge=judge,
    keep=keep_all,
    finish=finish,
    complete=True,
    mutual=True,
    definition="A picture asks for its texts and a text for its picture. A query is answered when "
    "anything that belongs to it stands in the first K; of several texts the best placed counts. "
    "What is not said to belong together is wrong.",
    formula="R@K = queries that are answered ÷ queries, for pictures and for texts; Rsum = R@1 + "
    "R@5 + R@10, both ways, of 6 (or of 600 in per cent); mR = Rsum ÷ 6.",
    blind=(
        "One of five texts is as good as all five, and rank 11 as bad as the last.",
        "A text that fits another picture as well counts as wrong there.",
        "The larger the gallery, the lower the value: galleries of 1,000 and of 5,000 cannot be "
        "compared.",
        TIES,
    ),
)
