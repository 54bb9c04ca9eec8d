"""Relevance of what belongs together; recalls of one direction, and of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dashboard.next.evaluation.judgement import (
    Judgement,
    JudgingRules,
    TableJudgement,
    find_relevant,
    judge_table,
)
from dashboard.next.evaluation.metrics import Measure
from dashboard.next.plugins.crossmodal.sides import Sides
from dashboard.next.storage.collection import Collection
from dashboard.next.study.study import Study
from dashboard.next.tables import BoolArray, FloatArray, IntArray

IS_TEXT = {"i2t_R": False, "t2i_R": True}
"""Whether the queries of a metric of one direction are texts."""
DIVISORS = {"Rsum": 1, "mR": 2}
"""Metrics of both directions, and what the sum of the directions is divided by."""


def judge(collection: Collection, choices: Mapping[str, Any]) -> TableJudgement:
    """Judge by the pairs that belong together; every other result is a miss."""
    items, queries, own = collection.items, collection.queries, collection.own_items
    return judge_table(queries, items, own, collection.qrels, needs_relevant=True)


def list_side(collection: Collection, judgement: Judgement, query: int) -> IntArray | None:
    """Return the items of the side that a query searches; None for all."""
    sides: Sides = collection.tables["crossmodal"]
    return sides.members.get(sides.find_searched(collection, query))


def finish(study: Study, measure: Measure, values: FloatArray) -> FloatArray:
    """Keep the queries of a metric's direction; add both directions of Rsum and mR.

    The value of a picture is its own and, for each of its texts, pictures ÷ texts times theirs: the
    mean over pictures is then the sum of the six means. Null for all pictures where the picture of
    any scored text has no value.
    """
    is_text = _list_texts(study)
    if measure.name in IS_TEXT:
        return np.where(is_text == IS_TEXT[measure.name], values, np.nan)
    if measure.name not in DIVISORS:
        return values
    texts, scored = is_text & ~np.isnan(values), ~is_text & ~np.isnan(values)
    picture = _find_pictures(study)[texts]
    if not len(picture) or not ((picture >= 0) & scored[picture]).all():
        return np.full(len(values), np.nan)
    from_texts = np.bincount(picture, values[texts], minlength=len(values))
    total = (values + scored.sum() / len(picture) * from_texts) / DIVISORS[measure.name]
    return np.where(scored, total, np.nan)


def _list_texts(study: Study) -> BoolArray:
    """Return True for each query in question that is a text."""
    sides: Sides = study.collection.tables["crossmodal"]
    return np.asarray(sides.list_texts(study.collection)[study.queries])


def _find_pictures(study: Study) -> IntArray:
    """Return the place of each text's picture among the queries, -1 for none."""
    queries, own, is_text = study.queries.tolist(), study.collection.own_items, _list_texts(study)
    pictures = ((at, int(own[q])) for at, q in enumerate(queries) if not is_text[at])
    place = {item: at for at, item in pictures if item >= 0}
    found = np.full(len(queries), -1)
    for at, query in enumerate(queries):
        if is_text[at]:
            relevant = find_relevant(study.judgement, query).tolist()
            found[at] = next((place[item] for item in relevant if item in place), -1)
    return found


CROSSMODAL = JudgingRules(
    name="crossmodal",
    title="Image-text matching, any match",
    judge=judge,
    metrics="i2t_R@1 i2t_R@5 i2t_R@10 t2i_R@1 t2i_R@5 t2i_R@10 Rsum mR",
    nothing_relevant="null",
    definition="A picture asks for its texts and a text for its picture. A query is answered when "
    "anything that belongs to it is in the first K. What is not said to belong together is wrong. "
    "Rsum and mR of a picture include what its texts find, so that their mean is that of the six.",
    source="VSE++ (Faghri et al., BMVC 2018): R@K on Flickr30k and COCO",
    blind="One of five texts is as good as all five, and rank 11 as bad as the last. A text that "
    "fits another picture as well counts as wrong there. Galleries of different size cannot be "
    "compared.",
    queries="all",
    is_complete=True,
    candidates=list_side,
    finish=finish,
)
