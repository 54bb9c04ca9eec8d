"""One query: the results of each version, and the relevant items that some version misses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dashboard.errors import DataError, list_names
from dashboard.evaluation.differences import replace_nan
from dashboard.evaluation.judgement import find_relevant, mark_hits
from dashboard.plugins import load_all
from dashboard.retrieval.gallery import Found
from dashboard.tables import IntArray, Names, Row, Rows, Texts

if TYPE_CHECKING:
    from dashboard.evaluation.metrics import Measure
    from dashboard.study.study import Study


@dataclass(frozen=True, eq=False)
class QueryResult:
    """Results of a query in several versions, and its relevant items.

    Attributes:
        rows: run, rank, score (None: the version has an order only) and hit (None: not judged); the
            first results of each version. All rows have item_id, grade, ranks by version, runs that
            show it and fields of plugins, such as `notes`, short texts.
        ideal: The relevant items in the best order.
        missed: rank (the best of any version; None: none ranks it); those that some version does
            not show, those that none shows first.
        near: Items that are not relevant and have the most of what the query asks for, the best
            first.
        asked: What plugins say of the query, such as the keywords that it requires.
        relevant: Number of relevant items.
        lengths: Number of results that pass the similarity threshold, and of all, by version.
        values: Value of the metric by version; None for null.
        problems: Why a version has no results.
    """

    query_id: str
    text: str
    item_id: str
    rows: Rows
    ideal: Rows
    missed: Rows
    near: Rows
    asked: Mapping[str, Any]
    relevant: int
    lengths: Mapping[str, tuple[int, int]]
    values: Mapping[str, float | None]
    problems: Texts

    def list_rows(self, version: str) -> Rows:
        """Return the results of a version."""
        return [row for row in self.rows if row["run"] == version]

    def explain_problems(self, left_out: Container[str]) -> Names:
        """Return why versions have no results, but some; those of one reason stand together."""
        alike = defaultdict(list)
        for version, why in self.problems.items():
            if version not in left_out:
                alike[why.replace(version, "")].append(version)
        return [f"{list_names(names)}: {self.problems[names[0]]}" for names in alike.values()]


def show_query(study: Study, query: int, versions: Names, depth: int, metric: str) -> QueryResult:
    """Return what each version finds for the query at a position."""
    judged, items = study.judgement, study.collection.items
    relevant, grades = find_relevant(judged, query), judged.grades(query)
    near = _find_near(study, query, depth)
    found, problems = _rank_versions(study, query, versions, depth, np.union1d(relevant, near))
    rank_of = {
        v: dict(zip(f.items.tolist(), f.rank.tolist(), strict=True)) for v, f in found.items()
    }

    def describe(item: int) -> Row:
        """Return the grade and ranks of an item, and the versions that show it."""
        if item < 0:
            return {"item_id": None, "grade": None, "ranks": {}, "runs": []}
        ranks = {v: each[item] for v, each in rank_of.items() if item in each}
        runs = [v for v, rank in ranks.items() if rank <= min(depth, found[v].passing)]
        grade = replace_nan(grades[item])
        return {"item_id": items.ids[item], "grade": grade, "ranks": ranks, "runs": runs}

    is_complete = study.rules.is_complete and not np.isnan(grades).all()
    shown = []
    for version, each in found.items():
        hits = mark_hits(judged, query, each.items, is_complete)
        scores = each.scores.tolist()
        scores = scores if study.run(version).source.has_scores else [None] * len(hits)
        columns = (each.items.tolist(), each.rank.tolist(), scores, hits)
        for item, rank, score, hit in zip(*columns, strict=True):
            if rank <= min(depth, each.passing):
                row = {"run": version, "rank": rank, "score": score, "hit": hit}
                shown.append(row | describe(item))
    # the highest grade first, equal ones in gallery order
    best = relevant[np.argsort(-grades[relevant], kind="stable")][:depth]
    ideal = [describe(item) for item in best.tolist()]
    missed = [row for row in map(describe, relevant.tolist()) if len(row["runs"]) < len(found)]
    missed = [row | {"rank": min(row["ranks"].values(), default=None)} for row in missed]
    missed.sort(key=lambda row: (len(row["runs"]), row["rank"] or np.inf))
    close = [describe(item) for item in near.tolist()]
    asked = Row()
    for rows in (shown, ideal, missed, close):
        asked |= describe_rows(study, query, metric, rows)
    own = int(study.collection.own_items[query])
    return QueryResult(
        query_id=study.collection.queries.ids[query],
        text=study.collection.query_names[query],
        item_id=items.ids[own] if own >= 0 else "",
        rows=shown,
        ideal=ideal,
        missed=missed,
        near=close,
        asked=asked,
        relevant=len(relevant),
        lengths={v: (f.passing, f.length) for v, f in found.items()},
        values={v: study.value(v, query, metric) if metric else None for v in found},
        problems=problems,
    )


def explain_null(study: Study, version: str, query: int, measure: Measure) -> str:
    """Return why the query at a position has no value of a metric in a version."""
    if not study.rules.asks(study, measure)[np.searchsorted(study.queries, query)]:
        return "it asks other queries"
    return (
        study.run(version).source.not_run.get(query)
        or study.judgement.unscorable.get(query)
        or "nothing is relevant"
    )


def describe_rows(study: Study, query: int, metric: str, rows: Rows) -> Row:
    """Add the fields of plugins to rows, and return what plugins say of the query."""
    asked = Row()
    for describe in load_all("describe_results", study.rules.name):
        told, fields = describe(study, query, metric, rows)
        asked |= told
        for row, more in zip(rows, fields, strict=False):  # none of a plugin with nothing to say
            notes = [*row.get("notes", ()), *more.get("notes", ())]
            row |= more | ({"notes": notes} if notes else {})
    return asked


def _rank_versions(
    study: Study, query: int, versions: Names, depth: int, wanted: IntArray
) -> tuple[dict[str, Found], Texts]:
    """Return the results of each version, and why a version has none.

    The first results of every version and the wanted items are found however deep they are.
    """
    ranked = {}
    problems = {}
    for version in versions:
        try:
            run = study.run(version)
            ranked[version] = partial(run.find, query, next(run.rank(np.array([query]))), depth)
        except DataError as error:
            problems[version] = str(error)
            continue
        if query in run.source.not_run:
            problems[version] = run.source.not_run[query]
    firsts = (find(wanted).items for find in ranked.values())
    every = np.unique(np.concatenate([wanted, *firsts]))
    return {version: find(every) for version, find in ranked.items()}, problems


def _find_near(study: Study, query: int, most: int) -> IntArray:
    """Return the items that are not relevant and have the most of what a query asks for."""
    credits = study.judgement.credits(query).copy()
    credits[study.judgement.grades(query) >= study.judgement.relevant_from] = 0
    best = np.argsort(-credits, kind="stable")[:most]
    return best[credits[best] > 0]
