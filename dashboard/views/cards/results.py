"""What a query found, made ready for the cards: results, ticks, ranks, causes, copies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.coverage import is_outside
from dashboard.evaluation.metrics.registry import measure
from dashboard.evaluation.protocols import PROTOCOLS, Protocol
from dashboard.evaluation.protocols.crossmodal import TEXT
from dashboard.evaluation.protocols.ticks import ticks
from dashboard.experiment import collections, explaining, judging, media, near_duplicates, ranking
from dashboard.experiment.experiment import Experiment
from dashboard.tables import RUN, DataError
from dashboard.views.address import bar
from dashboard.views.cards import Row, cards, needed
from dashboard.views.cards.rows import hidden_said, only_differing, rows_of, said_above, versions
from dashboard.views.cards.said import answer, by_item, names_of, say
from dashboard.views.labels import short_label
from dashboard.views.texts import plain
from dashboard.views.view import View

__all__ = ["Found", "draw", "find", "versions"]


@dataclass(frozen=True, eq=False)
class Found:
    """One query with what each version found for it.

    runs      version → its whole ranking for this query (item_id, score, rank), or as deep as fits
              in memory and then the judged items that a protocol ranks; empty with a problem
    whole     the same without a least similarity and without judged items behind a gap
    problems  version → why it found nothing
    required  the keywords that count, group and keyword
    relevant  the ids of all relevant items; judged: of all judged ones
    copy_of   where copies are left out: each copy → the item that it is a copy of
    counted   version → what the protocol ranks of its ranking, such as the annotated items alone
    grades    the grade of each judged item
    outside   the results that are no item of the collection
    """

    experiment: Experiment
    query_id: str
    runs: dict[str, pd.DataFrame]
    whole: dict[str, pd.DataFrame]
    problems: dict[str, str]
    required: pd.DataFrame
    relevant: tuple[str, ...]
    judged: frozenset[str]
    copy_of: dict[str, str] = field(default_factory=dict)
    counted: dict[str, pd.DataFrame] = field(default_factory=dict)
    grades: dict[str, float] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()

    def ranked(self, version: str) -> pd.DataFrame:
        """What counts of a version's ranking."""
        return self.counted.get(version, self.runs[version])

    def unbroken(self, version: str) -> pd.DataFrame:
        """A version's ranking as far as it has no gap: judged items may follow one that is cut."""
        run = self.runs[version]
        return run[run["item_id"].isin(self.whole[version]["item_id"])]

    def placed(self, version: str) -> pd.DataFrame:
        """Where a version has each item: what counts among its like, the rest in the whole."""
        counted, whole = self.ranked(version), self.whole[version]
        return pd.concat([counted, whole[~whole["item_id"].isin(counted["item_id"])]])

    @property
    def protocol(self) -> Protocol:
        """The protocol that judges."""
        return PROTOCOLS[self.experiment.protocol]

    def hit(self, item_id: str) -> bool | None:
        """Whether an item is relevant; None where nobody judged it.

        What is no item of the collection counts as not relevant, wherever it counts at all.
        """
        if item_id in self.outside and item_id not in self.judged:
            return None if self.protocol.condensed else False
        known = item_id in self.judged or (self.protocol.complete and bool(self.judged))
        return item_id in self.relevant if known else None

    def as_one(self, item_id: str) -> str:
        """The name that several copies share."""
        return self.copy_of.get(item_id, item_id)

    @property
    def own(self) -> str:
        """The item that is asked with, or an empty text."""
        known = judging.queries(self.experiment).set_index("query_id")["item_id"]
        return str(known.loc[self.query_id])


def find(experiment: Experiment, query_id: str, versions: Sequence[str]) -> Found:
    """What the versions found for one of the queries in question."""
    runs, whole, problems = {}, {}, {}
    for version in versions:
        try:
            run, every = ranking.run(experiment, version), ranking.whole_run(experiment, version)
        except (DataError, ValueError) as problem:
            runs[version] = whole[version] = RUN.empty()
            problems[version] = str(problem)
            continue
        runs[version], whole[version] = _of(query_id, run), _of(query_id, every)
        if query_id in run.attrs.get("not_run", {}):
            problems[version] = f"Not run: {run.attrs['not_run'][query_id]}."
    judgement = judging.judgement(experiment)
    qrels = judgement.qrels[judgement.qrels["query_id"] == query_id]
    relevant = qrels.loc[qrels["grade"] >= judgement.relevant_from, "item_id"]
    required = judging.required_keywords(experiment)
    mine = (required["query_id"] == query_id) & required["group"].isin(experiment.groups)
    return Found(
        experiment,
        query_id,
        runs,
        whole,
        problems,
        required.loc[mine, ["group", "keyword"]],
        tuple(relevant.astype("str")),
        frozenset(qrels["item_id"].astype("str")),
        judging.copies_left_out(experiment),
        {version: _counted(run, experiment) for version, run in runs.items()},
        dict(zip(qrels["item_id"].astype("str"), qrels["grade"], strict=True)),
        frozenset(_outside(whole, experiment.collection.items)),
    )


def _outside(runs: Mapping[str, pd.DataFrame], items: pd.DataFrame) -> set[str]:
    """The ids of results that are no item of the collection."""
    found = [run.loc[is_outside(run, items["item_id"]), "item_id"] for run in runs.values()]
    return {str(item) for ids in found for item in ids}


