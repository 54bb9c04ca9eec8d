"""Groups of near-duplicates, and rankings and judgements in which each counts as its first item."""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dashboard.errors import Findings, count_odd, list_names
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measurement import Described
from dashboard.plugins.near_duplicates.choice import ALIKE, BY, COUNTED, KEY, STATED, list_ways
from dashboard.retrieval.gallery import Found, Ranking, Rankings
from dashboard.retrieval.sources import Run
from dashboard.storage.collection import Collection
from dashboard.storage.media import REMOTE, find_media, read_span
from dashboard.storage.vectors import Vectors
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import BoolArray, FloatArray, IntArray, Rows, Table
from dashboard.texts import compute_digest

BLOCK = 256
"""Items that are compared with all others at once."""


class Groups(NamedTuple):
    """Items that count as one.

    Attributes:
        first: Item that each item counts as: the first of its group, or itself. [items].
        members: Items of groups of two or more.
        own_items: The item that each query is about, -1 for none.
        is_item: Whether a query is that item, and not a picture with a text; copies of such a
            picture can be what the query asks for.
    """

    first: IntArray
    members: IntArray
    own_items: IntArray
    is_item: BoolArray

    def add_members(self, items: IntArray) -> IntArray:
        """Return some items, and with each all of its group."""
        of_them = self.members[np.isin(self.first[self.members], self.first[items[items >= 0]])]
        return np.union1d(items, of_them)

    def list_left_out(self, query: int) -> IntArray:
        """Return the items that are no result of a query: its own, and copies of that."""
        own = self.own_items[[query]]
        own = own[own >= 0]
        return self.add_members(own) if self.is_item[query] else own


def find_groups(collection: Collection, way: str) -> Groups:
    """Return the groups by one of `list_ways`; a copy of a copy is a copy.

    Those that the table of items states count alone. Else items are alike whose files are
    identical, or whose vectors are so in the version that a value of the choice names.
    """
    version = collection.versions.get(way.removeprefix(BY))
    root = collection.settings.get("media_root", "media")
    stored = version.items if version else None
    first = _find_firsts(collection.items, stored, collection.folder, root)
    members = np.flatnonzero(np.bincount(first, minlength=len(first))[first] > 1)
    is_item = np.array(collection.queries["item_id"], bool)
    return Groups(first, members, collection.own_items, is_item)


def list_findings(collection: Collection) -> Findings:
    """Return a note on the groups that there are, and a warning for copies of unknown items."""
    items = collection.items
    findings = []
    unknown = items.list_unknown(filter(None, items[STATED]))
    findings += count_odd(
        items.file, unknown, f"cells of {STATED} that name no item", "ids of items.csv; left out"
    )
    for way in list_ways(collection)[:1]:
        groups = find_groups(collection, way)
        items_of = defaultdict(list)
        for item in groups.members.tolist():
            items_of[groups.first[item]].append(items.ids[item])
        few = list_names(map(" = ".join, items_of.values()))
        found = f"groups of near-duplicates, {len(groups.members):,} items ({few})"
        wanted = f"items of their own; {KEY} = {way} counts each group as one"
        findings += count_odd(items.file, len(items_of), found, wanted, "note")
    return findings


