"""Rankings: everything that a metric may see of a run, for all queries at once.

Arrays are shaped [query, rank] and stored rank by rank (Fortran order), so that one rank of all
queries is
a contiguous column: a metric loops over ranks and does each step for all queries in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.evaluation.join import codes
from dashboard.evaluation.judgement import Judgement

Array = NDArray[Any]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rankings:
    """What was found and what could have been found, for Q queries, D ranks and J ideal places.

    Of long lists only the first results and the judged ones need to be here: then a column is no
    rank, and `places` has the true ones. What is left out is unjudged and gains nothing.

    grades [Q, D]        grade of each result; 0 where it is unjudged or the list has ended
    credit [Q, D]        partial relevance in [0, 1]; 0 likewise
    judged [Q, D]        whether the result has a grade at all
    returned [Q]         how many results came back
    relevant [Q]         R: how many relevant items exist
    ideal [Q, J]         the positive grades of all judged items, descending, then 0
    best_credit          gives the same for credit [Q, J'], made where it is read: it may be long
    tied [Q, D]          whether the result has the same score as the one before it
    relevant_from        the least grade that makes a result a hit
    missable [Q]         how many items are judged a miss (see `misses`), found or not; None: those
                         that came back are all
    places [Q, D]        the rank of each result, from 0; 0 where the list has ended. None: the
                         number of its column, for nothing is left out

    A grade below 0 is judged and gains nothing.
    """

    query_ids: tuple[str, ...]
    grades: Array
    credit: Array
    judged: Flags
    returned: Counts
    relevant: Counts
    ideal: Array
    best_credit: Callable[[], Array]
    tied: Flags
    relevant_from: float = 1.0
    missable: Counts | None = None
    places: Counts | None = None

    @property
    def ideal_credit(self) -> Array:
        """The positive credits of all judged items, descending, then 0. [Q, J']"""
        return self.best_credit()

    @property
    def width(self) -> int:
        """D, how many results of the longest list are here."""
        return int(self.grades.shape[1])

    @property
    def depth(self) -> int:
        """The length of the longest list, with what is left out of it."""
        return self.width if self.places is None else int(self.returned.max(initial=0))

    @cached_property
    def hits(self) -> Flags:
        """Whether each result is relevant: judged, its grade at least `relevant_from`. [Q, D]"""
        flags: Flags = (self.grades >= self.relevant_from) & self.judged
        return flags

    @cached_property
    def hit_columns(self) -> Counts:
        """The columns where any query has a hit: few of a long list."""
        columns: Counts = np.flatnonzero(self.hits.any(axis=0))
        return columns

    @cached_property
    def misses(self) -> Flags:
        """Whether each result is judged not relevant, its grade not below 0. [Q, D]"""
        flags: Flags = (self.grades >= 0) & (self.grades < self.relevant_from) & self.judged
        return flags

    @cached_property
    def judged_misses(self) -> Counts:
        """How many items are judged not relevant, their grades not below 0. [Q]"""
        if self.missable is not None:
            return self.missable
        counts: Counts = self.misses.sum(axis=1, dtype=np.int64)
        return counts

    @cached_property
    def gains(self) -> Array:
        """The grades with those below 0 set to 0. [Q, D]"""
        gains: Array = np.maximum(self.grades, 0)
        return gains

    @cached_property
    def ties(self) -> Counts:
        """Number of the group of equal scores that each result stands in, from 0. [Q, D]"""
        groups: Counts = np.cumsum(~self.tied, axis=1) - 1
        return groups

    @cached_property
    def retrieved_ideal(self) -> Array:
        """The best order of what came back: gains descending. [Q, D]"""
        return _descending(self.gains)

    @cached_property
    def retrieved_ideal_credit(self) -> Array:
        """The best order of what came back by credit. [Q, D]"""
        return _descending(self.credit)

    def evaluated(self, k: int | None) -> Counts:
        """How many results are looked at with cutoff k: min(k, returned). [Q]"""
        return self.returned if k is None else np.minimum(self.returned, k)

    def place(self, column: int) -> int | Counts:
        """The rank, from 0, of the results in a column: one number, or one for each query."""
        return int(column) if self.places is None else self.places[:, column]

    @cached_property
    def gapless(self) -> int:
        """To which rank nothing is left out of any list; such columns are ranks."""
        if self.places is None:
            return self.width
        column = np.arange(self.width)
        gap = (self.places != column) & (column < self.returned[:, None])
        return int(np.argmax(gap.any(axis=0))) if gap.any() else self.width

    @cached_property
    def _cuts(self) -> dict[int, Rankings]:
        return {}

    def first(self, k: int | None) -> Rankings:
        """The same lists with nothing beyond rank k (None: as they are); `returned` stays."""
        if k is None or k >= self.depth:
            return self
        if k not in self._cuts:
            self._cuts[k] = self._cut(k)
        return self._cuts[k]

    def _cut(self, k: int) -> Rankings:
        tables = (self.grades, self.credit, self.judged, self.tied)
        if k <= self.gapless:
            grades, credit, judged, tied = (table[:, :k] for table in tables)
            places = None
        else:
            inside = np.asarray(self.places) < k
            grades, credit, judged, tied = (each * inside for each in tables)
            places = np.asarray(self.places) * inside
        return replace(self, grades=grades, credit=credit, judged=judged, tied=tied, places=places)

    def whole(self) -> Rankings:
        """The lists as far as nothing is left out of any, as if they ended there."""
        returned = np.minimum(self.returned, self.gapless)
        return self if self.places is None else replace(self.first(self.gapless), returned=returned)

    def by_rank(self, values: Array, k: int | None) -> Iterator[Array]:
        """The values of one rank after another for all queries, 0 where one is left out. [Q] each

        values: one of the tables of results. Each array is a new one where places are given.
        """
        places = self.first(k).places
        if places is None:
            yield from (values[:, rank] for rank in range(min(self.depth, k or self.depth)))
            return
        query, column = np.nonzero(values)
        rank = np.asarray(self.places)[query, column]
        order = np.argsort(rank, kind="stable")
        query, column, rank = query[order], column[order], rank[order]
        ends = np.searchsorted(rank, np.arange(min(self.depth, k or self.depth) + 1))
        for start, end in zip(ends, ends[1:], strict=False):
            dense = np.zeros(len(values), dtype=values.dtype)
            dense[query[start:end]] = values[query[start:end], column[start:end]]
            yield dense


def rank(run: pd.DataFrame, judgement: Judgement, depth: int | None = None) -> Rankings:
    """The rankings of one run under a judgement, each query's results in the order of `rank`.

    run: RUN table; gaps in `rank` are closed, queries that were not asked are left out. Where
    `run.attrs["lengths"]` says how long each list is ({query_id: number}), ranks are what they are
    and what is not in the table is unjudged. depth: how many results of each query to look at
    (default: all).
    """
    rows = _Rows.of(run, codes(run["query_id"], judgement.asked), len(judgement.query_ids))
    found, pair = judgement.judged(rows.query, run["item_id"], rows.order)
    returned = rows.returned if depth is None else np.minimum(rows.returned, depth)
    grades = rows.table(found, judgement.grades(pair), returned)
    judged = rows.table(found, np.ones(len(found), dtype=bool), returned)
    if judgement.credit_is_hit:
        credit = (grades >= judgement.relevant_from) & judged
    else:
        credit = rows.table(found, judgement.credits(pair), returned)
    tied = rows.tied(run["score"].to_numpy()[rows.order])
    return Rankings(
        query_ids=judgement.query_ids,
        grades=grades,
        credit=credit,
        judged=judged,
        relevant=judgement.relevant,
        ideal=judgement.ideal,
        best_credit=lambda: judgement.ideal_credit,
        tied=rows.table(tied, np.ones(len(tied), dtype=bool), returned),
        relevant_from=judgement.relevant_from,
        missable=judgement.missable,
        **_with_gaps(run, rows, returned, judgement),
    )


def list_lengths(run: pd.DataFrame, judgement: Judgement) -> Counts:
    """How many results each query has in a run, as `returned` of its rankings has it. [Q]"""
    lengths = run.attrs.get("lengths")
    if lengths is not None:
        return np.array([lengths.get(query, 0) for query in judgement.query_ids], dtype=np.int64)
    query = codes(run["query_id"], judgement.asked)
    return np.bincount(query[query >= 0], minlength=len(judgement.query_ids)).astype(np.int64)


def _with_gaps(
    run: pd.DataFrame, rows: _Rows, returned: Counts, judgement: Judgement
) -> dict[str, Counts]:
    """How long lists are of which not all results are in the table, and the ranks of those."""
    lengths = run.attrs.get("lengths")
    if lengths is None:
        return {"returned": returned}
    whole = list_lengths(run, judgement)
    place = run["rank"].to_numpy()[rows.order].astype(np.int32) - 1
    return {"returned": whole, "places": rows.table(np.arange(len(place)), place, returned)}


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a run, query by query and there by rank.

    order: where each row stands in the run's table (`slice(None)` where it is in order already);
    query: its query's code; first [Q]: the row that a query begins with; returned [Q].
    """

    order: Array | slice
    query: Array
    first: Counts
    returned: Counts

    @classmethod
    def of(cls, run: pd.DataFrame, query: Array, queries: int) -> _Rows:
        """The rows of the queries asked; sorted only if the table is not in order already."""
        order: Array | slice = slice(None)
        place = run["rank"].to_numpy()
        if (query < 0).any():
            order = np.flatnonzero(query >= 0)
            query, place = query[order], place[order]
        begins = _beginnings(query)
        rising = place[1:] > place[:-1]
        rising[begins[1:] - 1] = True
        if not rising.all() or np.bincount(query[begins], minlength=1).max() > 1:
            by_rank = np.lexsort((place, query))
            order = by_rank if isinstance(order, slice) else order[by_rank]
            query = query[by_rank]
            begins = _beginnings(query)
        first, returned = np.zeros((2, queries), dtype=np.int64)
        first[query[begins]] = begins
        returned[query[begins]] = np.diff(np.append(begins, len(query)))
        return cls(order, query, first, returned)

    def table(self, rows: Counts, values: Array, returned: Counts) -> Array:
        """`values` of some rows laid out as [query, rank], 0 elsewhere."""
        table = np.zeros((int(returned.max(initial=0)), len(returned)), dtype=values.dtype)
        query = self.query[rows]
        rank = rows - self.first[query]
        if len(rank) and rank.max() >= len(table):
            kept = rank < len(table)
            query, rank, values = query[kept], rank[kept], values[kept]
        table[rank, query] = values
        return table.T

    def tied(self, score: Array) -> Counts:
        """The rows whose score equals that of the row before them in the same list."""
        rows = np.flatnonzero(score[1:] == score[:-1]) + 1
        inside: Counts = rows[rows != self.first[self.query[rows]]]
        return inside


def _beginnings(query: Array) -> Counts:
    changes: Counts = np.flatnonzero(query[1:] != query[:-1]) + 1
    return np.append(0, changes) if len(query) else changes


def from_lists(
    grades: Sequence[Sequence[float | None]],
    *,
    credit: Sequence[Sequence[float]] | None = None,
    judged_grades: Sequence[Sequence[float]] | None = None,
    relevant: Sequence[int] | None = None,
    ties: Sequence[Sequence[int]] | None = None,
    relevant_from: float = 1.0,
) -> Rankings:
    """Rankings from plain lists, best result first; None is an unjudged result.

    judged_grades: the grades of all judged items of each query (default: those of its results).
    relevant: R where it is known without the grades. Credit defaults to hit or not.

    >>> from_lists([[2, None, 1], [0]]).hits.tolist()
    [[True, False, True], [False, False, False]]
    """
    filled = [[0.0 if g is None else float(g) for g in row] for row in grades]
    hit = [[float(g is not None and g >= relevant_from) for g in row] for row in grades]
    if judged_grades is None:
        judged_grades = _least_known(grades, relevant, relevant_from)
    if relevant is None:
        relevant = [sum(g >= relevant_from for g in row) for row in judged_grades]
    best = [[1.0] * r for r in relevant] if credit is None else credit
    groups = [range(len(row)) for row in grades] if ties is None else ties
    tied = [[i > 0 and row[i] == row[i - 1] for i in range(len(row))] for row in groups]
    return Rankings(
        query_ids=tuple(f"q{i + 1}" for i in range(len(filled))),
        grades=_padded(filled),
        credit=_padded(hit if credit is None else credit),
        judged=_padded([[g is not None for g in row] for row in grades]).astype(bool),
        returned=np.array([len(row) for row in filled], dtype=np.int64),
        relevant=np.array(relevant, dtype=np.int64),
        ideal=_descending(np.maximum(_padded(judged_grades), 0)),
        best_credit=lambda: _descending(_padded(best)),
        tied=_padded(tied).astype(bool),
        relevant_from=relevant_from,
        missable=np.array([sum(0 <= g < relevant_from for g in row) for row in judged_grades]),
    )


def _least_known(
    grades: Sequence[Sequence[float | None]], relevant: Sequence[int] | None, relevant_from: float
) -> list[list[float]]:
    """The results' grades, and the least relevant one for each item that R counts beyond them."""
    known = [[float(g) for g in row if g is not None] for row in grades]
    for row, count in zip(known, relevant or [], strict=False):
        row += [relevant_from] * (count - sum(g >= relevant_from for g in row))
    return known


def _padded(rows: Sequence[Sequence[float]]) -> Floats:
    longest = max((len(row) for row in rows), default=0)
    table = np.zeros((len(rows), longest), order="F")
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return table


def _descending(table: Array) -> Array:
    return np.asfortranarray(-np.sort(-table.astype(np.float64), axis=1))
