"""The results of one query: what each version ranks, what is relevant, and what counts."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, nan
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.evaluation.join import Placed, codes
from dashboard.evaluation.judgement import QueryLabels
from dashboard.evaluation.protocols import PROTOCOLS, Protocol
from dashboard.experiment import brief_rankings, judging, long_rankings, ranking
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.judging import Pair
from dashboard.experiment.memory import remembered
from dashboard.tables import RUN, DataError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class QueryResults:
    """One query with the ranking of each version.

    runs      version → its whole ranking for this query (item_id, score, rank), or as deep as it
              goes and then the judged items that a protocol ranks; empty with a problem
    whole     the same without a least similarity and without judged items behind a gap
    brief     the versions of whose rankings both have a part, as `brief_rankings` makes it
    problems  version → why it has no ranking
    required  the keywords that count, each with its group
    relevant  the ids of all relevant items
    labels    the grade of each judged item
    copy_of   where copies are left out: each copy → the item that it is a copy of
    counted   version → what the protocol ranks of its ranking, such as the annotated items alone
    outside   the results that are no item of the collection
    """

    experiment: Experiment
    query_id: str
    runs: dict[str, pd.DataFrame]
    whole: dict[str, pd.DataFrame]
    problems: dict[str, str]
    required: Sequence[Pair]
    relevant: Sequence[str]
    labels: Mapping[str, float]
    copy_of: dict[str, str] = field(default_factory=dict)
    counted: dict[str, pd.DataFrame] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()
    brief: frozenset[str] = frozenset()

    @property
    def answered(self) -> tuple[str, ...]:
        """The versions that have a ranking."""
        return tuple(version for version in self.runs if version not in self.problems)

    def ranked(self, version: str) -> pd.DataFrame:
        """What counts of a version's ranking."""
        return self.counted.get(version, self.runs[version])

    def unbroken(self, version: str) -> pd.DataFrame:
        """A version's ranking as far as it has no gap: judged items may follow one that is cut."""
        run, whole = self.runs[version], self.whole[version]
        return run if run is whole else run[run["item_id"].isin(whole["item_id"])]

    def every(self, version: str) -> pd.DataFrame:
        """A version's ranking without a least similarity, all of it."""
        if version not in self.brief:
            return self.whole[version]
        return ranking.query_runs(self.experiment, version, self.query_id)[1]

    def places(self, version: str, item_ids: Sequence[str]) -> dict[str, tuple[int, float]]:
        """Rank and score of each of some items that a version has: of what counts among its like,
        of the rest in the whole, which follows."""
        counted, whole = self.ranked(version), self.whole[version]
        places = self._placed(f"counted {version}", counted).of(item_ids)
        if counted is not whole:
            rest = [item for item in item_ids if item not in places]
            places |= self._placed(f"whole {version}", whole).of(rest)
        if version in self.brief and (rest := self._beyond(version, item_ids, places)):
            places |= Placed(self.every(version)).of(rest)
        return places

    def ranks(self, version: str, items: pd.Index) -> tuple[Floats, Floats]:
        """The same of many items, each once, that a brief ranking has if the whole does: rank and
        score of each, infinite and null where there is none."""
        rank, score = np.full(len(items), inf), np.full(len(items), nan)
        counted, whole = self.ranked(version), self.whole[version]
        for run in (counted,) if counted is whole else (whole, counted):
            place = codes(run["item_id"], items)
            there = place >= 0
            rank[place[there]] = run["rank"].to_numpy()[there]
            score[place[there]] = run["score"].to_numpy()[there]
        return rank, score

    def _beyond(self, version: str, item_ids: Sequence[str], places: Container[str]) -> list[str]:
        """The items that a version can rank and its brief ranking lacks, such as one whose player a
        link opens."""
        rest = [item for item in item_ids if item not in places]
        return brief_rankings.searched_among(self.experiment, version, rest) if rest else []

    def _placed(self, name: str, run: pd.DataFrame) -> Placed:
        if name not in self._rankings:
            self._rankings[name] = Placed(run)
        return self._rankings[name]

    @cached_property
    def _rankings(self) -> dict[str, Placed]:
        return {}

    @property
    def protocol(self) -> Protocol:
        """The protocol that judges."""
        return PROTOCOLS[self.experiment.protocol]

    def hit(self, item_id: str) -> bool | None:
        """Whether an item is relevant; None where nobody judged it."""
        return judging.is_hit(self.protocol, item_id, self._hits, self.labels, self.outside)

    @cached_property
    def _hits(self) -> frozenset[str]:
        return frozenset(self.relevant)

    def as_one(self, item_id: str) -> str:
        """The name that several copies share."""
        return self.copy_of.get(item_id, item_id)

    def as_ones(self, item_ids: Sequence[str]) -> list[str]:
        """The names of several items, as `as_one` gives them."""
        return [self.as_one(item) for item in item_ids] if self.copy_of else list(item_ids)

    @cached_property
    def own(self) -> str:
        """The item that is the query, or an empty text."""
        return str(judging.query_row(self.experiment, self.query_id)["item_id"])


