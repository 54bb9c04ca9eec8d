"""Relevance from 0 to 100: what workers said, or the share of required keywords."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dashboard.next.errors import DataError, Finding
from dashboard.next.evaluation.judgement import (
    NO_RELEVANT,
    Judgement,
    JudgingRules,
    TableJudgement,
    judge_table,
)
from dashboard.next.plugins.context.metrics import NAME, SOURCE
from dashboard.next.storage.collection import Collection
from dashboard.next.storage.runs import Pairs
from dashboard.next.tables import FloatArray, IntArray, read_table

FILE = "relevance.csv"
VIEWED = ("lists.csv", "satisfaction.csv")
SCALE = 100.0
HALF = 50.0
"""Least relevance of a hit; the source has no threshold."""
MAX_INVALID_SHARE = 0.9
MAX_OTHER_SCALE = 10.0
"""Largest relevance of a file that is taken for one on a scale of 0 to 1, 0 to 4 or 1 to 10."""
STATED = "relevance_scale"
"""Setting that states the largest relevance of another scale, which begins at 0."""
INVALID = "over 90 % invalid relevance"


@dataclass(frozen=True, eq=False)
class RelevanceJudgement(TableJudgement):
    """Valid relevance from 0 to 100; credit is relevance ÷ 100."""

    def credits(self, query: int) -> FloatArray:
        return np.nan_to_num(self.grades(query)) / SCALE


@dataclass(frozen=True, eq=False)
class ShareJudgement:
    """Relevance as the share of required keywords that an item has, times 100."""

    keywords: Judgement
    unscorable: Mapping[int, str]
    relevant_from: float = HALF

    def grades(self, query: int) -> FloatArray:
        judged = ~np.isnan(self.keywords.grades(query))
        return np.where(judged, self.keywords.credits(query) * SCALE, np.nan)

    def credits(self, query: int) -> FloatArray:
        return self.keywords.credits(query)


def read_relevance(collection: Collection, findings: list[Finding]) -> Pairs | str | None:
    """Return the mean relevance of pairs (-1: no valid answer), or "keywords"; None without either.

    Relevance is that of `relevance.csv`, with a row for each worker, else that of the judged pairs.

    Raises:
        DataError: If a relevance is no number from 0 to 100 and neither -1 nor -2.
    """
    is_named = NAME in collection.settings.get("protocols", ())
    if (collection.folder / FILE).is_file() or (is_named and collection.qrels is not None):
        return read_answers(collection, findings)
    return "keywords" if is_named and collection.tables.get("alfa") is not None else None


def read_tables(collection: Collection, findings: list[Finding]) -> Pairs | str | None:
    """Return what `read_relevance` does; report what is wrong with viewed lists and answers."""
    found = read_relevance(collection, findings)
    if found is not None and any((collection.folder / name).is_file() for name in VIEWED):
        from dashboard.next.plugins.context.lists import read_lists

        try:
            read_lists(collection, findings)
        except DataError as error:
            findings.append(Finding.from_error(error))
    return found


def read_answers(collection: Collection, findings: list[Finding]) -> Pairs:
    """Return the mean of the valid answers of workers for each pair, -1 where there is none.

    Raises:
        DataError: If there are neither answers nor judged pairs, or one is off the scale.
    """
    if (collection.folder / FILE).is_file():
        return _read_workers(collection, findings)
    if collection.qrels is None:
        raise DataError(FILE, "no such file", "relevance of each worker, or means in qrels.csv")
    largest, grades = find_scale(collection), collection.qrels.values
    _check_scale(grades, "qrels", None, largest)
    _check_extent(grades.tolist(), "qrels", largest)
    return replace(collection.qrels, values=np.where(grades > 0, grades * SCALE / largest, grades))


def find_scale(collection: Collection) -> float:
    """Return the largest relevance of the scale that a collection states; 100 by default.

    Raises:
        DataError: If it is no number above 0.
    """
    largest = float(collection.settings.get(STATED, SCALE))
    if not 0 < largest < np.inf:
        raise DataError("collection.toml", f"{STATED} = {largest:g}", "the best relevance, above 0")
    return largest


def _read_workers(collection: Collection, findings: list[Finding]) -> Pairs:
    path = collection.folder / FILE
    table = read_table(path, FILE, ("query_id", "item_id", "relevance"), findings, unique=False)
    largest = find_scale(collection)
    answers: dict[tuple[str, str], list[float]] = {}
    for line, query, item, text in zip(
        table.lines, table["query_id"], table["item_id"], table["relevance"], strict=True
    ):
        try:
            value = float(text)
        except ValueError:
            value = np.nan
        _check_scale(np.array([value]), FILE, line, largest)
        answers.setdefault((query, item), []).append(value)
    queries = {query: place for place, query in enumerate(dict.fromkeys(q for q, _ in answers))}
    items = {item: place for place, item in enumerate(dict.fromkeys(i for _, i in answers))}
    _check_extent([value for each in answers.values() for value in each], FILE, largest)
    means = [np.mean(valid) * SCALE / largest if (valid := [v for v in each if v >= 0]) else -1.0
             for each in answers.values()]  # fmt: skip
    return Pairs(
        tuple(queries), tuple(items),
        np.array([queries[query] for query, _ in answers], dtype=np.int64),
        np.array([items[item] for _, item in answers], dtype=np.int64),
        np.array(means, dtype=np.float64),
    )  # fmt: skip


def _check_scale(values: FloatArray, name: str, line: int | None, largest: float) -> None:
    strange = values[~(((values >= 0) & (values <= largest)) | np.isin(values, (-1, -2)))]
    if len(strange):
        wanted = f"a relevance from 0 to {largest:g}, or -1 or -2 for an invalid answer"
        raise DataError(name, f"relevance {strange[0]:g}", wanted, line=line)


def _check_extent(values: list[float], name: str, stated: float) -> None:
    """Raise DataError for relevance that is plainly on another scale than that of 0 to 100."""
    largest = max(values, default=0.0)
    if stated == SCALE and 0 < largest <= MAX_OTHER_SCALE:
        found = f"relevance up to {largest:g} only"
        do = f"State the best possible one in collection.toml, such as {STATED} = {largest:g}."
        raise DataError(name, found, "a scale of 0 to 100", do=do)


def judge(collection: Collection, choices: Mapping[str, Any]) -> Judgement:
    """Judge by valid relevance; queries with more than 90 % invalid pairs are not scorable."""
    tables = collection.tables[NAME]
    if tables == "keywords":
        return _judge_by_keywords(collection, choices)
    own = collection.own_items
    every = judge_table(collection.queries, collection.items, own, tables)
    pairs: dict[int, tuple[IntArray, FloatArray]] = {}
    unscorable = dict(every.unscorable)
    for query, (items, grades) in every.pairs.items():
        if np.mean(grades < 0) > MAX_INVALID_SHARE:
            unscorable[query] = INVALID
        else:
            pairs[query] = items[grades >= 0], grades[grades >= 0]
    return RelevanceJudgement(every.items, pairs, unscorable, HALF)


def _judge_by_keywords(collection: Collection, choices: Mapping[str, Any]) -> ShareJudgement:
    from dashboard.next.plugins.alfa.judge import judge as judge_keywords

    made = judge_keywords(collection, choices)  # type: ignore[arg-type]
    reasons = {q: why for q, why in made.unscorable.items() if why != NO_RELEVANT}
    return ShareJudgement(made, reasons)


def list_valid(collection: Collection, judgement: Judgement, query: int) -> IntArray | None:
    """Return the items with a valid relevance, which alone are ranked; None: nobody judged."""
    found = np.flatnonzero(~np.isnan(judgement.grades(query)))
    return found if len(found) or judgement.unscorable.get(query) == INVALID else None


CONTEXT = JudgingRules(
    name=NAME,
    title="Image search in context",
    judge=judge,
    metrics="CAG(RBP(0.95))@50 CAG(DCG)@50 CAG(CG)@50 CAG(AVG)@50 CAG(ERR)@50 CAG(MAX)@50 "
    "RBP(0.95,per=image)@50 DCG(credit,per=image)@50 CG(per=image)@50 AVG@50 ERR@50 MAX@50",
    nothing_relevant="formula",
    definition="Each result has a relevance from 0 to 100, the mean of what people said; invalid "
    "answers are left out, and so are queries where more than 90 % of them are. Its credit r is "
    "relevance ÷ 100; a hit has 50 or more, a threshold that the source does not have.",
    source=SOURCE,
    blind="It is a model of how people feel: only satisfaction that people report shows whether it "
    "is better than the plain gain. The value depends on w and on the depth.",
    candidates=list_valid,
)
