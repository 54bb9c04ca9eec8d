"""What is searched for, and which items are relevant to it."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from dashboard.evaluation import duplicates
from dashboard.evaluation.diagnosis.case import Pair as Pair
from dashboard.evaluation.image_text.pairing import of_item
from dashboard.evaluation.protocols import Judgement, Protocol
from dashboard.evaluation.protocols.alfa import required_keywords as required_by
from dashboard.evaluation.protocols.class_labels import labelled, labelled_pairs
from dashboard.evaluation.protocols.protocol import qrels_of_queries
from dashboard.evaluation.reviewing.corrections import corrected
from dashboard.evaluation.reviewing.keyword_corrections import (
    ADD,
    corrected_keywords,
    corrected_mapping,
)
from dashboard.experiment.collection import collections
from dashboard.experiment.collection.near_duplicates import copies
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.memory import remembered
from dashboard.experiment.reviews.corrections import State, corrections_at
from dashboard.retrieval import keywords
from dashboard.retrieval.one_query import TYPED
from dashboard.retrieval.runs import queries_of
from dashboard.storage.collection.error_places import placing

HASHING = "hashing"


class Mapped(NamedTuple):
    """A keyword with the words that it was mapped from, and how similar they are."""

    group: str
    keyword: str
    ngram: str
    score: float


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a protocol judges from (tables of the collection; of its queries those in question)."""

    queries: pd.DataFrame
    items: pd.DataFrame
    keywords: pd.DataFrame
    query_keywords: pd.DataFrame
    qrels: pd.DataFrame | None


@remembered(64)
def queries(experiment: Experiment) -> pd.DataFrame:
    """The queries in question (table `queries`)."""
    if experiment.live:
        text, item = experiment.text, experiment.item
        return pd.DataFrame({"query_id": [TYPED], "text": [text], "item_id": [item]})
    return queries_of(experiment.collection, experiment.queries)


@remembered(64)
def _places_of_queries(experiment: Experiment) -> dict[str, int]:
    return {query: place for place, query in enumerate(queries(experiment)["query_id"])}


def is_query(experiment: Experiment, query_id: str) -> bool:
    """Whether a query is one of those in question."""
    return query_id in _places_of_queries(experiment)


@remembered(512)
def query_row(experiment: Experiment, query_id: str) -> dict[str, Any]:
    """The row of a query in the table of the queries. Raises KeyError where it is none of them."""
    row = queries(experiment).iloc[_places_of_queries(experiment)[query_id]]
    return {str(column): value for column, value in row.items()}


@remembered(64)
def query_keywords(experiment: Experiment) -> pd.DataFrame:
    """What the words of each text query map to: candidates with scores, `kept` marked."""
    collection, stored = experiment.collection, stored_query(experiment)
    candidates = collection.query_keywords
    if stored:
        candidates = candidates[candidates["query_id"] == stored].assign(query_id=TYPED)
    elif experiment.text:
        candidates = keywords.candidates({TYPED: experiment.text}, collection.vocabulary)
    if experiment.corrections is not None:
        table = _keyword_changes(collection, experiment.corrections, "mapping")
        candidates = corrected_mapping(candidates, table)
    return keywords.keep(candidates, experiment.mapping_threshold)


def _keyword_changes(
    collection: collections.Collection, corrections: State, kind: str
) -> pd.DataFrame:
    from dashboard.experiment.reviews.keyword_changes import keyword_changes  # with the store

    return keyword_changes(collection, corrections)[kind]


def evidence(experiment: Experiment) -> Evidence:
    """What a protocol judges from. Raises DataError where a file of labels could not be used."""
    collection = experiment.collection
    collection.check_evidence()
    of_items = collection.keywords
    if experiment.corrections is not None:
        table = _keyword_changes(collection, experiment.corrections, "keyword")
        of_items = corrected_keywords(of_items, table)
    return Evidence(
        queries=queries(experiment),
        items=collection.items,
        keywords=of_items,
        query_keywords=query_keywords(experiment),
        qrels=_judgements(experiment, collection.qrels),
    )


def _judgements(experiment: Experiment, qrels: pd.DataFrame | None) -> pd.DataFrame | None:
    """The judgements; of a live search those of the stored query with the same text or item.

    A picture is never a stored query, whatever text stands beside it.
    """
    if not experiment.live:
        return qrels_of_queries(qrels, queries(experiment))
    stored = experiment.collection
    if qrels is None and experiment.protocol == HASHING and labelled(stored.queries, stored.items):
        qrels = labelled_pairs(stored.queries, stored.items)
    if qrels is None:
        return None
    if experiment.picture:
        return qrels.iloc[:0]
    if experiment.item:
        known = queries(replace(experiment, queries="item", item=""))
        mine = of_item(qrels, known, experiment.item, experiment.rules)
        return mine.assign(query_id=TYPED)
    return qrels[qrels["query_id"] == stored_query(experiment)].assign(query_id=TYPED)


