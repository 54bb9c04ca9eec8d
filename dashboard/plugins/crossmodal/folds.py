"""Galleries of queries: the side that each searches, or the part of it in the query's fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dashboard.errors import DataError
from dashboard.evaluation.judgement import TableJudgement, find_relevant, judge_table
from dashboard.plugins.crossmodal.choices import FOLD, FOLDS
from dashboard.plugins.crossmodal.sides import Sides
from dashboard.storage.collection import Collection
from dashboard.tables import BoolArray, FloatArray, IntArray

OUTSIDE = "outside the test"


@dataclass(frozen=True, eq=False)
class MatchingJudgement(TableJudgement):
    """Pairs that belong together, and what each query searches.

    Attributes:
        galleries: Items that each query searches, -1 for those outside the collection; None: all.
        folds: Fold of each query, 0 for all in the test of the whole gallery, -1 for none.
    """

    galleries: Sequence[IntArray | None] = ()
    folds: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def judge(collection: Collection, choices: Mapping[str, Any]) -> MatchingJudgement:
    """Judge by the pairs that belong together; every other result is a miss.

    In a test of folds a picture is in the fold of its place among the picture queries, a text in
    that of its picture. A query in no fold is not scorable.

    Raises:
        DataError: If the test has folds and a text belongs to several pictures.
    """
    items, queries, own = collection.items, collection.queries, collection.own_items
    made = judge_table(queries, items, own, collection.qrels, needs_relevant=True)
    sides: Sides = collection.tables["crossmodal"]
    searched = sides.list_searched(collection)
    if choices["test"] not in FOLDS:
        galleries = [sides.members.get(side) for side in searched]
        folds = np.zeros(len(queries), dtype=np.int64)
        return MatchingJudgement(
            made.items, made.pairs, made.unscorable, galleries=galleries, folds=folds
        )
    is_text = sides.list_texts(collection)
    of_item, folds = _divide(collection, made, is_text, FOLDS[choices["test"]])
    keys = list(zip(folds.tolist(), searched, strict=True))
    parts = {
        (fold, side): members[of_item[members] == fold]
        for fold, side in set(keys)
        for members in [sides.members.get(side, np.arange(len(items)))]
    }
    reasons = dict(made.unscorable) | dict.fromkeys(np.flatnonzero(folds < 0).tolist(), OUTSIDE)
    return MatchingJudgement(
        made.items, made.pairs, reasons, galleries=[parts[key] for key in keys], folds=folds
    )


def _divide(
    collection: Collection, made: TableJudgement, is_text: BoolArray, number: int
) -> tuple[IntArray, IntArray]:
    """Return the fold of each item, with -1 for none at the end, and that of each query."""
    own = collection.own_items
    pictures = np.flatnonzero(~is_text & (own >= 0))[: number * FOLD]
    of_item, of_query = np.full(len(collection.items) + 1, -1), np.full(len(own), -1)
    of_query[pictures] = np.arange(len(pictures)) // FOLD
    of_item[own[pictures]] = of_query[pictures]
    for picture in pictures.tolist():
        texts = find_relevant(made, picture)
        taken = texts[of_item[texts] >= 0].tolist()
        _refuse_shared([collection.items.ids[text] for text in taken])
        of_item[texts] = of_query[picture]
    for text in np.flatnonzero(is_text).tolist():
        found = find_relevant(made, text)
        _refuse_shared([collection.queries.ids[text]] * len(found[1:]))
        of_query[text] = of_item[found[0]] if len(found) else -1
    return of_item, of_query


def _refuse_shared(texts: Sequence[str]) -> None:
    """Raise DataError if there is a text of several pictures."""
    if texts:
        found = f"the text {texts[0]!r} of several pictures"
        do = "Choose test = whole."
        raise DataError("qrels", found, "texts of one picture each, for tests of folds", do=do)


def weigh_folds(folds: IntArray, is_text: BoolArray, values: FloatArray) -> FloatArray:
    """Return values whose mean, for pictures and for texts, is the mean of the means of folds.

    Folds have the same weight, however many texts they have; with as many each, nothing changes.
    """
    weighed = values.copy()
    for side in (is_text, ~is_text):
        mine = side & ~np.isnan(values) & (folds >= 0)
        sizes = np.bincount(folds[mine])
        weighed[mine] *= mine.sum() / (np.count_nonzero(sizes) * sizes[folds[mine]])
    return weighed
