"""The grid of one query: the rows of all versions with what is known of each item."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from dashboard.evaluation.metrics.registry import measure
from dashboard.evaluation.protocols.crossmodal import TEXT
from dashboard.evaluation.protocols.ticks import ticks
from dashboard.experiment import explaining, judging
from dashboard.experiment.collection import collections, media, near_duplicates
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.cards import Row, cards, needed
from dashboard.views.cards.query_results import QueryResults
from dashboard.views.cards.rows import hidden_count, notes_above, only_differing, rows_of
from dashboard.views.cards.verdicts import (
    names_of_query,
    save_outcome,
    save_verdict,
    verdicts_by_item,
)
from dashboard.views.labels import short_label
from dashboard.views.texts import plain


def draw_grid(
    results: QueryResults,
    view: View,
    values: pd.DataFrame,
    verdicts: pd.DataFrame | None = None,
    **callbacks: Callable[[str], None],
) -> None:
    """Draw a row of cards for each version, one for the ideal order and one for what was missed.

    values: the measurements of this query by the metric in front. verdicts: of reviewers.
    callbacks: on_open, on_beside, on_missed, as in `cards`.
    """
    rows = rows_of(results, view, dict(zip(values["run"], values["value"], strict=True)))
    selected = view.clip or None
    items = needed(rows, selected, view.beside or None)
    described = _described(results, rows, items, int(view.shown))
    if verdicts is not None:
        described["reviewed"] = described["item_id"].map(verdicts_by_item(verdicts))
    notes = [_of_another_kind(results, view, values), *notes_above(view), _twins_count(described)]
    if view.differing == "yes":
        rows, hidden = only_differing(rows)
        notes.append(hidden_count(len(results.runs), hidden))
    st.caption(plain(" ".join(filter(None, notes)), None))
    cards(
        rows,
        described,
        key="cards",
        **callbacks,
        on_verdict=lambda verdict: save_verdict(results, verdict),
        answer=save_outcome(),
        about=names_of_query(results),
        ticks=ticks(results.required, collections.opened(view.collection).keywords, items),
        ranks=pd.concat([results.placed(version).assign(run=version) for version in results.runs]),
        annotations=_annotations(view.collection, items),
        baseline=view.baseline,
        selected=selected,
        beside=view.beside or None,
        address=bar.unsaid(view),
        columns=None if view.columns == "line" else int(view.columns),
        depth=measure(view.metric).cutoff,
        askable=collections.searched_with(
            collections.opened(view.collection), tuple(results.runs)
        ).items,
    )


def _described(
    results: QueryResults, rows: Sequence[Row], item_ids: Sequence[str], depth: int
) -> pd.DataFrame:
    """How each item is shown, whether it is a hit, what it has, what it is a copy of, and why."""
    experiment = results.experiment
    items = media.media_of(experiment.collection, item_ids)
    hit = {item: results.hit(item) for item in item_ids}
    marks = ticks(results.required, experiment.collection.keywords, item_ids)
    matched = marks[marks["present"] == True].groupby("item_id").size()  # noqa: E712 (may be None)
    wrong = [i for row in rows if row.role == "version" for i in row.results["item_id"]]
    lost = [i for row in rows if row.role == "missed" for i in row.results["item_id"]]
    causes = explaining.causes(
        experiment,
        results.query_id,
        tuple(version for version in results.runs if version not in results.problems),
        tuple(i for i in dict.fromkeys(wrong) if hit[i] is False and i not in results.outside),
        tuple(lost),
        depth,
    )
    ids = tuple(dict.fromkeys([*item_ids, *([results.own] if results.own else [])]))
    alike = near_duplicates.alike(experiment.folder, experiment.digest, ids)
    return items.assign(
        hit=pd.Series([hit[i] for i in item_ids], dtype=object),
        matched=items["item_id"].map(matched).fillna(0).astype(int),
        required=len(results.required),
        outside=[i in results.outside for i in item_ids],
        note=[_graded(results, i) for i in item_ids],
        why=pd.Series([causes.get(i) for i in item_ids], dtype=object),
        twins=pd.Series([_twins(results, alike, i) for i in item_ids], dtype=object),
    )


def _graded(results: QueryResults, item_id: str) -> str:
    """The grade of an item in the protocol's words, where it says more than relevant or not."""
    words, grade = results.protocol.grade_said, results.grades.get(item_id)
    if grade is None and item_id in results.outside:
        return f"{item_id} is not in the collection"
    if words is None or (grade is None and not (results.protocol.complete and results.judged)):
        return ""
    return words(grade or 0.0)


def _twins(
    results: QueryResults, alike: near_duplicates.Alike, item_id: str
) -> list[tuple[str, str, str]]:
    """The near-duplicates of an item: name, what says so, id; the query's own item first."""
    every, names = alike.of(item_id), collections.item_names(results.experiment.collection)
    own = "the query's own item"
    named = [(own if i == results.own else names[i], "; ".join(every[i]), i) for i in every]
    return sorted(named, key=lambda twin: twin[0] != own)


def _of_another_kind(results: QueryResults, view: View, values: pd.DataFrame) -> str:
    """Why a query that is scored has no value by the metric in front: that is of other queries."""
    judged = judging.counted_judgement(results.experiment)
    kind = judged.kinds.get(results.query_id)
    scored = kind and results.query_id not in judged.unscorable
    if not scored or values.empty or values["value"].notna().any():
        return ""
    what = "text" if kind == TEXT else "picture"
    return (
        f"{short_label(view, view.metric)} has no value for a {what} query. “All metrics of this "
        "query” below lists the metrics that have one."
    )


def _twins_count(described: pd.DataFrame) -> str:
    number = sum(map(bool, described["twins"]))
    return f"{number:,} of these items are near-duplicates of another item." if number else ""


def _annotations(collection: str, item_ids: Sequence[str]) -> pd.DataFrame:
    keywords = collections.opened(collection).keywords
    return keywords[keywords["item_id"].isin(list(item_ids))]
