"""What a report is about: two versions, their runs, and the choices that numbers depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from dashboard.evaluation.metrics.registry import Measure
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.protocols.protocol import Evidence
from dashboard.storage.collection import Collection
from dashboard.views.labels import label

DEPTH = 5


@dataclass(frozen=True, eq=False)
class Subject:
    """What a report is about.

    evidence  the queries in question and what they are judged by (mapped keywords marked as kept)
    runs      the ranked results of both versions for these queries, to their whole depth
    front     the metric that orders the queries; one of `measures`
    date      when the report is made, as it is to be printed
    names     metric names of the source or the standard ones
    choices   further choices that the numbers depend on, in words
    unlike    the ways in which the versions are not comparable, a sentence each
    """

    collection: Collection
    evidence: Evidence
    runs: Mapping[str, pd.DataFrame]
    baseline: str
    candidate: str
    rules: Protocol
    measures: Sequence[Measure]
    front: Measure
    groups: Sequence[str]
    date: str
    names: str = "source"
    choices: Mapping[str, str] = field(default_factory=dict)
    unlike: Sequence[str] = ()
    depth: int = DEPTH

    def __post_init__(self) -> None:
        if self.baseline == self.candidate:
            raise ValueError(f"a report compares two versions; both are {self.baseline!r}")
        if self.front not in self.measures:
            raise ValueError(f"the metric in front, {self.front}, is not among those measured")

    @property
    def protocol(self) -> str:
        """The protocol's name, which decides what metrics are called."""
        return self.rules.name

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
