"""Types of pairs from judged pairs or from labels; outputs read by their signs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dashboard.next.errors import DataError, Finding, list_names
from dashboard.next.evaluation.judgement import (
    NO_RELEVANT,
    Judgement,
    JudgingRules,
    find_relevant,
    judge_table,
)
from dashboard.next.evaluation.labels import LabelJudgement, judge_labels, split_labels
from dashboard.next.storage.collection import Collection
from dashboard.next.storage.vectors import Vectors
from dashboard.next.storage.versions import Version

NAME = "hashing"
GRADES = (0.0, 1.0, 2.0)
"""Grades of type 3, 2 and 1."""
COLUMNS = ("labels", "label")


def read_types(collection: Collection, findings: list[Finding]) -> str | None:
    """Return "pairs" or "labels", by which the types of pairs are told; None without either.

    A collection whose settings name other protocols is not judged so.

    Raises:
        DataError: If the collection asks for the protocol and a grade is no type's, or an item is
            both query and gallery.
    """
    named = collection.settings.get("protocols", ())
    source = None if named and NAME not in named else _find_source(collection)
    problem = _find_problem(collection) if source else None
    if problem and named:
        raise problem
    return None if problem else source


def _find_source(collection: Collection) -> str | None:
    if collection.qrels is not None:
        return "pairs"
    tables = (collection.items, collection.queries)
    return "labels" if all(_find_column(table.columns) for table in tables) else None


def _find_column(columns: Mapping[str, Any]) -> str:
    return next((name for name in COLUMNS if any(columns.get(name, ()))), "")


def _find_problem(collection: Collection) -> DataError | None:
    if collection.qrels is not None:
        strange = ~np.isin(collection.qrels.values, GRADES)
        if strange.any():
            found = f"grade {collection.qrels.values[strange][0]:g}"
            return DataError("qrels", found, "2 (type 1), 1 (type 2) or 0 (type 3)")
    both = np.unique(collection.own_items[collection.own_items >= 0])
    if len(both):
        names = list_names(collection.items.ids[item] for item in both.tolist())
        found = f"{len(both):,} items of the gallery among the queries ({names})"
        do = "Remove them from one of the two; an item would find itself."
        wanted = "a query set and a gallery without a common item"
        return DataError("queries.csv", found, wanted, do=do)
    return None


def judge(collection: Collection, choices: Mapping[str, Any]) -> Judgement:
    """Judge by type: 1 has grade 2, 2 grade 1; a pair that is not named is of type 3."""
    if collection.tables[NAME] == "labels":
        return judge_by_labels(collection)
    items, queries, own = collection.items, collection.queries, collection.own_items
    made = judge_table(queries, items, own, collection.qrels)
    bare = {q: NO_RELEVANT for q in made.pairs if not len(find_relevant(made, q))}
    return replace(made, unscorable=dict(made.unscorable) | bare)


def judge_by_labels(collection: Collection) -> LabelJudgement:
    """Judge by labels: the same ones make type 1, some in common type 2."""
    tables = (collection.items, collection.queries)
    items, queries = split_labels(*(table[_find_column(table.columns)] for table in tables))
    return judge_labels(items, queries, collection.own_items)


def take_signs(version: Version) -> Version:
    """Return a version whose vectors are the signs of its own; results stay as they are.

    A 0 counts as +1, or as -1 where nothing but 0 and 1 is stored.
    """
    if version.items is None:
        return version
    stored = [each for each in (version.items, version.queries) if each is not None]
    is_binary = all(_is_binary(each) for each in stored)
    signed = [_sign(each, is_binary) for each in stored]
    return replace(version, items=signed[0], queries=signed[1] if len(signed) > 1 else None)


def _is_binary(vectors: Vectors) -> bool:
    """Return whether nothing but 0 and 1 is stored."""
    step = 1 << 16
    return all(
        np.isin(vectors.stored[start : start + step], (0, 1)).all()
        for start in range(0, len(vectors.stored), step)
    )


def _sign(vectors: Vectors, is_binary: bool) -> Vectors:
    count, bits = len(vectors.ids), vectors.dimension
    unit = vectors.scale(0, count)
    is_one = unit > 0 if is_binary else unit >= 0
    signs = np.where(is_one, np.int8(1), np.int8(-1))
    return Vectors(vectors.ids, signs, np.arange(count), np.full(count, np.sqrt(bits)))


HASHING = JudgingRules(
    name=NAME,
    title="Hash codes, graded by type",
    judge=judge,
    metrics="AP(retrieved)@50 nDCG(exp)@50 P@50",
    nothing_relevant="null",
    definition="A pair of query and item is of type 1 (grade 2), 2 (grade 1) or 3 (grade 0): as "
    "written down, or by labels (the same ones; some in common; none). Types 1 and 2 are hits. "
    "Items are ranked by ascending Hamming distance; of real-valued outputs the signs are the "
    "codes. Queries and gallery share no item. A query without an item of type 1 or 2 is not "
    "scored.",
    source="mAP@p and nDCG@p of hashing for image retrieval",
    blind="Codes of 16 bits have 17 distances, so most items are tied. AP(retrieved) rewards a "
    "list that is cut early.",
    queries="all",
    is_complete=True,
    transform=take_signs,
)
