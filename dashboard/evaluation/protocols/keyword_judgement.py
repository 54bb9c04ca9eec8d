"""A judgement by keywords whose pairs are looked up where they are read.

As a table it has a row for each query and annotated item. Instead there is a bit for each required
keyword and item.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.evaluation.join import Codes, Places, codes
from dashboard.evaluation.judgement import Array, Judgement, QueryLabels, Worth, smallest_type
from dashboard.evaluation.protocols.keyword_bits import BLOCK, KeywordBits

UNREACHED = 1 << 30


class KeywordJudgement(Judgement):
    """Credit is matched ÷ required; the grade is credit times `scale`, or without one 1 with all
    required keywords, else 0.

    `qrels` is made where it is read: for few queries, or a small gallery.
    """

    bits: KeywordBits
    scale: float | None
    keywords: pd.DataFrame
    required_keywords: pd.DataFrame

    def __init__(
        self,
        required: pd.DataFrame,
        keywords: pd.DataFrame,
        query_ids: Sequence[str],
        *,
        unscorable: Mapping[str, str],
        leave_out: Mapping[str, str],
        bits: KeywordBits | None = None,
        scale: float | None = None,
        **others: Any,
    ) -> None:
        """required: query_id, group, keyword, each once, of queries in `query_ids`; keywords: table
        KEYWORDS; the others as in `Judgement`."""
        usual = {each.name: each.default for each in fields(Judgement)}
        own = {"query_ids": tuple(query_ids), "unscorable": unscorable, "leave_out": leave_out}
        more = {"keywords": keywords, "required_keywords": required, "kinds": {}}
        for name, value in (usual | own | more | {"scale": scale} | others).items():
            if name != "qrels":
                object.__setattr__(self, name, value)
        made = bits or KeywordBits.of(required, keywords, self.asked)
        object.__setattr__(self, "bits", made)

    def graded(self, scale: float, **others: Any) -> KeywordJudgement:
        """The same with grades on a scale. others: fields of `Judgement` that change."""
        return self._like(np.arange(len(self.query_ids)), scale, **others)

    def _like(self, places: Places, scale: float | None, **others: Any) -> KeywordJudgement:
        """The same of the queries at some places."""
        query_ids, required = [self.query_ids[place] for place in places], self.required_keywords
        kept = set(query_ids)
        same: dict[str, Any] = {
            "unscorable": {q: why for q, why in self.unscorable.items() if q in kept},
            "leave_out": self.leave_out,
            "relevant_from": self.relevant_from,
            "notes": self.notes,
        }
        return KeywordJudgement(
            required[required["query_id"].isin(kept)],
            self.keywords,
            query_ids,
            bits=self.bits.of_queries(places),
            scale=scale,
            **(same | others),
        )

    @cached_property
    def qrels(self) -> pd.DataFrame:
        """All pairs as a table: a row for each query and annotated item."""
        return self._table(np.flatnonzero(self.bits.needed))

    def tables(self) -> Iterator[pd.DataFrame]:
        """As in `Judgement`."""
        places, step = np.flatnonzero(self.bits.needed), max(1, BLOCK // max(len(self.item_ids), 1))
        for start in range(0, max(len(places), 1), step):
            yield self._table(places[start : start + step])

    def _table(self, places: Places) -> pd.DataFrame:
        """All pairs of the queries at some places, each of which requires a keyword."""
        query = np.repeat(places, len(self.item_ids))
        item = np.tile(np.arange(len(self.item_ids)), len(places))
        kept = item != self.own[query]
        query, item = query[kept], item[kept]
        level = self.bits.matched(query, item)
        return pd.DataFrame(
            {
                "query_id": pd.Categorical.from_codes(query, categories=self.asked),
                "item_id": pd.Categorical.from_codes(item, categories=self.item_ids),
                "grade": self.level_grades[query, level],
                "credit": self.level_credits[query, level],
            }
        )

    @cached_property
    def level_credits(self) -> NDArray[np.float64]:
        """The credit of an item with 0, 1 … of a query's required keywords. [Q, M + 1]"""
        levels = np.arange(self.bits.required.shape[1] + 1)
        return np.asarray(levels / np.maximum(self.bits.needed, 1)[:, None])

    @cached_property
    def level_grades(self) -> Array:
        """The grade of such an item. [Q, M + 1]"""
        if self.scale is not None:
            return np.asarray(self.level_credits * self.scale)
        return np.asarray(self.level_credits == 1, dtype=np.int8)

    @cached_property
    def level_hits(self) -> NDArray[np.bool_]:
        """Whether such an item is relevant. [Q, M + 1]"""
        return np.asarray(self.level_grades >= self.relevant_from)

    @cached_property
    def own(self) -> Places:
        """The place of each query's own item, which is not judged; -1 for none. [Q]"""
        if not self.leave_out:
            return np.full(len(self.query_ids), -1)
        names = pd.Series([self.leave_out.get(query, "") for query in self.query_ids], dtype="str")
        return codes(names, self.bits.items).astype(np.int64)

    @cached_property
    def item_ids(self) -> pd.Index:
        """The ids of all annotated items."""
        return self.bits.items

    def judged(self, query: Codes, items: pd.Series, rows: Array | slice) -> tuple[Places, Places]:
        """As in `Judgement`; a pair is one number of query and item."""
        item = codes(items, self.item_ids)[rows]
        found = np.flatnonzero(
            (item >= 0) & (self.bits.needed[query] > 0) & (item != self.own[query])
        )
        return found, query[found].astype(np.int64) * len(self.item_ids) + item[found]

    def grades(self, pair: Places) -> Array:
        """As in `Judgement`."""
        return np.asarray(self.level_grades[self._levels(pair)].astype(self._type))

    def credits(self, pair: Places) -> NDArray[np.float64]:
        """As in `Judgement`."""
        return np.asarray(self.level_credits[self._levels(pair)])

    def _levels(self, pair: Places) -> tuple[Places, Places]:
        """The query of each pair, and how many of its keywords the item has."""
        query, item = np.divmod(pair, max(len(self.item_ids), 1))
        return query, self.bits.matched(query, item)

    @cached_property
    def _type(self) -> type:
        return smallest_type(self.grade_values)

    def labels(self, query_id: str) -> QueryLabels:
        """As in `Judgement`."""
        query = self._place(query_id)
        return self._labels(query, np.arange(len(self.item_ids) if self.bits.needed[query] else 0))

    def best(self, query_id: str, most: int) -> QueryLabels:
        """As in `Judgement`; all other items are passed over 64 at a time."""
        query = self._place(query_id)
        enough = np.flatnonzero(self.counts[query, ::-1].cumsum()[::-1] >= most)
        least = max(1, int(enough.max(initial=0)))
        return self._labels(query, self._with_at_least(query, min(least, self._least_hit[query])))

    def grades_of(self, query_id: str) -> Mapping[str, float]:
        """As in `Judgement`."""
        return KeywordGrades(self, query_id, self._place(query_id))

    def relevant_ids(self, query_id: str) -> tuple[str, ...]:
        """As in `Judgement`."""
        query = self._place(query_id)
        item = self._with_at_least(query, self._least_hit[query])
        return tuple(self.item_ids.take(item[item != self.own[query]]).tolist())

    def best_first(self, query_id: str, most: int | None) -> tuple[Array, NDArray[np.float64]]:
        """As in `Judgement`."""
        query = self._place(query_id)
        ends = self.counts[query, ::-1].cumsum()
        ends = ends if most is None else ends.clip(max=most)
        levels = np.repeat(np.arange(len(ends))[::-1], np.diff(ends, prepend=0))
        grades = self.level_grades[query, levels].astype(self._type)
        return grades, self.level_credits[query, levels]

    def _place(self, query_id: str) -> int:
        return int(np.asarray(self.asked.get_loc(query_id)))

    def _labels(self, query: int, item: Places) -> QueryLabels:
        """The labels of some items, but for the query's own."""
        item = item[item != self.own[query]]
        level = self.bits.matched(np.full(len(item), query), item)
        grade = self.level_grades[query, level].astype(self._type)
        credit = self.level_credits[query, level]
        return QueryLabels(self.item_ids, item, grade, credit, self.relevant_from)

    def _with_at_least(self, query: int, number: int) -> Places:
        """The items with at least so many of a query's keywords, its own among them."""
        if number > self.bits.needed[query]:
            return np.empty(0, dtype=np.int64)
        return self.bits.places(self.bits.with_at_least(query, number))

    @cached_property
    def _least_hit(self) -> list[int]:
        """How many of a query's keywords a relevant item has at least; where not even all are
        enough, more than there are. [Q]"""
        least = np.where(self.level_hits.any(axis=1), self.level_hits.argmax(axis=1), UNREACHED)
        return [int(each) for each in least]

    def pairs(self, which: Worth) -> pd.DataFrame:
        """As in `Judgement`."""
        if which == "judged":
            return self.qrels
        found = list(self._places(which))
        query = np.repeat(np.arange(len(found)), [len(items) for items in found])
        item = np.concatenate([np.empty(0, dtype=np.int64), *found])
        return pd.DataFrame(
            {
                "query_id": pd.Categorical.from_codes(query, categories=self.asked),
                "item_id": pd.Categorical.from_codes(item, categories=self.item_ids),
            }
        )

    def _places(self, which: Worth) -> Iterator[Places]:
        for query, own in enumerate(self.own):
            items = self._with_at_least(query, self._least_hit[query] if which == "hit" else 1)
            yield items[items != own].astype(np.int32)

    def of_queries(self, query_ids: Iterable[str]) -> Judgement:
        """As in `Judgement`."""
        kept = set(query_ids)
        return self._like(np.flatnonzero([q in kept for q in self.query_ids]), self.scale)

    @cached_property
    def highest(self) -> pd.Series | None:
        """As in `Judgement`."""
        if not self.counts.any():
            return None
        best = np.where(self.counts > 0, self.level_grades, -1).max(axis=1).argmax()
        first = self._table(np.array([best]))
        return first.iloc[int(first["grade"].to_numpy().argmax())]

    @cached_property
    def counts(self) -> Places:
        """How many judged items have 0, 1 … of a query's required keywords. [Q, M + 1]"""
        counts = np.zeros((len(self.query_ids), self.bits.required.shape[1] + 1), dtype=np.int64)
        alike: dict[Any, Places] = {}
        for query, (rows, needed) in enumerate(
            zip(self.bits.required, self.bits.needed, strict=True)
        ):
            if needed:
                key = tuple(sorted(rows))
                if key not in alike:
                    alike[key] = self.bits.counts(query)
                counts[query, : needed + 1] = alike[key]
        mine = np.flatnonzero((self.own >= 0) & (self.bits.needed > 0))
        counts[mine, self.bits.matched(mine, self.own[mine])] -= 1
        return counts

    @cached_property
    def grade_values(self) -> Array:
        """As in `Judgement`."""
        values = np.unique(self.level_grades[self.counts > 0])
        return np.asarray(values.astype(smallest_type(values)))

    @cached_property
    def credit_values(self) -> NDArray[np.float64]:
        """As in `Judgement`."""
        return np.asarray(np.unique(self.level_credits[self.counts > 0]))

    @cached_property
    def number_judged(self) -> NDArray[np.int64]:
        """How many items are judged for each query. [Q]"""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def relevant(self) -> NDArray[np.int64]:
        """R, the number of relevant items of each query."""
        return np.asarray((self.counts * self.level_hits).sum(axis=1))

    @cached_property
    def missable(self) -> NDArray[np.int64]:
        """The number of items of each query that are judged not relevant."""
        return np.asarray(self.number_judged - self.relevant)

    @cached_property
    def credit_is_hit(self) -> bool:
        """Whether credit says no more than relevant or not."""
        return not self.counts[self.level_credits != self.level_hits].any()

    @cached_property
    def ideal(self) -> Array:
        """The positive grades of each query, descending, then 0. [Q, J]"""
        return self._descending(self.level_grades.astype(self._type))

    @cached_property
    def ideal_credit(self) -> Array:
        """The positive credits of each query, descending, then 0. [Q, J']"""
        if self.credit_is_hit:
            places = np.arange(int(self.relevant.max(initial=0)))
            return np.asarray((places[:, None] < self.relevant).T)
        return self._descending(self.level_credits)

    def _descending(self, levels: Array) -> Array:
        """The values above 0 of all judged items of each query, descending, then 0. [Q, J]"""
        levels = levels[:, ::-1]
        numbers = np.where(levels > 0, self.counts[:, ::-1], 0)
        table = np.zeros((int(numbers.sum(axis=1).max(initial=0)), len(levels)), levels.dtype)
        for query, (values, number) in enumerate(zip(levels, numbers, strict=True)):
            table[: number.sum(), query] = np.repeat(values, number)
        return table.T


@dataclass(frozen=True, eq=False)
class KeywordGrades(Mapping[str, float]):
    """The grades of one query's items, looked up where they are read: held for many queries, they
    take no memory."""

    judgement: KeywordJudgement
    query_id: str
    query: int

    def __getitem__(self, item_id: str) -> float:
        judged = self.judgement
        item = np.array([judged.item_ids.get_loc(item_id)], dtype=np.int64)
        if not judged.bits.needed[self.query] or item[0] == judged.own[self.query]:
            raise KeyError(item_id)
        (level,) = judged.bits.matched(np.array([self.query]), item)
        return float(judged.level_grades[self.query, level])

    def __iter__(self) -> Iterator[str]:
        return iter(self.judgement.labels(self.query_id))

    def __len__(self) -> int:
        return int(self.judgement.number_judged[self.query])
