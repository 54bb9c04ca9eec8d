"""A judgement by keywords in which some pairs are judged in another way: by reviewers, or because
several items count as one. All other pairs are looked up as before, and no table is made of them.
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
from dashboard.evaluation.protocols.keyword_judgement import KeywordJudgement
from dashboard.evaluation.rankings import Flags

NAMES = ["query_id", "item_id"]
PAIRS = 1 << 20
"""Pairs of a query and a copy that are compared at a time."""


@dataclass(frozen=True, eq=False)
class Amendments:
    """Pairs that are judged in another way, each once, by the codes of query and item. [n] each

    judged: False where a pair is judged no more; its grade and credit are 0 then.
    """

    query: Places
    item: Places
    judged: Flags
    grade: NDArray[np.float64]
    credit: NDArray[np.float64]

    def rows(self, some: Array) -> Amendments:
        """Some of them."""
        return Amendments(*(getattr(self, each.name)[some] for each in fields(self)))


def _joined(several: Sequence[Amendments]) -> Amendments:
    names = [each.name for each in fields(Amendments)]
    return Amendments(*(np.concatenate([getattr(of, name) for of in several]) for name in names))


class AmendedJudgement(Judgement):
    """A judgement by keywords with amendments.

    base: without them; items: the ids of all judged items, those of `base` first; gone [items]:
    whether only amendments judge an item.
    """

    base: KeywordJudgement
    items: pd.Index
    gone: Flags
    amended: Amendments

    def __init__(
        self,
        base: KeywordJudgement,
        items: pd.Index,
        gone: Flags,
        amended: Amendments,
        like: Judgement,
        **others: Any,
    ) -> None:
        """like: the judgement whose other fields it has, but for `others`."""
        own = {"base": base, "items": items, "gone": gone, "amended": amended}
        same = {each.name: getattr(like, each.name) for each in fields(Judgement)[1:]}
        for name, value in (same | own | others).items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, judgement: KeywordJudgement | AmendedJudgement) -> AmendedJudgement:
        """The same judgement with no further amendment."""
        if isinstance(judgement, AmendedJudgement):
            return judgement
        none, items = np.empty(0, dtype=np.int64), judgement.item_ids
        zeros = np.empty(0, dtype=np.float64)
        nothing = Amendments(none, none, none.astype(bool), zeros, zeros)
        return cls(judgement, items, np.zeros(len(items), dtype=bool), nothing, judgement)

    def with_pairs(self, pairs: pd.DataFrame, **others: Any) -> AmendedJudgement:
        """The same with these pairs (query_id, item_id, grade, credit) in place of what they were.
        others: fields of `Judgement` that change."""
        new = pd.Index(pairs["item_id"].astype("str").unique())
        items = self.items.append(new[~new.isin(self.items)])
        made = AmendedJudgement(self.base, items, self._longer(len(items)), self.amended, self)
        further = Amendments(
            codes(pairs["query_id"], self.asked).astype(np.int64),
            codes(pairs["item_id"].astype("str"), items).astype(np.int64),
            np.ones(len(pairs), dtype=bool),
            pairs["grade"].to_numpy(dtype=np.float64),
            pairs["credit"].to_numpy(dtype=np.float64),
        )
        return made._amend(further, made.gone, **others)

    def as_one(self, copy_of: Mapping[str, str], own: Mapping[str, str]) -> AmendedJudgement:
        """The same with the copies of an item as one: the best grade and credit count.

        copy_of: each copy → the item that it counts as; own: query_id → the item, no copy, that
        never counts as its result.
        """
        firsts = pd.Index(sorted({*copy_of.values(), *own.values()}), dtype="str")
        items = self.items.append(firsts[~firsts.isin(self.items)])
        made = AmendedJudgement(self.base, items, self._longer(len(items)), self.amended, self)
        return made._merged(copy_of, own)

    def _merged(self, copy_of: Mapping[str, str], own: Mapping[str, str]) -> AmendedJudgement:
        one = self.items.get_indexer(pd.Index([copy_of.get(item, item) for item in self.items]))
        several = np.flatnonzero(np.bincount(one, minlength=len(one))[one] > 1)
        members = several[np.argsort(one[several], kind="stable")]
        starts = np.flatnonzero(np.diff(one[members], prepend=-1))
        further, step = [], max(1, PAIRS // max(len(members), 1))
        for start in range(0, len(self.query_ids) if len(members) else 0, step):
            some = np.arange(start, min(start + step, len(self.query_ids)))
            further.append(self._best(some, members, starts, one[members[starts]]))
        itself = self.items.get_indexer(pd.Index(list(own.values()), dtype="str"))
        asks = self.asked.get_indexer(pd.Index(list(own), dtype="str"))
        asks, itself = asks[asks >= 0], itself[asks >= 0]
        none = np.zeros(len(asks))
        every = _joined([*further, Amendments(asks, itself, none > 0, none, none)])
        key = self._key(every.query, every.item)
        last = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
        gone = self.gone.copy()
        gone[members[one[members] != members]] = True
        kept = self.amended.rows(~np.isin(self.amended.item, members))
        made = AmendedJudgement(self.base, self.items, gone, kept, self, leave_out=dict(own))
        return made._amend(every.rows(np.sort(last)), gone)

    def _best(self, queries: Places, members: Places, starts: Places, one: Places) -> Amendments:
        """What several items are worth as one to some queries, where it is not what the first of
        them is by its keywords."""
        query, item = np.repeat(queries, len(members)), np.tile(members, len(queries))
        judged = self._is_judged(query, item)
        key, shape = self._key(query[judged], item[judged]), (len(queries), len(members))
        worth = np.full((2, len(query)), -np.inf)
        worth[0, judged], worth[1, judged] = self.grades(key), self.credits(key)
        grade, credit = (
            np.maximum.reduceat(each.reshape(shape), starts, axis=1).ravel() for each in worth
        )
        there = np.logical_or.reduceat(judged.reshape(shape), starts, axis=1).ravel()
        query, item = np.repeat(queries, len(starts)), np.tile(one, len(queries))
        before, plain = self._by_keywords(query, item), np.full((2, len(query)), -np.inf)
        mine = query[before] * len(self.base.item_ids) + item[before]
        plain[0, before], plain[1, before] = self.base.grades(mine), self.base.credits(mine)
        other = (there != before) | (grade != plain[0]) | (credit != plain[1])
        grade, credit = np.where(there, grade, 0.0), np.where(there, credit, 0.0)
        return Amendments(query, item, there, grade, credit).rows(other)

    def _longer(self, number: int) -> Flags:
        return np.append(self.gone, np.zeros(number - len(self.gone), dtype=bool))

    def _amend(self, further: Amendments, gone: Flags, **others: Any) -> AmendedJudgement:
        """With further amendments, which supersede those of the same pairs."""
        old = self.amended
        kept = old.rows(
            ~np.isin(self._key(old.query, old.item), self._key(further.query, further.item))
        )
        both = _joined([kept, further])
        return AmendedJudgement(self.base, self.items, gone, both, self, **others)

    def _key(self, query: Array, item: Array) -> Places:
        return np.asarray(query.astype(np.int64) * max(len(self.items), 1) + item)

    @cached_property
    def _sorted(self) -> tuple[Places, Places]:
        """The pairs of the amendments as numbers, ascending, and where each stands."""
        key = self._key(self.amended.query, self.amended.item)
        order = np.argsort(key)
        return key[order], order

    def _amendment(self, key: Places) -> Places:
        """Which amendment each pair has, -1 for none."""
        keys, order = self._sorted
        if not len(keys):
            return np.full(len(key), -1)
        at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        return np.where(keys[at] == key, order[at], -1)

    def _by_keywords(self, query: Array, item: Array) -> Flags:
        """Whether keywords judge each pair, whether or not it is amended."""
        inside = (item >= 0) & (item < len(self.base.item_ids))
        inside &= ~np.append(self.gone, True)[item] & (item != self.base.own[query])
        return np.asarray(inside & (self.base.bits.needed[query] > 0))

    @property
    def item_ids(self) -> pd.Index:
        """The ids of all judged items."""
        return self.items

    def judged(self, query: Codes, items: pd.Series, rows: Array | slice) -> tuple[Places, Places]:
        """As in `Judgement`; a pair is one number of query and item."""
        item = codes(items, self.items)[rows]
        found = np.flatnonzero(self._is_judged(query, item))
        return found, self._key(query, item)[found]

    def _is_judged(self, query: Array, item: Array) -> Flags:
        judged = self._by_keywords(query, item)
        at = np.where(item >= 0, self._amendment(self._key(query, item)), -1)
        judged[at >= 0] = self.amended.judged[at[at >= 0]]
        return judged

    def grades(self, pair: Places) -> Array:
        """As the keywords say, or as amended."""
        return self._values(pair, self.base.grades, self.amended.grade).astype(self._type)

    def credits(self, pair: Places) -> NDArray[np.float64]:
        """As the keywords say, or as amended."""
        return self._values(pair, self.base.credits, self.amended.credit)

    def _values(self, pair: Places, by_keywords: Any, amended: Array) -> NDArray[np.float64]:
        at, found = self._amendment(pair), np.zeros(len(pair))
        found[at >= 0] = amended[at[at >= 0]]
        query, item = np.divmod(pair[at < 0], max(len(self.items), 1))
        found[at < 0] = by_keywords(query * len(self.base.item_ids) + item)
        return found

    @cached_property
    def _type(self) -> type:
        return smallest_type(self._given_grades)

    @cached_property
    def _given_grades(self) -> Array:
        given = self.amended.grade[self.amended.judged]
        return np.union1d(self.base.level_grades[self._counts > 0], given)

    @cached_property
    def _counts(self) -> Places:
        """How many pairs that are not amended have 0, 1 … of a query's keywords. [Q, M + 1]"""
        counts, bits = self.base.counts.copy(), self.base.bits
        gone = np.flatnonzero(self.gone[: len(self.base.item_ids)])
        for query in np.flatnonzero(bits.needed > 0) if len(gone) else ():
            items = gone[gone != self.base.own[query]]
            number = bits.matched(np.full(len(items), query), items)
            counts[query] -= np.bincount(number, minlength=counts.shape[1])
        known = self._by_keywords(self.amended.query, self.amended.item)
        mine = self.amended.rows(known)
        np.subtract.at(counts, (mine.query, bits.matched(mine.query, mine.item)), 1)
        return counts

    def _number(self, which: Flags) -> Places:
        """How many amended pairs of each query are judged and fulfil a condition. [Q]"""
        mine = self.amended.query[which & self.amended.judged]
        return np.bincount(mine, minlength=len(self.query_ids)).astype(np.int64)

    @cached_property
    def grade_values(self) -> Array:
        """As in `Judgement`."""
        return self._given_grades.astype(self._type)

    @cached_property
    def credit_values(self) -> NDArray[np.float64]:
        """As in `Judgement`."""
        given = self.amended.credit[self.amended.judged]
        return np.union1d(self.base.level_credits[self._counts > 0], given)

    @cached_property
    def _relevant(self) -> Places:
        """How many relevant items of each query are not amended. [Q]"""
        return np.asarray((self._counts * self.base.level_hits).sum(axis=1))

    @cached_property
    def number_judged(self) -> NDArray[np.int64]:
        """How many items are judged for each query. [Q]"""
        return np.asarray(self._counts.sum(axis=1) + self._number(self.amended.judged))

    @cached_property
    def relevant(self) -> NDArray[np.int64]:
        """R, the number of relevant items of each query."""
        return np.asarray(self._relevant + self._number(self._hits))

    @property
    def _hits(self) -> Flags:
        return np.asarray(self.amended.grade >= self.relevant_from)

    @cached_property
    def missable(self) -> NDArray[np.int64]:
        """The number of items of each query that are judged not relevant, none of a grade below
        0."""
        misses = ~self._hits & (self.amended.grade >= 0)
        return np.asarray(self._counts.sum(axis=1) - self._relevant + self._number(misses))

    @cached_property
    def credit_is_hit(self) -> bool:
        """Whether credit says no more than relevant or not."""
        other = self.base.level_credits != self.base.level_hits
        hit = (self.amended.credit == self._hits) | ~self.amended.judged
        return bool(hit.all()) and not self._counts[other].any()

    @cached_property
    def ideal(self) -> Array:
        """The positive grades of each query, descending, then 0. [Q, J]"""
        return self._descending(self.base.level_grades, self.amended.grade).astype(self._type)

    @cached_property
    def ideal_credit(self) -> Array:
        """The positive credits of each query, descending, then 0. [Q, J']"""
        if self.credit_is_hit:
            places = np.arange(int(self.relevant.max(initial=0)))
            return (places[:, None] < self.relevant).T
        return self._descending(self.base.level_credits, self.amended.credit)

    def _descending(self, levels: Array, amended: Array) -> NDArray[np.float64]:
        """The values above 0 by keywords and the amended ones, descending, then 0. [Q, J]"""
        positive = self.amended.judged & (amended > 0)
        order = np.argsort(self.amended.query[positive], kind="stable")
        query, values = self.amended.query[positive][order], amended[positive][order]
        ends = np.searchsorted(query, np.arange(len(self.query_ids) + 1))
        numbers = np.where(levels > 0, self._counts, 0)
        given = (np.repeat(*row) for row in zip(levels, numbers, strict=True))
        rows = [
            np.sort(np.append(row, values[start:end]))[::-1]
            for row, start, end in zip(given, ends, ends[1:], strict=False)
        ]
        table = np.zeros((max(map(len, rows), default=0), len(rows)))
        for number, row in enumerate(rows):
            table[: len(row), number] = row
        return table.T

    def labels(self, query_id: str) -> QueryLabels:
        """As in `Judgement`."""
        place = int(np.asarray(self.asked.get_loc(query_id)))
        given, mine = self.base.labels(query_id), self._of_query(place)
        kept = ~self.gone[given.place] & ~np.isin(given.place, mine.item)
        mine = mine.rows(mine.judged)
        item = np.append(given.place[kept], mine.item)
        grade: Array = np.append(given.grade[kept], mine.grade).astype(self._type)
        credit = np.append(given.credit[kept], mine.credit)
        if self.gone.any():  # an item stands where the first of its copies did
            order = np.argsort(item)
            item, grade, credit = item[order], grade[order], credit[order]
        return QueryLabels(self.items, item, grade, credit, self.relevant_from)

    def _of_query(self, place: int) -> Amendments:
        return self.amended.rows(np.flatnonzero(self.amended.query == place))

    def pairs(self, which: Worth) -> pd.DataFrame:
        """As in `Judgement`."""
        if which == "judged":
            return self.qrels
        given = self.base.pairs(which)
        query, item = (
            codes(given[name], of) for name, of in zip(NAMES, (self.asked, self.items), strict=True)
        )
        key = self._key(query, item)
        kept = ~self.gone[item] & (self._amendment(key) < 0)
        worth = self._hits
        if which == "worth":
            worth = worth | (self.amended.grade > 0) | (self.amended.credit > 0)
        mine = self.amended.rows(worth & self.amended.judged)
        both = np.append(query[kept], mine.query), np.append(item[kept], mine.item)
        return self._named(*both)

    def _named(self, query: Array, item: Array) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "query_id": pd.Categorical.from_codes(query, categories=self.asked),
                "item_id": pd.Categorical.from_codes(item, categories=self.items),
            }
        )

    @cached_property
    def qrels(self) -> pd.DataFrame:
        """All pairs as a table."""
        return pd.concat(self.tables(), ignore_index=True)

    def tables(self) -> Iterator[pd.DataFrame]:
        """As in `Judgement`; amended pairs are the last part."""
        names = dict.fromkeys(NAMES, "str")
        for given in self.base.tables():
            query, item = codes(given["query_id"], self.asked), codes(given["item_id"], self.items)
            kept = ~self.gone[item] & (self._amendment(self._key(query, item)) < 0)
            yield given[kept].astype(names)
        mine = self.amended.rows(self.amended.judged)
        new = self._named(mine.query, mine.item).assign(grade=mine.grade, credit=mine.credit)
        yield new.astype(names)

    def of_queries(self, query_ids: Iterable[str]) -> Judgement:
        """As in `Judgement`."""
        kept = set(query_ids)
        base = self.base.of_queries(kept)
        if not isinstance(base, KeywordJudgement):
            raise TypeError(f"{type(base).__name__} in place of a judgement by keywords")
        inside = np.array([query in kept for query in self.query_ids], dtype=bool)
        mine = self.amended.rows(inside[self.amended.query])
        query = (np.cumsum(inside) - 1)[mine.query]
        some = Amendments(query, mine.item, mine.judged, mine.grade, mine.credit)
        reasons = {q: why for q, why in self.unscorable.items() if q in kept}
        return AmendedJudgement(
            base, self.items, self.gone, some, self,
            query_ids=base.query_ids, unscorable=reasons,
        )  # fmt: skip

    @cached_property
    def highest(self) -> pd.Series | None:
        """As in `Judgement`."""
        mine = self.amended.rows(self.amended.judged)
        given = np.where(self._counts > 0, self.base.level_grades, -np.inf).max(
            axis=1, initial=-np.inf
        )
        best = given.argmax() if len(given) else 0
        if len(mine.grade) and mine.grade.max() > given.max():
            best = mine.query[int(mine.grade.argmax())]
        first = self.of_queries(self.query_ids[best : best + 1]).qrels
        return first.iloc[int(first["grade"].to_numpy().argmax())] if len(first) else None
