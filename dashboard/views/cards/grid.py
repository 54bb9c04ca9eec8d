"""The grid of one query: the rows of all versions with what is known of each item."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import pandas as pd

from dashboard.evaluation.metrics.registry import measure
from dashboard.evaluation.protocols.crossmodal import TEXT
from dashboard.experiment import explaining, judging
from dashboard.experiment.collection import collections, media, near_duplicates
from dashboard.experiment.memory import remembered
from dashboard.experiment.protocols.context_study import list_of_each_version
from dashboard.experiment.reviews.review_acts import own_list
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.cards import Row, captions_of, cards, needed, packed, payload
from dashboard.views.cards.head import Head
from dashboard.views.cards.order import Order
from dashboard.views.cards.query_results import QueryResults
from dashboard.views.cards.rows import hidden_count, notes_above, only_differing, rows_of
from dashboard.views.cards.values import Record
from dashboard.views.cards.verdicts import (
    names_of_query,
    save_outcome,
    save_verdict,
    verdicts_by_item,
)
from dashboard.views.labels import short_label


def draw_grid(
    results: QueryResults,
    view: View,
    values: Mapping[str, float],
    head: Head,
    verdicts: pd.DataFrame | None = None,
    order: Order | None = None,
    **callbacks: Callable[[str], None],
) -> None:
    """Draw a row of cards for each version, one for the ideal order and one for what was missed.

    values: of the versions, for this query by the metric in front. verdicts: of reviewers. order:
    the queries to step through.
    callbacks: on_open, on_beside, on_missed, as in `cards`.
    """
    drawn = grid_of(results, view, values, head, verdicts)
    cards(
        drawn.contents,
        drawn.captions,
        key="cards",
        **callbacks,
        on_verdict=lambda verdict: save_verdict(results, verdict),
        answer=save_outcome(),
        about=names_of_query(results),
        selected=view.clip or None,
        beside=view.beside or None,
        address=bar.unsaid(view),
        order=order,
        query=view.query if order else "",
        density=view.density,
    )


@dataclass(frozen=True, eq=False)
class Grid:
    """What a grid shows: the packed cards and the caption of each item."""

    contents: tuple[str, bytes]
    captions: Mapping[str, str]


MERELY_NARROWED = {
    "outcome", "between", "at", "find", "slice", "by", "clip", "beside", "density", "judging",
}  # fmt: skip
"""Keys of the address that change nothing about the cards of a query; those of the two clips that
are open decide which items are needed, and stand beside."""


def grid_of(
    results: QueryResults,
    view: View,
    values: Mapping[str, float],
    head: Head,
    verdicts: pd.DataFrame | None,
) -> Grid:
    """The grid of a query, remembered for all who look at it until a number, a file that is shown
    or a review changes."""
    depends_on: tuple[Hashable, ...] = (
        results.experiment,
        results.query_id,
        tuple(results.problems.items()),
        tuple((key, of) for key, of in vars(view).items() if key not in MERELY_NARROWED),
        tuple((run, str(value)) for run, value in values.items()),
    )
    rows = _rows(depends_on, results, view, values)
    items = needed(rows, view.clip or None, view.beside or None)
    looks = media.looks_of(results.experiment.collection, items)
    reviewed = {}
    if verdicts is not None and len(verdicts):
        reviewed = verdicts_by_item(verdicts.to_dict("records"))
    head = replace(head, notes=(*head.notes, *_of_another_kind(results, view, values)))
    depends_on = (*depends_on, str(looks), str(reviewed), head)
    return _packed(depends_on, results, view, rows, looks, reviewed, head)


def _first(depends_on: tuple[Hashable, ...], *others: object) -> tuple[Hashable, ...]:
    return depends_on


@remembered(512, key=_first)
def _rows(
    depends_on: tuple[Hashable, ...],
    results: QueryResults,
    view: View,
    values: Mapping[str, float],
) -> Sequence[Row]:
    return rows_of(results, view, values)


@remembered(512, key=_first)
def _packed(
    depends_on: tuple[Hashable, ...],
    results: QueryResults,
    view: View,
    rows: Sequence[Row],
    looks: Sequence[Record],
    reviewed: Mapping[str, Any],
    head: Head,
) -> Grid:
    collection, items = results.experiment.collection, [str(look["item_id"]) for look in looks]
    keywords = judging.keywords_of(results.experiment, items)
    required = list(dict.fromkeys(results.required))
    ticks = {item: [pair in of for pair in required] for item, of in keywords.items()}
    described = _described(results, rows, looks, ticks, int(view.shown))
    for record in described:
        if record["item_id"] in reviewed:
            record["reviewed"] = reviewed[record["item_id"]]
    notes = [*notes_above(view), _twins_count(described)]
    if view.differing == "yes":
        rows, hidden = only_differing(rows)
        notes.append(hidden_count(len(results.runs), hidden))
    contents = payload(
        rows,
        described,
        required=required,
        ticks=ticks,
        places={version: results.places(version, items) for version in results.runs},
        annotations=keywords,
        baseline=view.baseline,
        columns=None if view.columns == "line" else int(view.columns),
        depth=measure(view.metric).cutoff,
        askable=collections.searched_with(collection, tuple(results.runs)).items,
        head=replace(head, notes=(*head.notes, *filter(None, notes))),
    )
    contents["about"] = names_of_query(results)
    contents["grades"] = judging.grades(results.experiment)
    contents["lists"] = {run: own_list(run) for run in results.runs}
    if view.protocol == "context":
        seen = list_of_each_version(view.collection, results.query_id, view.list)
        contents["lists"] |= {run: of for run, of in seen.items() if run in results.runs}
    contents["correctable"] = {
        "items": bool(collection.groups),
        "query": judging.is_mapped(results.experiment, results.query_id),
    }
    contents["pair"] = [view.candidate, view.baseline]
    return Grid(packed(contents), captions_of(looks))


def _described(
    results: QueryResults,
    rows: Sequence[Row],
    looks: Sequence[Record],
    ticks: Mapping[str, Sequence[bool]],
    depth: int,
) -> list[dict[str, Any]]:
    """How each item is shown, whether it is a hit, what it has, what it is a copy of, and why.

    looks: rows of `experiment.media.media_of`; ticks: as for `payload`.
    """
    experiment, item_ids = results.experiment, [str(look["item_id"]) for look in looks]
    hit = {item: results.hit(item) for item in item_ids}
    wrong = [i for row in rows if row.role == "version" for i in row.item_ids]
    lost = [i for row in rows if row.role == "missed" for i in row.item_ids]
    causes = explaining.causes(
        experiment,
        results.query_id,
        tuple(i for i in dict.fromkeys(wrong) if hit[i] is False and i not in results.outside),
        tuple(lost),
        depth,
        results.answered,
        results.whole,
    )
    compared = tuple(dict.fromkeys([*item_ids, *([results.own] if results.own else [])]))
    every = looks if len(compared) == len(looks) else None
    alike = near_duplicates.alike(experiment.folder, experiment.digest, compared, every)
    return [
        {
            **look,
            "hit": hit[item],
            "matched": sum(ticks.get(item, ())),
            "required": len(results.required),
            "outside": item in results.outside,
            "note": _graded(results, item),
            "why": causes.get(item),
            "twins": _twins(results, alike, item),
        }
        for item, look in zip(item_ids, looks, strict=True)
    ]


def _graded(results: QueryResults, item_id: str) -> str:
    """The grade of an item in the protocol's words, where it says more than relevant or not."""
    words, grade = results.protocol.grade_in_words, results.labels.get(item_id)
    if grade is None and item_id in results.outside:
        return f"{item_id} is not in the collection"
    if words is None or (grade is None and not (results.protocol.complete and results.labels)):
        return ""
    return words(grade or 0.0)


