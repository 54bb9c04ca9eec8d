"""Relevance by keywords, and the ticks that cards show."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from dashboard.evaluation.judgement import Judgement, JudgingRules
from dashboard.evaluation.measurement import Described
from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.slicing import Slices
from dashboard.plugins.alfa.keywords import Keyword, Keywords, map_text
from dashboard.storage.collection import Collection
from dashboard.study.choices import Choices
from dashboard.study.judging import list_relevant_grades
from dashboard.study.study import Study
from dashboard.tables import BoolArray, FloatArray, IntArray, Rows

NO_KEYWORD = "no keyword mapped"
NO_ITEM_KEYWORD = "item without keywords"
LOW_CEILING = 0.2


@dataclass(frozen=True, eq=False)
class KeywordJudgement(Judgement):
    """Grade 1 for an item that has all required keywords, else 0; NaN for one without any.

    Attributes:
        tables: Keywords of items and queries.
        required: Keywords that each query requires, in the chosen groups.
        own_items: The item that a query is about, -1 for none; it is not judged.
    """

    tables: Keywords
    required: Sequence[Sequence[Keyword]]
    own_items: IntArray

    def find_rows(self, query: int) -> BoolArray:
        """Return whether each item has each required keyword. [keywords, items]."""
        return self.tables.has[[self.tables.index.get(each, -1) for each in self.required[query]]]

    def grades(self, query: int) -> FloatArray:
        judged = self.tables.annotated & bool(self.required[query])
        if self.own_items[query] >= 0:
            judged[self.own_items[query]] = False
        return np.where(judged, self.find_rows(query).all(axis=0), np.nan)

    def credits(self, query: int) -> FloatArray:
        """Return the share of the required keywords that each judged item has. [items]."""
        share = self.find_rows(query).sum(axis=0) / max(1, len(self.required[query]))
        return np.where(np.isnan(self.grades(query)), 0.0, share)


def judge(collection: Collection, choices: Choices) -> KeywordJudgement:
    """Judge every annotated item against every query.

    A text query requires the keywords that its words are mapped to, an item query those of its
    item. A query that requires none is not scorable.
    """
    tables: Keywords = collection.tables["alfa"]
    groups = choices["groups"]
    threshold = choices["mapping_threshold"]
    own = collection.own_items
    required = [
        tables.find_item(item, groups) if item >= 0 else tables.find_query(name, groups, threshold)
        for name, item in zip(collection.queries.ids, own.tolist(), strict=True)
    ]
    unscorable = {
        query: NO_KEYWORD if own[query] < 0 else NO_ITEM_KEYWORD
        for query, keywords in enumerate(required)
        if not keywords
    }
    return KeywordJudgement(tables, required, own, unscorable=unscorable)


def slice_queries(study: Study) -> Slices:
    """Return a slice for each required keyword, `pv_object_type=car`: the queries that need it."""
    judged = study.given_judgement
    assert isinstance(judged, KeywordJudgement)
    required = [judged.required[query] for query in study.queries.tolist()]
    return {
        "=".join(each): np.array([each in keywords for keywords in required])
        for each in dict.fromkeys(chain(*required))
    }


def list_parts(judged: KeywordJudgement, query: int) -> dict[str, BoolArray]:
    """Return whether each item has each keyword that a query requires, by its name. [items]."""
    required = judged.required[query]
    names = [each.name for each in required]
    titles = [each.name if names.count(each.name) == 1 else "=".join(each) for each in required]
    return dict(zip(titles, judged.find_rows(query), strict=True))


def describe_results(study: Study, query: int, metric: str, rows: Rows) -> Described:
    """Return what a query requires, and matched, required and a tick a keyword of some results.

    Keywords that its text names beside those are not_counted.
    """
    judged = study.given_judgement
    assert isinstance(judged, KeywordJudgement)
    items = study.find_items(rows)
    has = np.pad(judged.find_rows(query), ((0, 0), (0, 1)))  # the last one: of no item
    named = judged.tables.find_query(
        study.collection.queries.ids[query],
        judged.tables.groups,
        study.choices["mapping_threshold"],
    )
    required = judged.required[query]
    told = {"required": [each.name for each in required]}
    if others := [each.name for each in named if each not in required]:
        told["not_counted"] = others
    return told, [
        {"matched": sum(each) if item >= 0 else None, "required": len(required), "ticks": each}
        for item, each in zip(items, has[:, items].T.tolist(), strict=True)
    ]


def pick_headline(study: Study, measures: Sequence[Measure]) -> str:
    """Return P, or R where the mean of P@K cannot reach LOW_CEILING in any order."""
    depth = max((each.cutoff or 0 for each in measures if each.name == "P"), default=0)
    if depth * LOW_CEILING <= 1:  # a scored query has a relevant item
        return "P"
    found = [min(len(each), depth) for each in list_relevant_grades(study) if len(each)]
    return "P" if np.mean(found or [depth]) >= LOW_CEILING * depth else "R"


ALFA = JudgingRules(
    name="alfa",
    title="All required keywords",
    names="The protocol of ALFA 0.1, which calls P@K Recall@K and R@K Precision@K.",
    judge=judge,
    metrics="P@1 P@3 P@5 R@1 R@3 R@5 AP nDCG@5",
    nothing_relevant="null",
    headline=pick_headline,
    slice_queries=slice_queries,
    list_parts=list_parts,
    map_text=map_text,
    definition="An item is relevant when it has every keyword that the query asks for in the "
    "chosen groups. A query that asks for no keyword, or for what no item has, is not scored.",
    source="Retrieval Evaluation Framework for ALFA 0.1 embedding search",
    blind="An item that lacks one required keyword counts as one that lacks all; what "
    "the chosen groups have no keyword for does not count.",
)
