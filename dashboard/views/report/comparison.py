"""Two versions compared by an experiment: every number that a report prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dashboard.evaluation.comparison import compare as comparing
from dashboard.evaluation.coverage import is_outside
from dashboard.evaluation.join import codes
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics.registry import Measure
from dashboard.experiment import judging, measuring, ranking
from dashboard.experiment.collection.collections import Collection
from dashboard.experiment.collection.names import query_names
from dashboard.experiment.experiment import Experiment
from dashboard.tables import RUN
from dashboard.views.labels import label

DEPTH = 5
"""Results of each version under a query."""
MOST = 20
"""How many of the worst and of the best queries are listed with their results."""
_METRICS = [
    "metric", "cutoff", "baseline", "candidate", "delta", "low", "high", "p", "p_holm", "scored",
    "total", "better", "same", "worse",
]  # fmt: skip
_SLICES = {
    "by": "by", "slice": "slice", "candidate": "mean", "delta": "delta", "low": "delta_low",
    "high": "delta_high", "scored": "common", "total": "total",
}  # fmt: skip
_RESULTS = ["query_id", "run", "rank", "item_id", "score", "hit", "move"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a report is about, and its tables; each is computed when it is first read.

    front     the metric that orders the queries; one of `measures`
    date      when the report is made, as it is to be printed
    names     metric names of the source or the standard ones
    only      the queries that count; None for all of the experiment
    part      what these are, in words

    Raises ValueError where the versions are one, the metric in front is not measured, or there is
    no query.
    """

    experiment: Experiment
    baseline: str
    candidate: str
    measures: Sequence[Measure]
    front: Measure
    date: str
    names: str = "source"
    only: tuple[str, ...] | None = None
    part: str = ""

    def __post_init__(self) -> None:
        if self.baseline == self.candidate:
            raise ValueError(f"a report compares two versions; both are {self.baseline!r}")
        if self.front not in self.measures:
            raise ValueError(f"the metric in front, {self.front}, is not among those measured")
        if self.queries.empty:
            raise ValueError(
                "there is no query of this kind to report on; choose another kind of queries"
            )

    @cached_property
    def collection(self) -> Collection:
        """The collection, as its protocol reads it."""
        return self.experiment.collection.under(self.experiment.protocol)

    @property
    def protocol(self) -> str:
        """The protocol's name, which decides what metrics are called."""
        return self.experiment.protocol

    @property
    def versions(self) -> tuple[str, str]:
        """Baseline and candidate."""
        return self.baseline, self.candidate

    @cached_property
    def queries(self) -> pd.DataFrame:
        """The queries that count."""
        return self._counting(judging.queries(self.experiment))

    @cached_property
    def runs(self) -> dict[str, pd.DataFrame]:
        """What both versions ran, and what they have that is no item: see `ranking.outline`."""
        return {
            version: self._counting(ranking.outline(self.experiment, version))
            for version in self.versions
        }

    def _lists(self, query_ids: Sequence[str]) -> dict[str, pd.DataFrame]:
        """The results of both versions for some queries. Of long rankings the first, and where
        those of the other version stand."""
        if not any(ranking.is_long(self.experiment, version) for version in self.versions):
            return {v: run[run["query_id"].isin(query_ids)] for v, run in self.runs.items()}
        parts: dict[str, list[pd.DataFrame]] = {version: [] for version in self.versions}
        for query_id in query_ids:
            whole = {v: ranking.counted_query_run(self.experiment, v, query_id) for v in parts}
            first = {item for of in whole.values() for item in of["item_id"].head(DEPTH)}
            for version, run in whole.items():
                parts[version].append(run[run["item_id"].isin(first)])
        texts = {"query_id": "str", "item_id": "str"}
        runs = {
            version: pd.concat([RUN.empty(), *(of.astype(texts) for of in some)], ignore_index=True)
            for version, some in parts.items()
        }
        order = pd.CategoricalDtype(self.queries["query_id"])  # that in which results are printed
        return {version: run.astype({"query_id": order}) for version, run in runs.items()}

    @cached_property
    def judgement(self) -> Judgement:
        """What is relevant for which query."""
        return judging.counted_judgement(self.experiment)

    @cached_property
    def required(self) -> pd.DataFrame:
        """The keywords that queries ask for, of the groups that count."""
        required = judging.required_keywords(self.experiment)
        return required[required["group"].isin(list(self.experiment.groups))]

    @cached_property
    def rows(self) -> pd.DataFrame:
        """A row for each metric as `compare` gives it, with its label."""
        metrics = " ".join(map(str, self.measures))
        rows = measuring.comparison(self.experiment, *self.versions, metrics, self.only)
        return rows.assign(label=[label(self, str(each)) for each in self.measures])

    @property
    def front_row(self) -> pd.Series:
        """The row of the metric in front."""
        return self.rows.iloc[list(self.measures).index(self.front)]

    @property
    def title(self) -> str:
        """The metric in front without its formula."""
        return label(self, str(self.front)).partition(" (")[0]

    @cached_property
    def deltas(self) -> pd.DataFrame:
        """The queries by difference in the metric in front, worst first, with their text."""
        measured = measuring.measurements(self.experiment, self.versions, str(self.front))
        rows = comparing.deltas(self._counting(measured), *self.versions)
        names = query_names(self.queries, self.collection.items)
        rows.insert(1, "query", rows["query_id"].map(names).fillna(rows["query_id"]))
        return rows

    @cached_property
    def worst(self) -> tuple[str, ...]:
        """The queries that are worse, the most first, at most MOST."""
        return tuple(self.deltas.loc[self.deltas["delta"] < -comparing.SAME, "query_id"].head(MOST))

    @cached_property
    def best(self) -> tuple[str, ...]:
        """The queries that are better, the most first, at most MOST."""
        better = self.deltas.loc[self.deltas["delta"] > comparing.SAME, "query_id"]
        return tuple(better.tail(MOST)[::-1])

    @cached_property
    def slices(self) -> pd.DataFrame:
        """by, slice, baseline, candidate, delta, low, high, scored, total."""
        rows = measuring.every_slice(
            self.experiment, self.versions, self.baseline, str(self.front), self.only
        )
        before = rows[rows["run"] == self.baseline].reset_index(drop=True)
        after = rows[rows["run"] == self.candidate].reset_index(drop=True)
        columns = {name: after[column] for name, column in _SLICES.items()}
        table = pd.DataFrame(columns).assign(baseline=before["mean"])
        return table[["by", "slice", "baseline", *list(_SLICES)[2:]]]

    @cached_property
    def results(self) -> pd.DataFrame:
        """The first results of both versions for the worst and the best queries.

        Columns: query_id, run, rank, item_id, score, hit (null: not judged), move.
        """
        query_ids = [*self.worst, *self.best]
        runs = self._lists(query_ids)
        pieces = [
            self._first(runs[self.baseline], runs[self.candidate], gone, self.baseline),
            self._first(runs[self.candidate], runs[self.baseline], moved, self.candidate),
        ]
        table = pd.concat(pieces, ignore_index=True)[_RESULTS]
        return table.astype({"query_id": "str", "item_id": "str"})

    def _first(
        self,
        run: pd.DataFrame,
        other: pd.DataFrame,
        move: Move,
        version: str,
    ) -> pd.DataFrame:
        """The first results of one version, with marks and movements against the other."""
        places = dict(zip(_pairs(other), other["rank"], strict=True))
        top = run[run["rank"] <= DEPTH].sort_values(["query_id", "rank"])
        pairs = _pairs(top)
        # what is no item counts as not relevant, wherever it counts at all
        beyond = is_outside(top, self.collection.items["item_id"])
        usual = [False if out and not self.experiment.rules.condensed else None for out in beyond]
        judged, pair = self.judgement.judged(
            codes(top["query_id"], self.judgement.asked), top["item_id"], slice(None)
        )
        marks = np.array(usual, dtype=object)
        marks[judged] = self.judgement.grades(pair) >= self.judgement.relevant_from
        moves = [
            move(int(rank), places.get(pair), DEPTH)
            for rank, pair in zip(top["rank"], pairs, strict=True)
        ]
        return top.assign(run=version, hit=pd.array(marks, dtype="boolean"), move=moves)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables that a report hands over, by name."""
        return {
            "metrics": self.rows[_METRICS],
            "queries": self.deltas,
            "slices": self.slices,
            "results": self.results,
        }

    def _counting(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows of the queries that count."""
        return measuring.of_queries(self.only, table)


def _pairs(table: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(table["query_id"], table["item_id"], strict=True))


Move = Callable[[int, int | None, int], str]


def moved(rank: int, before: int | None, depth: int) -> str:
    """How a result of the candidate moved since the baseline, which lists `depth` results.

    >>> moved(1, 4, 5), moved(3, 2, 5), moved(2, 2, 5), moved(1, 9, 5), moved(1, None, 5)
    ('↑3', '↓1', 'same', "not in baseline's top 5 (rank 9)", "not in baseline's top 5")
    """
    if before is None or before > depth:
        return _beyond("baseline", before, depth)
    return "same" if before == rank else f"{'↑' if before > rank else '↓'}{abs(before - rank):,}"


def gone(rank: int, after: int | None, depth: int) -> str:
    """Whether the candidate no longer lists a result of the baseline.

    >>> gone(1, 3, 5), gone(1, 8, 5), gone(1, None, 5)
    ('', "not in candidate's top 5 (rank 8)", "not in candidate's top 5")
    """
    return "" if after is not None and after <= depth else _beyond("candidate", after, depth)


def _beyond(version: str, rank: int | None, depth: int) -> str:
    return f"not in {version}'s top {depth:,}" + ("" if rank is None else f" (rank {rank:,})")
