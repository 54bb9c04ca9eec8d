"""Rankings and judgements in which the items of a group count as its first item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measurement import Row
from dashboard.plugins.near_duplicates.choice import KEY, ONCE
from dashboard.plugins.near_duplicates.groups import Groups, find_groups
from dashboard.retrieval.gallery import Found, Ranking
from dashboard.retrieval.run import Run
from dashboard.storage.collection import Collection
from dashboard.tables import FloatArray, IntArray

if TYPE_CHECKING:
    from dashboard.study.choices import Choices
    from dashboard.study.study import Study


@dataclass(frozen=True, eq=False)
class MergedRanking:
    """A list that holds the best ranked item of each group alone, under the name of the first.

    Attributes:
        left_out: Items that are no results: the one that the query is about.
    """

    given: Ranking
    groups: Groups
    left_out: IntArray

    def find(self, depth: int, wanted: IntArray, least: float) -> Found:
        first, looked_up = self.groups.first, np.union1d(self.groups.members, self.left_out)
        found = self.given.find(depth + len(looked_up), np.union1d(wanted, looked_up), least)
        items = np.where(found.items >= 0, first[found.items], -1)
        is_best, counts = items < 0, np.flatnonzero(~np.isin(found.items, self.left_out))
        is_best[counts[np.unique(items[counts], return_index=True)[1]]] = True
        gone = found.rank[~is_best]
        rank = found.rank - np.searchsorted(gone, found.rank)
        kept = is_best & ((rank <= depth) | np.isin(items, first[wanted[wanted >= 0]]))
        first_rank = found.tie_first - np.searchsorted(gone, found.tie_first)
        last_rank = found.tie_last - np.searchsorted(gone, found.tie_last, side="right")
        ranks = (rank[kept], first_rank[kept], last_rank[kept])
        passing = found.passing - int((gone <= found.passing).sum())
        return Found(items[kept], found.scores[kept], *ranks, found.length - len(gone), passing)

    def restrict(self, items: IntArray) -> MergedRanking:
        return replace(self, given=self.given.restrict(self.groups.add_members(items)))


@dataclass(frozen=True, eq=False)
class MergedRun(Run):
    """A run whose lists are merged."""

    groups: Groups | None = None

    def _rank(self, queries: IntArray) -> Iterator[Ranking]:
        assert self.groups is not None
        for query, ranking in zip(queries.tolist(), super()._rank(queries), strict=True):
            yield MergedRanking(ranking, self.groups, self.groups.list_left_out(query))


@dataclass(frozen=True, eq=False)
class MergedJudgement:
    """A judgement in which the first item of a group has the best grade and credit of all."""

    given: Judgement
    groups: Groups
    relevant_from: float
    unscorable: Mapping[int, str]

    def grades(self, query: int) -> FloatArray:
        return self._merge(query, self.given.grades(query), np.nan)

    def credits(self, query: int) -> FloatArray:
        return self._merge(query, self.given.credits(query), 0.0)

    def _merge(self, query: int, values: FloatArray, nothing: float) -> FloatArray:
        first, members = self.groups.first, self.groups.members
        counting = values.copy()
        counting[self.groups.list_left_out(query)] = nothing
        found = counting.copy()
        found[members] = nothing
        np.fmax.at(found, first[members], counting[members])
        return found


def merge_items(
    collection: Collection, choices: Choices, given: Run | Judgement
) -> Run | Judgement:
    """Return a run whose lists hold each group once, or the judgement of groups."""
    if choices[KEY] != ONCE:
        return given
    groups = find_groups(collection)
    if not isinstance(given, Run):
        return MergedJudgement(given, groups, given.relevant_from, given.unscorable)
    allowed = given.candidates

    def list_candidates(query: int) -> IntArray | None:
        items = allowed(query) if allowed else None
        return None if items is None else groups.add_members(items)

    nothing = np.full_like(given.own_items, -1)  # the lists leave it out
    candidates = list_candidates if allowed else None
    return MergedRun(given.source, nothing, given.min_similarity, candidates, groups)


def describe_copies(
    study: Study, query: int, metric: str, rows: Sequence[Row]
) -> tuple[Row, list[Row]]:
    """Note on a result that stands for a group how many items that are."""
    if study.choices[KEY] != ONCE:
        return {}, [Row() for _ in rows]
    sizes = find_groups(study.collection).sizes
    items = study.collection.items.find(row["item_id"] or "" for row in rows).tolist()
    return {}, [{"notes": [f"{sizes[i]} copies"]} if sizes[i] else Row() for i in items]
