"""One query: the results of each version, and the relevant items that some version misses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dashboard.next.errors import DataError
from dashboard.next.evaluation.judgement import find_relevant
from dashboard.next.evaluation.measure import Row
from dashboard.next.plugins import load_all
from dashboard.next.retrieval.run import Part
from dashboard.next.tables import IntArray

if TYPE_CHECKING:
    from dashboard.next.study.study import Study


@dataclass(frozen=True, eq=False)
class QueryResult:
    """What is shown of a query.

    Attributes:
        rows: run, rank, item_id, score, hit (None: not judged) and fields of plugins; the first
            results of each version.
        ideal: item_id, rank from 1, ranks by version and fields of plugins; the relevant items in
            the best order.
        missed: item_id, rank (the best of any version; None: none ranks it), runs that show it,
            and fields of plugins.
        asked: What plugins say of the query, such as the keywords that it requires.
        relevant: Number of relevant items.
        lengths: Number of results that pass the similarity threshold, and of all, by version.
        values: Value of the metric by version; None for null.
        problems: Why a version has no results.
    """

    query_id: str
    text: str
    item_id: str
    rows: list[Row]
    ideal: list[Row]
    missed: list[Row]
    asked: Mapping[str, Any]
    relevant: int
    lengths: Mapping[str, tuple[int, int]]
    values: Mapping[str, float | None]
    problems: Mapping[str, str]


def show_query(
    study: Study, query: int, versions: Sequence[str], depth: int, metric: str
) -> QueryResult:
    """Return what each version finds for the query at a position."""
    relevant = find_relevant(study.judgement, query)
    parts: dict[str, Part] = {}
    problems: dict[str, str] = {}
    for version in versions:
        try:
            (part,) = study.run(version).parts(np.array([query]), depth, lambda _: relevant)
        except DataError as error:
            problems[version] = str(error)
            continue
        if query in part.not_run:
            problems[version] = part.not_run[query]
        parts[version] = part
    queries = study.collection.queries
    return QueryResult(
        query_id=queries.ids[query],
        text=queries["text"][query],
        item_id=queries["item_id"][query],
        rows=_list_rows(study, query, parts, depth),
        ideal=_list_ideal(study, query, parts, relevant, depth),
        missed=_list_missed(study, query, parts, depth, relevant.tolist()),
        asked={k: v for each in load_all("describe_query") for k, v in each(study, query).items()},
        relevant=len(relevant),
        lengths={v: (int(p.passing[0]), int(p.length[0])) for v, p in parts.items()},
        values={v: study.value(v, query, metric) if metric else None for v in parts},
        problems=problems,
    )


def _list_rows(study: Study, query: int, parts: Mapping[str, Part], depth: int) -> list[Row]:
    grades, least = study.judgement.grades(query), study.judgement.relevant_from
    rows: list[Row] = []
    items: list[int] = []
    for version, part in parts.items():
        for item, rank, score in zip(
            part.item.tolist(), part.rank.tolist(), part.score.tolist(), strict=True
        ):
            if rank <= min(depth, part.passing[0]):
                grade = grades[item] if item >= 0 else np.nan
                is_unknown = np.isnan(grade) and not study.rules.is_complete
                hit = None if is_unknown else bool(grade >= least)
                name = study.collection.items.ids[item] if item >= 0 else None
                rows.append(
                    {"run": version, "rank": rank, "item_id": name, "score": score, "hit": hit}
                )
                items.append(item)
    return _add_fields(study, query, rows, items)


def _list_ideal(
    study: Study, query: int, parts: Mapping[str, Part], relevant: IntArray, depth: int
) -> list[Row]:
    """Return the first relevant items, the highest grade first, equal ones in gallery order."""
    best = relevant[np.argsort(-study.judgement.grades(query)[relevant], kind="stable")][:depth]
    ranks = {v: dict(zip(p.item.tolist(), p.rank.tolist(), strict=True)) for v, p in parts.items()}
    rows: list[Row] = [
        {
            "item_id": study.collection.items.ids[item],
            "rank": place,
            "ranks": {version: of[item] for version, of in ranks.items() if item in of},
        }
        for place, item in enumerate(best.tolist(), start=1)
    ]
    return _add_fields(study, query, rows, best.tolist())


def _list_missed(
    study: Study, query: int, parts: Mapping[str, Part], depth: int, relevant: Sequence[int]
) -> list[Row]:
    """Return the relevant items that some version does not show, those that none shows first."""
    ranks = {
        version: dict(zip(part.item.tolist(), part.rank.tolist(), strict=True))
        for version, part in parts.items()
    }
    rows: list[tuple[int, float, int, Row]] = []
    for item in relevant:
        found = {version: of[item] for version, of in ranks.items() if item in of}
        shown = [v for v, rank in found.items() if rank <= min(depth, parts[v].passing[0])]
        if len(shown) < len(parts):
            best = min(found.values(), default=None)
            name = study.collection.items.ids[item]
            row: Row = {"item_id": name, "rank": best, "runs": shown}
            rows.append((len(shown), best or np.inf, item, row))
    rows.sort(key=lambda each: each[:3])
    return _add_fields(study, query, [each[3] for each in rows], [each[2] for each in rows])


def _add_fields(study: Study, query: int, rows: list[Row], items: list[int]) -> list[Row]:
    for describe in load_all("describe_items"):
        for row, fields in zip(rows, describe(study, query, items), strict=True):
            row |= fields
    return rows
