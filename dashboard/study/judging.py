"""The protocols that there are: judged pairs, and those of plugins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dashboard.errors import ChoiceError, list_names
from dashboard.evaluation.judgement import JudgingRules, judge_table, list_judged
from dashboard.evaluation.metrics import Measure
from dashboard.plugins import list_plugins, load, load_all
from dashboard.storage.collection import Collection
from dashboard.study.choices import Address
from dashboard.tables import FloatArray

if TYPE_CHECKING:
    from dashboard.study.study import Study

SAMPLE = 200
"""Queries that decide which metric is shown first."""


def pick_headline(study: Study, measures: Sequence[Measure]) -> str:
    """Return RR where queries have one relevant item, nDCG where there are grades, else AP."""
    grades = list_relevant_grades(study)
    if max((each.max(initial=0) for each in grades), default=0) > 1:
        return "nDCG"
    return "RR" if has_one_relevant(grades) else "AP"


def has_one_relevant(grades: Sequence[FloatArray]) -> bool:
    """Return whether queries have one relevant item at most, and some have it."""
    return max(map(len, grades), default=0) == 1


def list_usual_metrics(study: Study) -> str:
    """Return the metrics that the protocol shows of this data."""
    of_one = study.rules.metrics_of_one
    is_one = of_one and has_one_relevant(list_relevant_grades(study))
    return of_one if is_one else study.rules.metrics


def has_equal_grades(study: Study) -> bool:
    """Return whether no query in question has judged items of different grades."""
    grades = (list_judged(study.judgement, query)[1] for query in study.queries.tolist())
    return all(np.ptp(each) == 0 for each in grades if len(each))


def list_relevant_grades(study: Study) -> list[FloatArray]:
    """Return the grades of the relevant items of some queries, evenly spread."""
    judgement = study.given_judgement
    number = len(study.queries)
    places = np.linspace(0, number - 1, min(number, SAMPLE)).astype(int)
    found = (list_judged(judgement, query)[1] for query in study.queries[places].tolist())
    return [grades[grades >= judgement.relevant_from] for grades in found]


METRICS_OF_ONE = "RR R@1 R@5 R@10 nDCG@10"
"""Metrics of queries that have one relevant item; P@K has a ceiling of 1 ÷ K there."""

QRELS = JudgingRules(
    name="qrels",
    title="Judged pairs",
    judge=lambda collection, choices: judge_table(collection),
    metrics="P@5 P@10 R@10 AP nDCG@10 RR Success@5",
    metrics_of_one=METRICS_OF_ONE,
    nothing_relevant="zero",
    ties="id",
    headline=pick_headline,
    definition="A result whose grade is at least 1 is relevant; one without a grade counts as not "
    "relevant. A query without a relevant item, or without results, counts as 0.",
    source="trec_eval (NIST), with -c: every judged query counts",
    blind="A relevant item that nobody judged counts as not relevant; Judged@K shows how many of "
    "the results have a grade. P@K cannot reach 1 where fewer than K items are relevant, R@K where "
    "more are.",
)


def list_all_rules() -> list[JudgingRules]:
    """Return every protocol that there is, whatever a collection has."""
    return _replace_core([QRELS, *load_all("rules")])


def list_rules(collection: Collection) -> list[JudgingRules]:
    """Return the protocols that a collection has what is needed for."""
    core = [] if collection.qrels is None else [QRELS]
    there = (each for each in list_plugins() if each.rules and each.name in collection.tables)
    return _replace_core([*core, *(load(each, "rules") for each in there)])


def _replace_core(found: list[JudgingRules]) -> list[JudgingRules]:
    """Return protocols, each that takes the place of another one in that place."""
    instead = {each.instead_of: each for each in found if each.instead_of}
    return [instead.get(each.name, each) for each in found if not each.instead_of]


def find_rules(collection: Collection, name: str) -> JudgingRules:
    """Return the protocol of a name.

    Raises:
        DataError: Why the tables that it needs cannot be used.
        ChoiceError: If there is nothing that it judges by.
    """
    known = {rules.name: rules for rules in list_rules(collection)}
    if name in known:
        return known[name]
    if name in collection.unread:
        raise collection.unread[name]
    do = "name one under protocols in collection.toml."
    others = f" Choose protocol = {list_names(known, 20)}, or {do}" if known else ""
    raise ChoiceError(
        f"{collection.name} has nothing that the protocol {name!r} can judge by." + others
    )


def require_protocol(collection: Collection, given: Address) -> None:
    """Refuse to judge by another protocol than the first that collection.toml names.

    The screens judge by the next one that can and say so; numbers alone would not say it.

    Raises:
        DataError: Why the tables of that protocol cannot be used.
        ChoiceError: If there is nothing that it judges by.
    """
    named = collection.protocols
    if named and "protocol" not in given:
        find_rules(collection, named[0])
