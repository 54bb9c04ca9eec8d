"""Classes of items and queries, in the column that the setting `class_label` names."""

import numpy as np

from dashboard.errors import DataError, Findings, count_odd, list_names
from dashboard.evaluation.judgement import (
    JudgingRules,
    LabelJudgement,
    Labels,
    judge_labels,
    report_labels,
    split_labels,
)
from dashboard.evaluation.measurement import Described
from dashboard.storage.collection import Collection
from dashboard.study.choices import Choices
from dashboard.study.judging import METRICS_OF_ONE, pick_headline
from dashboard.study.study import Study
from dashboard.tables import Rows, list_columns

NAME = "class_labels"


def read_classes(collection: Collection, findings: Findings) -> str | None:
    """Return the column of the classes; None if the settings of a collection name none.

    Raises:
        DataError: If items.csv lacks the column, or all its items have one class.
    """
    column = str(collection.settings.get("class_label", ""))
    if not column:
        return None
    if column not in collection.items.columns:
        raise DataError(
            "items.csv",
            f"the columns {list_columns(list(collection.items.columns))}",
            f"a column {column}, for class_label",
            do=f"Set class_label in collection.toml to another column than {column!r}.",
        )
    items, queries = list_classes(collection, column)
    for table in (collection.items, collection.queries):
        findings += report_labels(table, column)
    if len(set(items)) < 2:
        raise DataError(
            "items.csv",
            f"one class in the column {column}",
            "at least two, to tell relevant items from others",
        )
    cells = zip(collection.items[column], items, strict=True)  # a list says what its parts are
    several = sum(len(labels) > 1 and not cell.startswith("[") for cell, labels in cells)
    findings += count_odd(
        "queries.csv",
        queries.count(Labels()),
        f"of {len(queries):,} queries without a class in the column {column}",
        "a class; these have no value",
        "note",
    )
    findings += count_odd(
        "items.csv",
        several,
        f"items with several classes in the column {column}",
        ', ; and | only between classes; write a name that holds one as a list: ["Bowl, red"]',
        "note",
    )
    return column


def list_classes(collection: Collection, column: str) -> tuple[list[Labels], list[Labels]]:
    """Return the classes of items and of queries; a query without any has those of its item."""
    items, own = split_labels(collection.items[column], collection.queries[column])
    return items, [
        labels or (items[place] if place >= 0 else frozenset())
        for labels, place in zip(own, collection.own_items.tolist(), strict=True)
    ]


def judge(collection: Collection, choices: Choices) -> LabelJudgement:
    """Judge every item that has a class: it is relevant if it shares one with the query."""
    items, queries = list_classes(collection, collection.tables[NAME])
    return judge_labels(items, queries, collection.own_items)


def describe_class(study: Study, query: int, metric: str, rows: Rows) -> Described:
    """Return the class that a query asks for, and note that of each result."""
    judged = study.given_judgement
    assert isinstance(judged, LabelJudgement)
    places = np.append(judged.place, -1)[study.find_items(rows)].tolist()
    classes = [judged.sets[place] if place >= 0 else Labels() for place in places]
    asked, *named = (list_names(sorted(each)) for each in (judged.asked[query], *classes))
    told = {"class": f"{study.collection.tables[NAME]}: {asked or 'none'}"}
    return told, [{"notes": [each]} if each else {} for each in named]


CLASS_LABELS = JudgingRules(
    name=NAME,
    title="Same class",
    judge=judge,
    metrics="P@1 P@5 R@5 AP AP@10 RR",
    metrics_of_one=METRICS_OF_ONE,
    nothing_relevant="null",
    definition="An item is relevant when it has a class of the query, in the column that "
    "class_label in collection.toml names. A query that no other item shares a class with is "
    "not scored.",
    source="Retrieval by class, as in metric learning (Musgrave et al., ECCV 2020)",
    blind="Items of one class count as equally relevant; what a class leaves open does not count.",
    queries="all",
    headline=pick_headline,
)
