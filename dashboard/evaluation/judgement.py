"""A judgement: which items count for which query and how much, as a protocol decides it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard import ids
from dashboard.evaluation.join import Codes, Places, codes, matching, pairs

Array = NDArray[Any]
Worth = Literal["", "hit", "worth", "judged"]
"""Which judged pairs: none, the relevant ones, those worth anything to a metric, or all."""


@dataclass(frozen=True, eq=False)
class QueryLabels(Mapping[str, float]):
    """The labels of one query, as a mapping of each judged item to its grade.

    index      the ids of all judged items of all queries
    place [n]  the places there of this query's items, in the judgement's order
    grade, credit [n]
    """

    index: pd.Index
    place: NDArray[np.int64]
    grade: Array
    credit: NDArray[np.float64]
    relevant_from: float

    def rows(self, item_ids: Sequence[str]) -> NDArray[np.int64]:
        """The row of each of some items here, -1 where it is not judged."""
        return self._rows_at(self.index.get_indexer(pd.Index(list(item_ids), dtype="str")))

    def _rows_at(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        if not len(self.place):
            return np.full(len(wanted), -1)
        row = self._order[np.searchsorted(self._ascending, wanted).clip(max=len(self.place) - 1)]
        return np.where(self.place[row] == wanted, row, -1)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self.place, kind="stable")

    @cached_property
    def _ascending(self) -> NDArray[np.int64]:
        return self.place[self._order]

    def ids(self, rows: Array | slice = slice(None)) -> list[str]:
        """The ids of the items in some rows."""
        names: list[str] = self.names(rows).tolist()
        return names

    def names(self, rows: Array | slice = slice(None)) -> pd.Index:
        """The same as an index."""
        return self.index.take(self.place[rows])

    @cached_property
    def relevant(self) -> tuple[str, ...]:
        """The ids of the relevant items."""
        return tuple(self.ids(np.flatnonzero(self.grade >= self.relevant_from)))

    def __getitem__(self, item_id: str) -> float:
        (row,) = self._rows_at(np.array([self.index.get_loc(item_id)], dtype=np.int64))
        if row < 0:
            raise KeyError(item_id)
        return float(self.grade[row])

    def best(self, most: int) -> QueryLabels:
        """The labels of the relevant items, and of those that are worth something and no less than
        the `most`-th best one, by grade, then credit."""
        needed = (self.grade > 0) | (self.credit > 0)
        worth = np.flatnonzero(needed)
        if len(worth) > most:
            order = np.lexsort((-self.credit[worth], -self.grade[worth].astype(np.float64)))
            last = worth[order[most - 1]]
            equal = (self.grade == self.grade[last]) & (self.credit >= self.credit[last])
            needed &= (self.grade > self.grade[last]) | equal
        rows = np.flatnonzero(needed | (self.grade >= self.relevant_from))
        kept = self.place[rows], self.grade[rows], self.credit[rows]
        return QueryLabels(self.index, *kept, self.relevant_from)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids())

    def __len__(self) -> int:
        return len(self.place)


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a protocol makes of a collection's evidence.

    qrels          query_id, item_id, grade, credit (partial relevance in [0, 1]); a pair that is
                   not here is unjudged, which is not the same as grade 0
    query_ids      all queries that were asked, in order
    unscorable     the queries that no ranking can be scored on, each with the reason
    relevant_from  the least grade that is relevant
    leave_out      the item that each item query is about and never counts as its own result
    notes          sentences for the reader: what was dropped or taken in place of something
    kinds          what each query is, image or text, where it has metrics of its own for that
    """

    qrels: pd.DataFrame
    query_ids: tuple[str, ...]
    unscorable: Mapping[str, str]
    relevant_from: float = 1.0
    leave_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def asked(self) -> pd.Index:
        """`query_ids`, ready to look codes up in."""
        return pd.Index(self.query_ids, dtype="str")

    @cached_property
    def item_ids(self) -> pd.Index:
        """The ids of all judged items; an item's code is its place here."""
        return self._item[1]

    @cached_property
    def _item(self) -> tuple[Codes, pd.Index]:
        """The item's code in each row of qrels, and the ids that the codes are places of."""
        column = self.qrels["item_id"]
        if isinstance(column.dtype, pd.CategoricalDtype):
            return column.cat.codes.to_numpy(), column.cat.categories
        numbers, names = pd.factorize(column)
        return numbers, pd.Index(names)

    @cached_property
    def query(self) -> Codes:
        """The query's code in each row of qrels."""
        query = codes(self.qrels["query_id"], self.asked)
        if (query < 0).any():
            stray = self.qrels["query_id"].to_numpy()[int(np.argmax(query < 0))]
            raise ValueError(f"the judgement holds {stray!r}, which is not among its queries")
        return query

    @cached_property
    def key(self) -> Places:
        """One number for the pair of each row of qrels."""
        return pairs(self.query, self._item[0], len(self.item_ids))

    @cached_property
    def text_key(self) -> Places | None:
        """One number for the pair of each row of qrels by the bytes of its item's id; None where
        items are categories, or two pairs share a number."""
        if not ids.is_text(self.qrels["item_id"]):
            return None
        keys = ids.keys(ids.arrow(self.qrels["item_id"]))
        numbers = ids.pairs(self.query, keys, len(self.query_ids))
        ascending = np.sort(numbers)
        return None if (ascending[1:] == ascending[:-1]).any() else numbers

    def judged(self, query: Codes, items: pd.Series, rows: Array | slice) -> tuple[Places, Places]:
        """Which results are judged, and the rows of qrels that say how.

        query: codes of `rows` of a run's table, which must be among those asked; items: its whole
        column of items. Of one query, only its own pairs are looked through.
        """
        if not len(query):  # nothing is looked up among millions of pairs then
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        one = query.min() == query.max()
        mine = self._rows_at(int(query[0])) if one else None

        def matched(keys: Places, wanted: Places) -> tuple[Places, Places]:
            if mine is None:
                return matching(keys, wanted)
            found, pair = matching(keys[mine], wanted)
            return found, mine[pair]

        if ids.is_text(items) and self.text_key is not None:
            column = ids.arrow(items)
            wanted = ids.pairs(query, ids.keys(column)[rows], len(self.query_ids))
            found, pair = matched(self.text_key, wanted)
            places = found if isinstance(rows, slice) else rows[found]
            if ids.same(column, places, ids.arrow(self.qrels["item_id"]), pair):
                return found, pair
        item = codes(items, self.item_ids)[rows]
        return matched(self.key, pairs(query, item, len(self.item_ids)))

    def labels(self, query_id: str) -> QueryLabels:
        """The labels of one query. Raises KeyError where it was not asked."""
        rows, item = self._rows_of(query_id), self._by_query[0]
        mine = (item[rows], self.grade[rows], self.credit[rows])
        return QueryLabels(self.item_ids, *mine, self.relevant_from)

    def best(self, query_id: str, most: int) -> QueryLabels:
        """The labels of a query's items that `QueryLabels.best` names."""
        return self.labels(query_id).best(most)

    def grades_of(self, query_id: str) -> Mapping[str, float]:
        """The grade of each judged item of a query, for whoever keeps it."""
        return self.labels(query_id)

    def relevant_ids(self, query_id: str) -> tuple[str, ...]:
        """The ids of a query's relevant items."""
        return self.labels(query_id).relevant

    def best_first(self, query_id: str, most: int | None) -> tuple[Array, NDArray[np.float64]]:
        """The grades and the credits of a query's judged items, by grade, then credit, the best
        first and those that are worth nothing last. most: how many are wanted; None: all."""
        labels = self.labels(query_id)
        worth = (labels.grade > 0) | (labels.credit > 0)
        grade = labels.grade.astype(np.float64)
        order = np.lexsort((-labels.credit * worth, -grade * worth, ~worth))[:most]
        return labels.grade[order], labels.credit[order]

    def _rows_of(self, query_id: str) -> Places:
        """The rows of qrels about one query, ascending."""
        return self._rows_at(int(np.asarray(self.asked.get_loc(query_id))))

    def _rows_at(self, place: int) -> Places:
        _, order, ends = self._by_query
        return order[ends[place] : ends[place + 1]]

    @cached_property
    def _by_query(self) -> tuple[Places, Places, Places]:
        """The item's code in each row of qrels; the rows query by query, and where each ends."""
        order = np.argsort(self.query, kind="stable")
        ends = np.searchsorted(self.query[order], np.arange(len(self.query_ids) + 1))
        return self._item[0].astype(np.int64), order, ends

    def grades(self, pair: Places) -> Array:
        """The grades of pairs as `judged` gives them."""
        return self.grade[pair]

    def credits(self, pair: Places) -> NDArray[np.float64]:
        """The credits of pairs as `judged` gives them."""
        return self.credit[pair]

    def pairs(self, which: Worth) -> pd.DataFrame:
        """The judged pairs of all queries, or some of them; columns query_id and item_id at
        least."""
        if which == "judged":
            return self.qrels
        worth = self.grade >= self.relevant_from
        if which == "worth":
            worth |= (self.grade > 0) | (self.credit > 0)
        # by codes that are made once: each version that is measured would look up the texts again
        codes_of = (self.query, self.asked), (self._item[0], self.item_ids)
        query, item = (pd.Categorical.from_codes(own[worth], of) for own, of in codes_of)
        return pd.DataFrame({"query_id": query, "item_id": item})

    def tables(self) -> Iterator[pd.DataFrame]:
        """The rows of `qrels`, in parts that fit in memory where all together do not."""
        yield self.qrels

    def of_queries(self, query_ids: Iterable[str]) -> Judgement:
        """The judgement of some of the queries, in the order that they have here."""
        kept = set(query_ids)
        if len(kept) == 1 and kept <= set(self.query_ids):  # not looked for among all pairs
            pairs = self.qrels.iloc[self._rows_of(*kept)]
        else:
            pairs = self.qrels[self.qrels["query_id"].isin(kept)]
        return self.with_qrels(
            pairs,
            query_ids=tuple(query for query in self.query_ids if query in kept),
            unscorable={q: why for q, why in self.unscorable.items() if q in kept},
        )

    def with_qrels(self, qrels: pd.DataFrame, **others: Any) -> Judgement:
        """The judgement with other pairs, and with other values of some fields."""
        same = {each.name: getattr(self, each.name) for each in fields(Judgement)[1:]}
        return Judgement(qrels, **(same | others))

    @cached_property
    def highest(self) -> pd.Series | None:
        """The judged pair with the highest grade, the first of several; None without any."""
        grades = self.qrels["grade"].to_numpy()
        return self.qrels.iloc[int(grades.argmax())] if len(grades) else None

    @cached_property
    def grade_values(self) -> Array:
        """The grades that pairs have, ascending, each once."""
        return np.unique(self.grade)

    @cached_property
    def credit_values(self) -> NDArray[np.float64]:
        """The credits that pairs have, ascending, each once."""
        return np.unique(self.credit)

    @cached_property
    def number_judged(self) -> NDArray[np.int64]:
        """How many items are judged for each query. [Q]"""
        return np.bincount(self.query, minlength=len(self.query_ids)).astype(np.int64)

    @cached_property
    def grade(self) -> Array:
        """The grades, as int8 where they are all small and whole, which is quick."""
        grade = self.qrels["grade"].to_numpy()
        return grade.astype(smallest_type(grade))

    @cached_property
    def credit(self) -> NDArray[np.float64]:
        """The partial relevance of each pair."""
        return self.qrels["credit"].to_numpy(dtype=np.float64)

    @cached_property
    def credit_is_hit(self) -> bool:
        """Whether credit says no more than relevant or not."""
        return bool((self.credit == (self.grade >= self.relevant_from)).all())

    @cached_property
    def relevant(self) -> NDArray[np.int64]:
        """R, the number of relevant items of each query."""
        hits = self.query[self.grade >= self.relevant_from]
        return np.bincount(hits, minlength=len(self.query_ids)).astype(np.int64)

    @cached_property
    def missable(self) -> NDArray[np.int64]:
        """The number of items of each query that are judged not relevant, none of a grade below
        0."""
        misses = self.query[(self.grade >= 0) & (self.grade < self.relevant_from)]
        return np.bincount(misses, minlength=len(self.query_ids)).astype(np.int64)

    @cached_property
    def ideal(self) -> Array:
        """The positive grades of each query, descending, then 0. [Q, J]"""
        return _descending(self.query, self.grade, len(self.query_ids))

    @cached_property
    def ideal_credit(self) -> Array:
        """The positive credits of each query, descending, then 0. [Q, J]"""
        if self.credit_is_hit:
            places = np.arange(int(self.relevant.max(initial=0)))
            return (places[:, None] < self.relevant).T
        return _descending(self.query, self.credit, len(self.query_ids))


def smallest_type(grades: Array) -> type:
    """int8 for grades that are all small and whole, which is quick; else float64."""
    small = (np.abs(grades) <= 127).all() and (grades == np.rint(grades)).all()
    return np.int8 if len(grades) and small else np.float64


def _descending(query: Codes, values: Array, queries: int) -> Array:
    positive = values > 0
    query, values = query[positive].astype(np.int64), values[positive]
    if values.dtype == np.int8:
        # the grade rides in the low byte of the query's number: one sort of whole numbers
        riding = np.sort(query * 128 + (127 - values.astype(np.int64)))
        query, values = riding >> 7, (127 - (riding & 127)).astype(np.int8)
    else:
        order = np.lexsort((-values, query))
        query, values = query[order], values[order]
    counts = np.bincount(query, minlength=queries)
    place = np.arange(len(query)) - (np.cumsum(counts) - counts)[query]
    table = np.zeros((int(counts.max(initial=0)), queries), dtype=values.dtype)
    table[place, query] = values
    return table.T
