"""What a report says, as tables: the same functions that the screens and the command line call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dashboard.evaluation.comparison import compare as comparing
from dashboard.evaluation.coverage import is_outside
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.ticks import ticks
from dashboard.experiment import judging, measuring
from dashboard.experiment.names import query_names
from dashboard.views.report.subject import Subject

MOST = 20
"""How many of the worst and of the best queries are shown with their pictures."""


@dataclass(frozen=True, eq=False)
class Found:
    """The tables of a report, and what decides about single results.

    comparison  a row a metric as `compare` gives it, with its name
    deltas      the queries by difference in the metric in front, worst first, with their text
    slices      by, slice, baseline, candidate, delta, low, high, scored, total
    results     query_id, run, rank, item_id, score, hit (null: not judged), move of the worst and
                the best queries
    """

    subject: Subject
    judgement: Judgement
    required: pd.DataFrame
    comparison: pd.DataFrame
    deltas: pd.DataFrame
    slices: pd.DataFrame
    results: pd.DataFrame
    worst: tuple[str, ...]
    best: tuple[str, ...]

    @property
    def front(self) -> pd.Series:
        """The row of the comparison that is about the metric in front."""
        return self.comparison.iloc[list(self.subject.measures).index(self.subject.front)]


def find(subject: Subject) -> Found:
    """The numbers of a subject. Raises ValueError where there is no query."""
    if subject.queries.empty:
        raise ValueError(
            "there is no query of this kind to report on; choose another kind of queries"
        )
    experiment, only = subject.experiment, subject.only
    rows = measuring.comparison(experiment, *subject.versions, subject.metrics, only)
    required = judging.required_keywords(experiment)
    deltas = _deltas(subject)
    worst, best = _extremes(deltas)
    judgement = judging.counted_judgement(experiment)
    return Found(
        subject,
        judgement,
        required[required["group"].isin(list(subject.groups))],
        rows.assign(label=[subject.label(each) for each in subject.measures]),
        deltas,
        _slices(subject),
        _results(subject, judgement, [*worst, *best]),
        worst,
        best,
    )


def _extremes(deltas: pd.DataFrame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The queries that are worse and those that are better, the most first, at most MOST each."""
    worse = deltas.loc[deltas["delta"] < -comparing.SAME, "query_id"]
    better = deltas.loc[deltas["delta"] > comparing.SAME, "query_id"]
    return tuple(worse.head(MOST)), tuple(better.tail(MOST)[::-1])


_SLICES = {
    "by": "by",
    "slice": "slice",
    "candidate": "mean",
    "delta": "delta",
    "low": "delta_low",
    "high": "delta_high",
    "scored": "common",
    "total": "total",
}
_SLICES_SHOWN = ("by", "slice", "baseline", *list(_SLICES)[2:])


def _deltas(subject: Subject) -> pd.DataFrame:
    front, experiment = str(subject.front), subject.experiment
    measured = measuring.measurements(experiment, subject.versions, front)
    if subject.only is not None:
        measured = measured[measured["query_id"].isin(subject.only)]
    rows = comparing.deltas(measured, *subject.versions)
    names = query_names(subject.queries, subject.collection.items)
    rows.insert(1, "query", rows["query_id"].map(names).fillna(rows["query_id"]))
    return rows


def _slices(subject: Subject) -> pd.DataFrame:
    rows = measuring.every_slice(
        subject.experiment, subject.versions, subject.baseline, str(subject.front), subject.only
    )
    before = rows[rows["run"] == subject.baseline].reset_index(drop=True)
    after = rows[rows["run"] == subject.candidate].reset_index(drop=True)
    columns = {name: after[column] for name, column in _SLICES.items()}
    return pd.DataFrame(columns).assign(baseline=before["mean"])[[*_SLICES_SHOWN]]


def _results(subject: Subject, judgement: Judgement, query_ids: Sequence[str]) -> pd.DataFrame:
    """The first results of both versions for some queries, with marks and movements."""
    qrels = judgement.qrels[judgement.qrels["query_id"].isin(list(query_ids))]
    relevant = qrels["grade"] >= judgement.relevant_from
    hits = dict(zip(_pairs(qrels), relevant, strict=True))
    whole = {
        version: run[run["query_id"].isin(list(query_ids))] for version, run in subject.runs.items()
    }
    pieces = []
    for version in subject.versions:
        run, other = whole[version], whole[_other(subject, version)]
        places = dict(zip(_pairs(other), other["rank"], strict=True))
        top = run[run["rank"] <= subject.depth].sort_values(["query_id", "rank"])
        pairs = _pairs(top)
        move = gone if version == subject.baseline else moved
        moves = [
            move(int(rank), places.get(pair), subject.depth)
            for rank, pair in zip(top["rank"], pairs, strict=True)
        ]
        # what is no item counts as not relevant, wherever it counts at all
        beyond = is_outside(top, subject.collection.items["item_id"])
        usual = [False if out and not subject.rules.condensed else None for out in beyond]
        marked = [hits.get(pair, mark) for pair, mark in zip(pairs, usual, strict=True)]
        marks = pd.array(marked, dtype="boolean")
        pieces.append(top.assign(run=version, hit=marks, move=moves))
    columns = ["query_id", "run", "rank", "item_id", "score", "hit", "move"]
    table = pd.concat(pieces, ignore_index=True)[columns]
    return table.astype({"query_id": "str", "item_id": "str"})


def _pairs(table: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(table["query_id"], table["item_id"], strict=True))


def _other(subject: Subject, version: str) -> str:
    return subject.candidate if version == subject.baseline else subject.baseline


def moved(rank: int, before: int | None, depth: int) -> str:
    """How a result of the candidate moved since the baseline, which showed `depth` results.

    >>> moved(1, 4, 5), moved(3, 2, 5), moved(2, 2, 5), moved(1, 9, 5), moved(1, None, 5)
    ('↑3', '↓1', 'same', "not in baseline's top 5 (rank 9)", "not in baseline's top 5")
    """
    if before is None or before > depth:
        return _beyond("baseline", before, depth)
    return "same" if before == rank else f"{'↑' if before > rank else '↓'}{abs(before - rank)}"


def gone(rank: int, after: int | None, depth: int) -> str:
    """Whether the candidate no longer shows a result of the baseline.

    >>> gone(1, 3, 5), gone(1, 8, 5), gone(1, None, 5)
    ('', "not in candidate's top 5 (rank 8)", "not in candidate's top 5")
    """
    return "" if after is not None and after <= depth else _beyond("candidate", after, depth)


def _beyond(version: str, rank: int | None, depth: int) -> str:
    return f"not in {version}'s top {depth}" + ("" if rank is None else f" (rank {rank})")


def marks(found: Found, query_id: str, item_ids: Sequence[str]) -> pd.DataFrame:
    """A tick or a cross for each required keyword: item_id, group, keyword, present."""
    mine = found.required[found.required["query_id"] == query_id]
    return ticks(mine, found.subject.collection.keywords, item_ids)