@remembered(64)
def judgement(experiment: Experiment) -> Judgement:
    """Which items are relevant to which query, by the protocol's rules and the chosen groups."""
    with placing(experiment.collection.folder):
        judged = experiment.rules.judge(evidence(experiment), experiment.groups)
    if experiment.corrections is None:
        return judged
    return corrected(judged, corrections_at(experiment.corrections))


def keywords_of(
    experiment: Experiment, item_ids: Sequence[str]
) -> dict[str, list[tuple[str, str]]]:
    """The keywords of each item that has some, each with its group, with corrections where they
    count."""
    collection, state = experiment.collection, experiment.corrections
    by_item = collections.keywords_of(collection, item_ids)
    if state is None:
        return by_item
    table = _keyword_changes(collection, state, "keyword")
    table = table[table["id"].isin(item_ids)]
    changes = table[["id", "group", "keyword", "value"]].itertuples(index=False, name=None)
    for item, group, keyword, value in changes:
        others = [pair for pair in by_item.get(item, []) if pair != (group, keyword)]
        by_item[item] = [*others, (group, keyword)] if value == ADD else others
    return by_item


@remembered(64)
def required_keywords(experiment: Experiment) -> pd.DataFrame:
    """The keywords that each query asks for, of every group: query_id, group, keyword."""
    return required_by(evidence(experiment))


@remembered(16)
def _required_by_query(experiment: Experiment) -> dict[str, list[Pair]]:
    table, by_query = required_keywords(experiment), dict[str, list[Pair]]()
    columns = (table[name].tolist() for name in ("query_id", "group", "keyword"))
    for query, group, keyword in zip(*columns, strict=True):
        by_query.setdefault(str(query), []).append((group, keyword))
    return by_query


def all_required_of(experiment: Experiment, query_id: str) -> list[Pair]:
    """The keywords that a query asks for, of every group, each with its group."""
    return _required_by_query(experiment).get(query_id, [])


def required_of(experiment: Experiment, query_id: str) -> list[Pair]:
    """The keywords that a query asks for and that count, each with its group."""
    every = all_required_of(experiment, query_id)
    return [pair for pair in every if pair[0] in experiment.groups]


@remembered(16)
def _kept_by_query(experiment: Experiment) -> dict[str, list[Mapped]]:
    table, by_query = query_keywords(experiment), dict[str, list[Mapped]]()
    table = table[table["kept"]]
    columns = (table[name].tolist() for name in ("query_id", *Mapped._fields))
    for query, *mapped in zip(*columns, strict=True):
        by_query.setdefault(str(query), []).append(Mapped(*mapped))
    return by_query


def mapped_of(experiment: Experiment, query_id: str) -> list[Mapped]:
    """What the words of a query were mapped to, of every group: the candidates that are kept."""
    return _kept_by_query(experiment).get(query_id, [])


@remembered(64)
def counted_judgement(experiment: Experiment) -> Judgement:
    """The judgement as metrics see it: where copies are left out, several count as one."""
    left_out, judged = copies_left_out(experiment), judgement(experiment)
    return duplicates.judged_as_one(judged, left_out) if left_out else judged


def is_mapped(experiment: Experiment, query_id: str) -> bool:
    """Whether words of a query can mean keywords: a stored one with a text."""
    if experiment.live or experiment.collection.vocabulary.empty:
        return False
    return bool(query_row(experiment, query_id)["text"])


DIGITS = 10
"""Grades that keys of one digit can give."""


@remembered(64)
def grades(experiment: Experiment) -> tuple[int, ...]:
    """The grades that a reviewer can give, from 0 on, where judgements have more than two grades;
    none where they have no whole grades or more than DIGITS."""
    given = judgement(experiment).grade_values
    highest = given.max(initial=0)
    whole = bool((given == given.round()).all())
    return tuple(range(int(highest) + 1)) if whole and 2 <= highest < DIGITS else ()


def copies_left_out(experiment: Experiment) -> dict[str, str]:
    """Each copy that an experiment leaves out → the item that stands for it; none where it counts
    them. Raises DataError for a gallery that is too large to compare each item with each."""
    if not experiment.leaves_copies_out:
        return {}
    return copies(experiment.folder, experiment.digest)


def is_hit(
    rules: Protocol,
    item_id: str,
    relevant: Container[str],
    judged: Collection[str],
    outside: Container[str],
) -> bool | None:
    """Whether a result of one query is relevant; None where nobody judged it.

    relevant, judged: the query's items. outside: results that are no item of the collection; they
    count as not relevant wherever they count at all.
    """
    if item_id in outside and item_id not in judged:
        return None if rules.condensed else False
    has_grade = item_id in judged or (rules.complete and len(judged) > 0)
    return item_id in relevant if has_grade else None


def needs_text_model(experiment: Experiment) -> bool:
    """Whether a typed text has to be encoded: it is not that of a stored query."""
    return bool(experiment.text) and not stored_query(experiment)


def stored_query(experiment: Experiment) -> str:
    """The id of the stored query with exactly this text, if there is one."""
    known = experiment.collection.queries
    same = known.loc[known["text"] == experiment.text, "query_id"]
    return str(same.iloc[0]) if experiment.text and len(same) else ""