def results_of(
    experiment: Experiment, query_id: str, versions: Sequence[str], together: tuple[str, ...] = ()
) -> QueryResults:
    """The results of one of the experiment's queries, the same for all who look at it.

    together: the queries that long rankings are made for at once, this one among them.
    """
    return _results_of(experiment, query_id, tuple(versions), together)


def _rows(results: QueryResults) -> float:
    """How many rows results have, of labels too, which are about as large; those with a problem,
    which may pass, are not remembered."""
    tables = [*results.runs.values(), *results.whole.values(), *results.counted.values()]
    rows = sum({id(table): len(table) for table in tables}.values()) + 2 * len(results.relevant)
    if isinstance(results.labels, QueryLabels):
        rows += len(results.labels)
    return float("inf") if results.problems else rows + 1


def _but_together(*arguments: Any) -> tuple[Hashable, ...]:
    return arguments[:-1]


@remembered(ranking.ROWS, size=_rows, key=_but_together)
def _results_of(
    experiment: Experiment, query_id: str, versions: tuple[str, ...], together: tuple[str, ...]
) -> QueryResults:
    runs, whole, problems = {}, {}, {}
    brief = frozenset(v for v in versions if brief_rankings.is_brief(experiment, v))
    for version in versions:
        try:
            if version in brief:
                run = every = brief_rankings.brief_run(
                    experiment, version, versions, query_id, together
                )
            else:
                run, every = ranking.query_runs(experiment, version, query_id)
        except (DataError, ValueError) as problem:
            runs[version] = whole[version] = RUN.empty()
            problems[version] = str(problem)
            continue
        runs[version], whole[version] = run, every
        if query_id in run.attrs.get("not_run", {}):
            problems[version] = f"Not run: {run.attrs['not_run'][query_id]}."
    judged = judging.judgement(experiment)
    return QueryResults(
        experiment,
        query_id,
        runs,
        whole,
        problems,
        judging.required_of(experiment, query_id),
        judged.relevant_ids(query_id),
        judged.grades_of(query_id),
        judging.copies_left_out(experiment),
        {
            version: _counted(
                run,
                experiment,
                version not in brief or long_rankings.closes_up(experiment, version),
            )
            for version, run in runs.items()
        },
        frozenset(_outside(experiment, whole)),
        brief,
    )


def _outside(experiment: Experiment, runs: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """The ids of results that are no item of the collection."""
    for version, run in runs.items():
        if len(run) and (beyond := ranking.outside_items(experiment, version)):
            yield from (str(item) for item in run["item_id"] if item in beyond)


def _counted(run: pd.DataFrame, experiment: Experiment, closes_up: bool) -> pd.DataFrame:
    """The results that the protocol ranks. closes_up: whether their ranks do where it leaves some
    out; in a brief ranking they have gaps."""
    protocol = PROTOCOLS[experiment.protocol]
    kept = protocol.keep(run, judging.judgement(experiment))
    ranks = np.arange(1, len(kept) + 1)
    if not (protocol.condensed and closes_up):
        return kept
    if len(kept) == len(run) and np.array_equal(run["rank"], ranks):
        return run
    return kept.reset_index(drop=True).assign(rank=ranks)