def _counted(run: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """The results that the protocol ranks, ranks closed up."""
    kept = (
        PROTOCOLS[experiment.protocol]
        .keep(run, judging.judgement(experiment))
        .reset_index(drop=True)
    )
    return kept.assign(rank=kept.index + 1)


def _of(query_id: str, run: pd.DataFrame) -> pd.DataFrame:
    return run[run["query_id"] == query_id].reset_index(drop=True)


def draw(
    found: Found,
    view: View,
    values: pd.DataFrame,
    spoken: pd.DataFrame | None = None,
    **told: Callable[[str], None],
) -> None:
    """Draw a row of cards for each version, one for the ideal order and one for what was missed.

    values: the measurements of this query by the metric in front. spoken: reviewers' verdicts.
    told: what to do when something is opened: on_open, on_beside, on_missed, as in `cards`.
    """
    rows = rows_of(found, view, values.set_index("run")["value"].to_dict())
    selected = view.clip or None
    items = needed(rows, selected, view.beside or None)
    described = _described(found, rows, items, int(view.shown))
    if spoken is not None:
        described["reviewed"] = described["item_id"].map(by_item(spoken))
    said = [_of_another_kind(found, view, values), *said_above(view), _twins_said(described)]
    if view.differing == "yes":
        rows, hidden = only_differing(rows)
        said.append(hidden_said(len(found.runs), hidden))
    st.caption(plain(" ".join(filter(None, said)), None))
    cards(
        rows,
        described,
        key="cards",
        **told,
        on_verdict=lambda verdict: say(found, verdict),
        answer=answer(),
        about=names_of(found),
        ticks=ticks(found.required, collections.opened(view.collection).keywords, items),
        ranks=pd.concat([found.placed(version).assign(run=version) for version in found.runs]),
        annotations=_annotations(view.collection, items),
        baseline=view.baseline,
        selected=selected,
        beside=view.beside or None,
        address=bar.unsaid(view),
        columns=None if view.columns == "line" else int(view.columns),
        depth=measure(view.metric).cutoff,
        askable=collections.searched_with(
            collections.opened(view.collection), tuple(found.runs)
        ).items,
    )


def _described(
    found: Found, rows: Sequence[Row], item_ids: Sequence[str], depth: int
) -> pd.DataFrame:
    """How each item is shown, whether it is a hit, what it has, what it is a copy of, and why."""
    experiment = found.experiment
    items = media.media_of(experiment.collection, item_ids)
    hit = {item: found.hit(item) for item in item_ids}
    marks = ticks(found.required, experiment.collection.keywords, item_ids)
    matched = marks[marks["present"] == True].groupby("item_id").size()  # noqa: E712 (may be None)
    wrong = [i for row in rows if row.role == "version" for i in row.results["item_id"]]
    lost = [i for row in rows if row.role == "missed" for i in row.results["item_id"]]
    causes = explaining.causes(
        experiment,
        found.query_id,
        tuple(version for version in found.runs if version not in found.problems),
        tuple(i for i in dict.fromkeys(wrong) if hit[i] is False and i not in found.outside),
        tuple(lost),
        depth,
    )
    ids = tuple(dict.fromkeys([*item_ids, *([found.own] if found.own else [])]))
    alike = near_duplicates.alike(experiment.folder, experiment.digest, ids)
    return items.assign(
        hit=pd.Series([hit[i] for i in item_ids], dtype=object),
        matched=items["item_id"].map(matched).fillna(0).astype(int),
        required=len(found.required),
        outside=[i in found.outside for i in item_ids],
        note=[_graded(found, i) for i in item_ids],
        why=pd.Series([causes.get(i) for i in item_ids], dtype=object),
        twins=pd.Series([_twins(found, alike, i) for i in item_ids], dtype=object),
    )


def _graded(found: Found, item_id: str) -> str:
    """The grade of an item in the protocol's words, where it says more than relevant or not."""
    words, grade = found.protocol.grade_said, found.grades.get(item_id)
    if grade is None and item_id in found.outside:
        return f"{item_id} is not in the collection"
    if words is None or (grade is None and not (found.protocol.complete and found.judged)):
        return ""
    return words(grade or 0.0)


def _twins(found: Found, alike: Any, item_id: str) -> list[tuple[str, str, str]]:
    """The near-duplicates of an item: name, what says so, id; the query's own item first."""
    every, names = alike.of(item_id), collections.item_names(found.experiment.collection)
    own = "the query's own item"
    named = [(own if i == found.own else names[i], "; ".join(every[i]), i) for i in every]
    return sorted(named, key=lambda twin: twin[0] != own)


def _of_another_kind(found: Found, view: View, values: pd.DataFrame) -> str:
    """Why a query that is scored has no value by the metric in front: that is of other queries."""
    judged = judging.counted_judgement(found.experiment)
    kind = judged.kinds.get(found.query_id)
    scored = kind and found.query_id not in judged.unscorable
    if not scored or values.empty or values["value"].notna().any():
        return ""
    what = "text" if kind == TEXT else "picture"
    return (
        f"{short_label(view, view.metric)} has no value for a {what} query. “All metrics of this "
        "query” below lists the metrics that have one."
    )


def _twins_said(described: pd.DataFrame) -> str:
    number = sum(map(bool, described["twins"]))
    return f"{number:,} of these items are near-duplicates of another item." if number else ""


def _annotations(collection: str, item_ids: Sequence[str]) -> pd.DataFrame:
    known = collections.opened(collection).keywords
    return known[known["item_id"].isin(list(item_ids))]
