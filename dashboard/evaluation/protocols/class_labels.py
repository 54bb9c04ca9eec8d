"""Types of pairs from the labels of queries and items, without a matrix of all pairs.

The source of the hashing protocol names three types and does not define them. Multi-label
hashing tells pairs of the same labels from those that share some (Zhang et al., Improved Deep
Hashing with Soft Pairwise Similarity, 2018), so here a pair is of type 1 where both
have the same labels, of type 2 where they have some in common, of type 3 where they have none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from dashboard.tables import DataError

COLUMNS = ("labels", "label")
MARKS = (";", "|", ",")
MOST_PAIRS = 20_000_000
"""Pairs of types 1 and 2 take 18 bytes each."""

Labels = frozenset[str]


def column_of(table: pd.DataFrame | None) -> str:
    """The name of a table's column of labels; empty: there is none, or it has no labels."""
    there = [] if table is None else [name for name in COLUMNS if name in table.columns]
    filled = [name for name in there if (table[name].astype("str").str.strip() != "").any()]  # type: ignore[index]
    return next(iter(filled), "")


def labelled(queries: pd.DataFrame | None, items: pd.DataFrame | None) -> bool:
    """Whether queries or items have labels."""
    return bool(column_of(queries) or column_of(items))


def sets_of(*columns: Iterable[str]) -> list[list[Labels]]:
    """The labels in each cell of some columns, without case and blanks around them.

    Several in a cell are separated by the mark that most cells have, of semicolon, bar and comma;
    brackets and quotes of a list are no part of them.

    >>> sets_of(["Cat, dog", "['dog', 'cat']"], [""])[0][0] == sets_of(["dog,cat"])[0][0]
    True
    """
    texts = [[_bare(str(cell)) for cell in column] for column in columns]
    every = [text for column in texts for text in column]
    mark = max(MARKS, key=lambda each: sum(each in text for text in every))
    return [[_labels(text, mark) for text in column] for column in texts]


def _bare(cell: str) -> str:
    """A cell without the brackets of a list."""
    text = unicodedata.normalize("NFC", cell).strip()
    return text[1:-1] if text[:1] + text[-1:] in ("[]", "{}", "()") else text


def _labels(text: str, mark: str) -> Labels:
    parts = (" ".join(part.strip().strip("'\"").split()).casefold() for part in text.split(mark))
    return frozenset(part for part in parts if part)


def labelled_pairs(queries: pd.DataFrame | None, items: pd.DataFrame | None) -> pd.DataFrame:
    """The pairs of types 1 and 2 by the labels of queries and items: query_id, item_id, grade (2,
    1, int8). A query without any such pair has one of grade 0, for it was judged; one without
    labels has none.

    Raises DataError where one of the tables has no labels, or more pairs than fit in memory.
    """
    of_queries, of_items = column_of(queries), column_of(items)
    if queries is None or items is None or not of_queries or not of_items:
        file, other = ("queries", "items") if of_items else ("items", "queries")
        lacking = f"no column labels, which the {other} have"
        raise DataError(file, lacking, "labels of queries and of items, or a file of qrels")
    asked, there = sets_of(queries[of_queries], items[of_items])
    kinds, of_kind = _groups(there)
    wanted, places = _groups(asked)
    near = [[k for k, kind in enumerate(kinds) if not kind.isdisjoint(own)] for own in wanted]
    total = sum(
        len(places[row]) * sum(len(of_kind[k]) for k in some) for row, some in enumerate(near)
    )
    if total > MOST_PAIRS:  # counted before any is made
        most = f"at most {MOST_PAIRS:,} of types 1 and 2"
        cure = "Ask fewer queries."
        raise DataError("items", f"labels that make {total:,} pairs", most, cure=cure)
    parts = [
        _pairs_of([(of_kind[k], 2 if kinds[k] == own else 1) for k in some])
        for own, some in zip(wanted, near, strict=True)
    ]
    query = np.concatenate(
        [np.repeat(places[row], len(part[0])) for row, part in enumerate(parts)]
        or [np.empty(0, np.int32)]
    ).astype(np.int32)
    item, grade = (
        np.concatenate(
            [np.tile(part[side], len(places[row])) for row, part in enumerate(parts)]
            or [np.empty(0, np.int32)]
        )
        for side in (0, 1)
    )
    order = np.argsort(query, kind="stable")
    return pd.DataFrame(
        {
            "query_id": _category(query[order], queries["query_id"]),
            "item_id": _category(item[order], items["item_id"]),
            "grade": grade[order].astype(np.int8),
        }
    )


def _groups(sets: Sequence[Labels]) -> tuple[list[Labels], list[np.ndarray]]:
    """The sets that occur, but the empty one, each once, and the places of each."""
    rows: dict[Labels, list[int]] = {}
    for place, labels in enumerate(sets):
        if labels:
            rows.setdefault(labels, []).append(place)
    return list(rows), [np.array(places, dtype=np.int32) for places in rows.values()]


def _pairs_of(near: Sequence[tuple[np.ndarray, int]]) -> tuple[np.ndarray, np.ndarray]:
    """The items that share some labels with a query, in gallery order, and the grade of each; one
    of grade 0 where there is none. near: the items of each set of labels, with the grade."""
    if not near:
        return np.zeros(1, np.int32), np.zeros(1, np.int8)
    items = np.concatenate([places for places, _ in near])
    grades = np.concatenate([np.full(len(places), grade, np.int8) for places, grade in near])
    order = np.argsort(items, kind="stable")
    return items[order], grades[order]


def _category(numbers: np.ndarray, names: pd.Series) -> pd.Categorical:
    return pd.Categorical.from_codes(numbers, categories=pd.Index(names, dtype="str"))
