"""Relevance by labels: items that share labels with a query."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dashboard.errors import Finding, Findings, list_names
from dashboard.evaluation.judgement import add_reasons
from dashboard.tables import FloatArray, IntArray, Names, Reasons, Table
from dashboard.texts import split_cells

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


def report_missing(table: Table, column: str) -> Findings:
    """Return a note on the words in a column that say that there is no class."""
    words = count_missing(table[column])
    names = list_names(f"{word} ({times:,})" for word, times in words.items())
    found = f"the words {names} in the column {column}"
    wanted = "classes; these are none. Write another word if one is, as no_defect for none"
    return [Finding("note", table.file, None, found, wanted)] if words else []


def _tidy(label: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", label).strip("'\"").split()).casefold()
    return name.removesuffix(".0") if re.fullmatch(r"-?\d+[.]0", name) else name


class LabelJudgement(NamedTuple):
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
    unscorable: Reasons
    same: float
    relevant_from: float = 1.0

    def grades(self, query: int) -> FloatArray:
        asked = self.asked[query]
        by_set = [self.same if each == asked else float(bool(each & asked)) for each in self.sets]
        found = np.array([*by_set, np.nan])[self.place]
        if self.own_items[query] >= 0:
            found[self.own_items[query]] = np.nan
        return found if asked else np.full(len(found), np.nan)

    def credits(self, query: int) -> FloatArray:
        return (self.grades(query) >= self.relevant_from).astype(float)


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
    made = LabelJudgement(sets, place, queries, own_items, reasons, same)
    return made._replace(unscorable=add_reasons(made, range(len(queries))))