def _twins(
    results: QueryResults, alike: near_duplicates.Alike, item_id: str
) -> list[tuple[str, str, str]]:
    """The near-duplicates of an item: name, what says so, id; the query's own item first."""
    every = alike.of(item_id)
    if not every:
        return []
    names = collections.item_names(results.experiment.collection)
    own = "the query's own item"
    named = [(own if i == results.own else names[i], "; ".join(every[i]), i) for i in every]
    return sorted(named, key=lambda twin: twin[0] != own)


def _of_another_kind(
    results: QueryResults, view: View, values: Mapping[str, float]
) -> tuple[str, ...]:
    """Why a query that is scored has no value by the metric in front: that is of other queries."""
    judged = judging.counted_judgement(results.experiment)
    kind = judged.kinds.get(results.query_id)
    scored = kind and results.query_id not in judged.unscorable
    if not scored or not values or not all(map(isnan, values.values())):
        return ()
    what = "text" if kind == TEXT else "picture"
    return (
        f"{short_label(view, view.metric)} has no value for a {what} query. “All metrics of this "
        "query” below lists the metrics that have one.",
    )


def _twins_count(described: Sequence[Record]) -> str:
    number = sum(bool(record["twins"]) for record in described)
    return f"{number:,} of these items are near-duplicates of another item." if number else ""
