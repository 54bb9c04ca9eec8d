"""Judgements (grades of the items for one query, by judged pairs or labels), and protocols."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dashboard.errors import Finding, Findings, count_odd, list_names
from dashboard.tables import BoolArray, FloatArray, IntArray, Names, Reasons, Table, Ties, find_rows
from dashboard.texts import split_cells

if TYPE_CHECKING:
    from dashboard.evaluation.slicing import Slices
    from dashboard.storage.collection import Collection
    from dashboard.storage.runs import Pairs

Graded = tuple[IntArray, FloatArray]
"""Items, and the grade of each."""
NOT_JUDGED = "no judged item"
NO_RELEVANT = "no relevant item"


@dataclass(frozen=True, eq=False, kw_only=True)
class Judgement:
    """Grades of items. Queries and items are positions in the collection's tables.

    Attributes:
        relevant_from: Least grade of a relevant item.
        unscorable: Why a query has no value, whatever a version finds.
    """

    relevant_from: float = 1.0
    unscorable: Reasons

    def grades(self, query: int) -> FloatArray:
        """Return the grade of every item for a query, NaN for one that is not judged. [items]."""
        raise NotImplementedError

    def credits(self, query: int) -> FloatArray:
        """Return the partial relevance of every item in [0, 1], 0 for one not judged. [items].

        It is 1 for every relevant item where the judgement knows no part of relevance.
        """
        return (self.grades(query) >= self.relevant_from).astype(float)


@dataclass(frozen=True, eq=False)
class TableJudgement(Judgement):
    """Judged pairs of a file.

    Attributes:
        items: Number of items of the collection.
        pairs: Items, in their order, and grades of each judged query.
    """

    items: int
    pairs: Mapping[int, Graded]

    def grades(self, query: int) -> FloatArray:
        found = np.full(self.items, np.nan)
        items, grades = self.pairs.get(query, NO_PAIRS)
        found[items] = grades
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgingRules:
    """A protocol: what is relevant, what is ranked, and what the values are.

    Attributes:
        judge: `(collection, choices) -> Judgement`.
        metrics: Metrics that are shown first.
        metrics_of_one: Those where no query has more than one relevant item; "": the same.
        nothing_relevant: Value of a query without any relevant item; "zero" as trec_eval prints,
            "formula" what the formula gives.
        ties: Order of equal scores.
        queries: Kind of queries that it usually measures; "": text queries where there are any.
        candidates: `(collection, judgement, query) -> items` that may be results of a query, -1
            for those outside the collection; None where all may.
        transform: `version -> version`, whose vectors are searched.
        finish: `(study, measure, values) -> values` of metrics that depend on other queries.
        folds: `study -> folds` of the queries in question; a median is the mean of those of the
            folds, or None.
        measure: `(study, version, measure) -> values` of a metric that needs more than labelled
            results, NaN for null; None for any other metric.
        slice_queries: `study -> dict` of further slices: name -> whether each query of the study
            belongs to it.
        asks: `(study, measure) -> whether` each query of the study can have a value of a metric.
        list_parts: `(judgement, query) -> dict` of what makes an item relevant together: name ->
            whether each item has it.
        map_text: `(collection, query_id, text) -> tables`, those of the protocol with what a typed
            text asks for; None: a typed text is not judged.
        is_complete: Whether an item without a grade is known not to be relevant.
        headline: `(study, measures) -> name` of the metric that charts show first, with its cutoff
            or for the deepest; "": the first.
        doubt: `(study, metrics) -> text`, why no version can be better than another, in some or all
            of these metrics; "" if one can.
        instead_of: Name of a protocol whose place this one takes.
        definition: What is relevant, and which queries are not scored.
        blind: What its metrics do not show.
        names: What its source calls the metrics, for collections whose settings name it.
    """

    name: str
    title: str
    judge: Callable[..., Judgement]
    metrics: str
    nothing_relevant: Literal["null", "zero", "formula"]
    ties: Ties = "gallery"
    definition: str
    source: str
    blind: str = ""
    names: str = ""
    metrics_of_one: str = ""
    queries: str = ""
    candidates: Callable[..., IntArray | None] = lambda collection, judgement, query: None
    transform: Callable[..., Any] = lambda version: version
    finish: Callable[..., FloatArray] | None = None
    folds: Callable[..., IntArray | None] = lambda study: None
    measure: Callable[..., FloatArray | None] = lambda study, version, measure: None
    slice_queries: Callable[..., Slices] = lambda study: {}
    asks: Callable[..., BoolArray] = lambda study, measure: np.ones_like(study.queries, bool)
    list_parts: Callable[..., dict[str, BoolArray]] = lambda judgement, query: {}
    map_text: Callable[..., Any] | None = None
    is_complete: bool = False
    headline: Callable[..., str] = lambda study, measures: ""
    doubt: Callable[..., str] = lambda study, metrics: ""
    instead_of: str = ""


def list_judged(judgement: Judgement, query: int) -> Graded:
    """Return the judged items of a query, in the order of the items, and their grades."""
    if isinstance(judgement, TableJudgement):
        return judgement.pairs.get(query, NO_PAIRS)
    grades = judgement.grades(query)
    items = np.flatnonzero(~np.isnan(grades))
    return items, grades[items]


NO_PAIRS = (np.empty(0, int), np.empty(0))


def list_candidates(collection: Collection, judgement: Judgement, query: int) -> IntArray | None:
    """Return the judged items of a query, for rules that rank these alone; None: all, of none."""
    items, _ = list_judged(judgement, query)
    return items if len(items) else None


def judge_table(collection: Collection, qrels: Pairs | None = None) -> TableJudgement:
    """Return the judgement of a table of judged pairs.

    Pairs of unknown queries do not count, nor does the item that a query is about, which is no
    result.

    Args:
        collection: Whose queries and items they are.
        qrels: Judged pairs; None: those of the collection, which are there.
    """
    qrels = qrels or collection.qrels
    assert qrels
    queries, items, own = collection.queries, collection.items, collection.own_items
    query, item = queries.find(qrels.queries)[qrels.query], items.find(qrels.items)[qrels.item]
    known = np.flatnonzero((query >= 0) & (item >= 0) & (np.append(own, -1)[query] != item))
    known = known[np.argsort(query[known] * len(items) + item[known])]
    query, item, grade = query[known], item[known], qrels.values[known]
    pairs = {
        each: (item[rows], grade[rows])
        for each, rows in enumerate(find_rows(query, len(queries)))
        if rows.start < rows.stop
    }
    reasons = {each: NOT_JUDGED for each in range(len(queries)) if each not in pairs}
    return TableJudgement(len(items), pairs, unscorable=reasons)


def find_relevant(judgement: Judgement, query: int) -> IntArray:
    """Return the relevant items of a query."""
    items, grades = list_judged(judgement, query)
    return items[grades >= judgement.relevant_from]


def require_relevant(judgement: Judgement, queries: Iterable[int]) -> Judgement:
    """Return a judgement by which those of some queries without a relevant item have no value."""
    bare = (query for query in queries if not len(find_relevant(judgement, query)))
    reasons = dict.fromkeys(bare, NO_RELEVANT) | dict(judgement.unscorable)
    return replace(judgement, unscorable=reasons)


def mark_hits(
    judgement: Judgement, query: int, items: IntArray, is_complete: bool
) -> list[bool | None]:
    """Return whether each result of a query is relevant; None where nobody knows.

    Args:
        judgement: What grades them.
        query: The query.
        items: Items of the results; -1 for one that the collection does not have.
        is_complete: Whether items without a grade are known not to be relevant.
    """
    grades = np.append(judgement.grades(query), np.nan)[items]
    pairs = zip(grades >= judgement.relevant_from, np.isnan(grades), strict=True)
    return [None if nan and not is_complete else bool(hit) for hit, nan in pairs]


@dataclass(frozen=True, eq=False)
class AmendedJudgement(Judgement):
    """A judgement in which the grades of some pairs are replaced.

    Attributes:
        given: The judgement without them.
        pairs: Items and grades that are replaced, by query.
    """

    given: Judgement
    pairs: Mapping[int, Graded]

    def grades(self, query: int) -> FloatArray:
        found = self.given.grades(query).copy()
        items, grades = self.pairs.get(query, NO_PAIRS)
        found[items] = grades
        return found

    def credits(self, query: int) -> FloatArray:
        found = self.given.credits(query).copy()
        items, grades = self.pairs.get(query, NO_PAIRS)
        found[items] = grades >= self.relevant_from
        return found


def amend(judgement: Judgement, grades: Mapping[int, Mapping[int, float]]) -> Judgement:
    """Return a judgement with other grades of some pairs; nothing else of it changes.

    A query that has a relevant item now is scored.

    Args:
        judgement: The judgement without them.
        grades: Grade by query and item, which are positions.
    """
    pairs = {
        query: (np.array(list(each), int), np.array(list(each.values())))
        for query, each in grades.items()
    }
    scored = {q for q, (_, new) in pairs.items() if (new >= judgement.relevant_from).any()}
    reasons = {query: why for query, why in judgement.unscorable.items() if query not in scored}
    return AmendedJudgement(
        judgement, pairs, unscorable=reasons, relevant_from=judgement.relevant_from
    )


NO_LABEL = "no label"
Labels = frozenset[str]
MISSING = frozenset(
    {"?", "-", "_unlabeled", "_unlabelled", "unlabeled", "unlabelled", "no_label", "none",
     "unknown", "null", "nan", "-nan", "na", "n/a", "<na>", "#n/a", "#na", "#n/a n/a", "1.#ind",
     "1.#qnan"}
)  # fmt: skip
"""Words that say that an item has no class: those of pandas for an empty cell among them."""


def split_labels(*columns: Names) -> list[list[Labels]]:
    """Return the labels of each cell of some columns, without case and blanks around them.

    Words that say that there is none are none. Whole numbers are the same with and without `.0`,
    which pandas adds where a cell of the column is empty.

    >>> split_labels(["Cat, dog"], ["['dog', 'cat']"])[0] == split_labels(["dog,cat"])[0]
    True
    """
    parts = split_cells(cell for column in columns for cell in column)
    labels = {cell: frozenset(map(_tidy, each)) - MISSING for cell, each in parts.items()}
    return [[labels[cell] for cell in column] for column in columns]


def count_missing(cells: Names) -> Counter[str]:
    """Return how often each word stood that says that there is no class.

    >>> count_missing(["cat", "N/A", "", '["cat", "none"]'])
    Counter({'N/A': 1, 'none': 1})
    """
    words: Counter[str] = Counter()
    parts = split_cells(cells)
    for cell, times in Counter(cells).items():
        words.update({part: times for part in parts[cell] if _tidy(part) in MISSING})
    return words


def report_labels(table: Table, column: str) -> Findings:
    """Return notes on the classes in a column that count as none, or as one."""
    words = count_missing(table[column])
    names = list_names(f"{word} ({times:,})" for word, times in words.items())
    found = f"the words {names} in the column {column}"
    wanted = "classes; these are none. Write another word if one is, as no_defect for none"
    missing = [Finding("note", table.file, None, found, wanted)] if words else []
    labels = {*chain(*split_cells(table[column]).values())}
    times = Counter(map(str.casefold, labels))
    alike = sorted(each for each in labels if times[each.casefold()] > 1)
    found = f"classes in the column {column} that differ by capitals alone"
    wanted = "others; those of the same letters count as one. Write a_small for a if it is another"
    return [*missing, *count_odd(table.file, alike, found, wanted, "note")]


def _tidy(label: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", label).strip("'\"").split()).casefold()
    return name.removesuffix(".0") if re.fullmatch(r"-?\d+[.]0", name) else name


@dataclass(frozen=True, eq=False)
class LabelJudgement(Judgement):
    """Grade 1 for an item with labels in common, else 0.

    Attributes:
        same: Grade of an item with the same labels.
        sets: Different sets of labels that items have.
        place: Place of each item's set in `sets`, -1 for an item without labels; not judged.
        asked: Labels of each query.
        own_items: The item that each query is about, -1 for none; it is not judged.
    """

    sets: tuple[Labels, ...]
    place: IntArray
    asked: Sequence[Labels]
    own_items: IntArray
    same: float

    def grades(self, query: int) -> FloatArray:
        asked = self.asked[query]
        by_set = [self.same if each == asked else float(bool(each & asked)) for each in self.sets]
        found = np.array([*by_set, np.nan])[self.place]
        if self.own_items[query] >= 0:
            found[self.own_items[query]] = np.nan
        return found if asked else np.full(len(found), np.nan)


def judge_labels(
    items: Sequence[Labels], queries: Sequence[Labels], own_items: IntArray, same: float = 1.0
) -> LabelJudgement:
    """Return the judgement by the labels of items and queries.

    Args:
        items: Labels of each item.
        queries: Labels of each query.
        own_items: The item that each query is about, -1 for none.
        same: Grade of an item with the same labels as the query; 1 for one with some in common.
    """
    sets = tuple(dict.fromkeys(each for each in items if each))
    index = {each: place for place, each in enumerate(sets)}
    place = np.array([index.get(each, -1) for each in items], int)
    reasons = {query: NO_LABEL for query, labels in enumerate(queries) if not labels}
    return LabelJudgement(sets, place, queries, own_items, same, unscorable=reasons)
