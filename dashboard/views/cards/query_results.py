"""The results of one query: what each version ranks, what is relevant, and what counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dashboard.evaluation.coverage import is_outside
from dashboard.evaluation.protocols import PROTOCOLS, Protocol
from dashboard.experiment import judging, ranking
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.memory import remembered
from dashboard.tables import RUN, DataError


@dataclass(frozen=True, eq=False)
class QueryResults:
    """One query with the ranking of each version.

    runs      version → its whole ranking for this query (item_id, score, rank), or as deep as it
              goes and then the judged items that a protocol ranks; empty with a problem
    whole     the same without a least similarity and without judged items behind a gap
    problems  version → why it has no ranking
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
        run, whole = self.runs[version], self.whole[version]
        return run if run is whole else run[run["item_id"].isin(whole["item_id"])]

    def placed(self, version: str) -> pd.DataFrame:
        """Where a version has each item: what counts among its like, the rest in the whole."""
        counted, whole = self.ranked(version), self.whole[version]
        if counted is whole:
            return whole
        return pd.concat([counted, whole[~whole["item_id"].isin(counted["item_id"])]])

    @property
    def protocol(self) -> Protocol:
        """The protocol that judges."""
        return PROTOCOLS[self.experiment.protocol]

    def hit(self, item_id: str) -> bool | None:
        """Whether an item is relevant; None where nobody judged it."""
        return judging.is_hit(self.protocol, item_id, self.relevant, self.judged, self.outside)

    def as_one(self, item_id: str) -> str:
        """The name that several copies share."""
        return self.copy_of.get(item_id, item_id)

    @property
    def own(self) -> str:
        """The item that is the query, or an empty text."""
        item_ids = judging.queries(self.experiment).set_index("query_id")["item_id"]
        return str(item_ids.loc[self.query_id])


def results_of(experiment: Experiment, query_id: str, versions: Sequence[str]) -> QueryResults:
    """The results of one of the experiment's queries, the same for all who look at it."""
    return _results_of(experiment, query_id, tuple(versions))


def _rows(results: QueryResults) -> float:
    """How many rows results have; those with a problem, which may pass, are not remembered."""
    tables = [*results.runs.values(), *results.whole.values(), *results.counted.values()]
    different = {id(table): len(table) for table in tables}
    return float("inf") if results.problems else sum(different.values()) + 1


@remembered(ranking.ROWS, size=_rows)
def _results_of(experiment: Experiment, query_id: str, versions: tuple[str, ...]) -> QueryResults:
    runs, whole, problems = {}, {}, {}
    for version in versions:
        try:
            run, every = ranking.query_runs(experiment, version, query_id)
        except (DataError, ValueError) as problem:
            runs[version] = whole[version] = RUN.empty()
            problems[version] = str(problem)
            continue
        runs[version], whole[version] = run, every
        if query_id in run.attrs.get("not_run", {}):
            problems[version] = f"Not run: {run.attrs['not_run'][query_id]}."
    judgement = judging.judgement(experiment)
    qrels = judgement.of_queries([query_id]).qrels
    relevant = qrels.loc[qrels["grade"] >= judgement.relevant_from, "item_id"]
    required = judging.required_keywords(experiment)
    mine = (required["query_id"] == query_id) & required["group"].isin(experiment.groups)
    return QueryResults(
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
        frozenset(_outside(_of_any_items(experiment, whole), experiment.collection.items)),
    )


def _of_any_items(
    experiment: Experiment, runs: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """The runs that may have results that are no items: long rankings are of items alone."""
    return {v: run for v, run in runs.items() if not ranking.is_long(experiment, v)}


def _outside(runs: Mapping[str, pd.DataFrame], items: pd.DataFrame) -> set[str]:
    """The ids of results that are no item of the collection."""
    outside = [run.loc[is_outside(run, items["item_id"]), "item_id"] for run in runs.values()]
    return {str(item) for ids in outside for item in ids}


def _counted(run: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """The results that the protocol ranks, ranks closed up."""
    kept = PROTOCOLS[experiment.protocol].keep(run, judging.judgement(experiment))
    ranks = np.arange(1, len(kept) + 1)
    if len(kept) == len(run) and np.array_equal(run["rank"], ranks):
        return run
    return kept.reset_index(drop=True).assign(rank=ranks)
