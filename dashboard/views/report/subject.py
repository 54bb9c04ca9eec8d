"""What a report is about: an experiment, two versions, and the metric in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from dashboard.evaluation.duplicates import said_of_copies
from dashboard.evaluation.metrics.registry import Measure
from dashboard.evaluation.protocols import Protocol
from dashboard.experiment import judging, ranking
from dashboard.experiment.collections import Collection
from dashboard.experiment.experiment import NO_CUT, Experiment
from dashboard.views.labels import label

DEPTH = 5


@dataclass(frozen=True, eq=False)
class Subject:
    """What a report is about.

    front     the metric that orders the queries; one of `measures`
    date      when the report is made, as it is to be printed
    names     metric names of the source or the standard ones
    only      the queries that count; None for all of the experiment
    part      what these are, in words
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
    depth: int = DEPTH

    def __post_init__(self) -> None:
        if self.baseline == self.candidate:
            raise ValueError(f"a report compares two versions; both are {self.baseline!r}")
        if self.front not in self.measures:
            raise ValueError(f"the metric in front, {self.front}, is not among those measured")

    @property
    def metrics(self) -> str:
        """The metrics by name, the one in front among them."""
        return " ".join(map(str, self.measures))

    @cached_property
    def collection(self) -> Collection:
        """The collection, as its protocol reads it."""
        return self.experiment.collection.under(self.experiment.protocol)

    @property
    def rules(self) -> Protocol:
        """The protocol that judges."""
        return self.experiment.rules

    @property
    def protocol(self) -> str:
        """The protocol's name, which decides what metrics are called."""
        return self.experiment.protocol

    @property
    def groups(self) -> tuple[str, ...]:
        """The keyword groups that count."""
        return self.experiment.groups

    @cached_property
    def queries(self) -> pd.DataFrame:
        """The queries that count."""
        return self._counting(judging.queries(self.experiment))

    @cached_property
    def runs(self) -> dict[str, pd.DataFrame]:
        """The results of both versions for these queries, to their whole depth."""
        return {
            version: self._counting(ranking.counted_run(self.experiment, version))
            for version in self.versions
        }

    @cached_property
    def unlike(self) -> list[str]:
        """The ways in which the versions are not comparable, a sentence each."""
        return ranking.unlike(self.experiment, self.baseline, self.candidate)

    @property
    def choices(self) -> dict[str, str]:
        """The choices that the numbers depend on beside those that a report names anyway."""
        experiment, words = self.experiment, {"Query slice": self.part}
        words["Keyword match threshold"] = f"{experiment.mapping_threshold:g}"
        if experiment.min_similarity > NO_CUT:
            words["Similarity threshold"] = f"{experiment.min_similarity:g}"
        if experiment.leaves_copies_out:
            words["Near-duplicates"] = said_of_copies(len(judging.copies_left_out(experiment)))
        for submitted in experiment.submissions:
            of = submitted.submission
            words[f"Submission {of.name}"] = f"features {of.gallery} and {of.queries}"
        return {name: value for name, value in words.items() if value}

    def label(self, measure: Measure) -> str:
        """A metric with its formula, as the screens write it."""
        return label(self, str(measure))

    @property
    def title(self) -> str:
        """The metric in front without its formula."""
        return self.label(self.front).partition(" (")[0]

    @property
    def versions(self) -> tuple[str, str]:
        """Baseline and candidate."""
        return self.baseline, self.candidate

    def _counting(self, table: pd.DataFrame) -> pd.DataFrame:
        return table if self.only is None else table[table["query_id"].isin(self.only)]