@lru_cache(maxsize=8)
def _find_firsts(items: Table, stored: Vectors | None, folder: Path, root: str) -> IntArray:
    """Return the first item of the group of each item; itself if it is alone. [items]."""
    first = np.arange(len(items))
    if any(items[STATED]):
        from scipy.sparse import coo_array  # type: ignore[import-untyped]
        from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

        named = items.find(items[STATED])
        ends = first, np.where(named < 0, first, named)
        graph = coo_array((np.ones(len(first), bool), ends), shape=(len(first), len(first)))
        _, group = connected_components(graph, directed=False)
        return np.asarray(np.unique(group, return_index=True)[1][group])
    content = {}
    of_size = defaultdict(list)
    for place, file in enumerate(items["file"]):
        if REMOTE.match(file):
            content[place] = file  # it is not fetched for this
        elif path := find_media(folder, root, file):
            of_size[path.stat().st_size].append((place, path))
    for alike in of_size.values():
        for place, path in alike if len(alike) > 1 else ():
            content[place] = compute_digest(path)
    identical: dict[object, int] = {}  # the same part of files with the same content, or address
    for place, told in content.items():
        first[place] = identical.setdefault((told, read_span(items, place)), place)
    if not stored:
        return first
    places = stored.find(items.ids)
    known = np.flatnonzero(places >= 0)
    vectors = stored.read(places[known])
    for start in range(0, len(known), BLOCK):
        for near in np.round(vectors[start : start + BLOCK] @ vectors.T, 6) >= ALIKE:
            groups = first[known[near]]
            if (groups != groups[:1]).any():
                first[np.isin(first, groups)] = groups.min()
    return first


class MergedRanking(NamedTuple):
    """A list with the best of each group alone, under the name of its first; without some items."""

    given: Ranking
    groups: Groups
    left_out: IntArray

    def find(self, depth: int, wanted: IntArray, least: float) -> Found:
        first = self.groups.first
        looked_up = np.union1d(self.groups.members, self.left_out)
        found = self.given.find(depth + len(looked_up), np.union1d(wanted, looked_up), least)
        items = np.append(first, -1)[found.items]
        is_best = items < 0
        counts = np.flatnonzero(~np.isin(found.items, self.left_out))
        is_best[counts[np.unique(items[counts], return_index=True)[1]]] = True
        return found._replace(items=items).drop(~is_best).keep(depth, first[wanted[wanted >= 0]])


@dataclass(frozen=True, eq=False, kw_only=True)
class MergedRun(Run):
    """A run whose lists are merged."""

    groups: Groups

    def rank(self, queries: IntArray) -> Rankings:
        for query, ranking in zip(queries.tolist(), super().rank(queries), strict=True):
            yield MergedRanking(ranking, self.groups, self.groups.list_left_out(query))


@dataclass(frozen=True, eq=False)
class MergedJudgement(Judgement):
    """A judgement in which the first item of a group has the best grade and credit of all."""

    given: Judgement
    groups: Groups

    def grades(self, query: int) -> FloatArray:
        return self._merge(query, self.given.grades(query), np.nan)

    def credits(self, query: int) -> FloatArray:
        return self._merge(query, self.given.credits(query), 0.0)

    def _merge(self, query: int, values: FloatArray, nothing: float) -> FloatArray:
        members = self.groups.members
        counting = values.copy()
        counting[self.groups.list_left_out(query)] = nothing
        found = counting.copy()
        found[members] = nothing
        np.fmax.at(found, self.groups.first[members], counting[members])
        return found


def merge_items(
    collection: Collection, choices: Choices, given: Run | Judgement
) -> Run | Judgement:
    """Return a run whose lists hold each group once, or the judgement of groups."""
    if choices[KEY] == COUNTED:
        return given
    groups = find_groups(collection, choices[KEY])
    if not isinstance(given, Run):
        return MergedJudgement(
            given, groups, relevant_from=given.relevant_from, unscorable=given.unscorable
        )
    allowed = given.candidates

    def list_candidates(query: int) -> IntArray | None:
        items = allowed(query)
        return None if items is None else groups.add_members(items)

    nothing = np.full_like(given.own_items, -1)  # the lists leave it out
    return MergedRun(given.source, nothing, given.min_similarity, list_candidates, groups=groups)


def describe_copies(study: Study, query: int, metric: str, rows: Rows) -> Described:
    """Note on a result that stands for a group which items the others are."""
    if study.choices[KEY] == COUNTED:
        return {}, []
    groups = find_groups(study.collection, study.choices[KEY])
    table = study.collection.items
    notes = []
    for item in study.find_items(rows):
        alike = groups.add_members(np.array([item]))
        others = [table.ids[each] for each in alike if each != item]
        notes.append({"notes": [f"copies: {list_names(others)}"]} if others else {})
    return {}, notes
