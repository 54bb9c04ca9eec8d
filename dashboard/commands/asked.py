"""What a call asks of a collection: which queries, judged how. Numbers depend on nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from dashboard.evaluation.divisions import divisions
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.protocols.alfa import required_keywords
from dashboard.retrieval import comparable, keywords, runs
from dashboard.retrieval.runs import Which
from dashboard.storage.collection import Collection
from dashboard.storage.evidence import scenes


@dataclass(frozen=True, eq=False)
class Asked:
    """A collection with the choices of one call."""

    collection: Collection
    protocol: Protocol
    groups: Sequence[str]
    which: Which
    threshold: float

    @cached_property
    def evidence(self) -> Collection:
        """The collection with the queries in question and their mapped keywords marked as kept.

        Raises DataError where a file of labels was refused.
        """
        self.collection.check_evidence()
        asked = runs.asked_queries(self.collection, self.which)
        mapped = keywords.keep(self.collection.query_keywords, self.threshold)
        return replace(self.collection, queries=asked, query_keywords=mapped)

    @property
    def scenes(self) -> dict[str, str] | None:
        """Which queries belong together and are drawn together."""
        return scenes(self.collection.queries)

    def run(self, version: str) -> pd.DataFrame:
        """The ranked results of a version. Raises DataError where there is no such version."""
        return runs.run_of(self.collection, version, self.which, ties=self.protocol.ties)

    def divisions(self) -> pd.DataFrame:
        """The slices of the queries: query_id, by, slice."""
        evidence, groups = self.evidence, list(self.groups)
        judgement = self.protocol.judge(evidence, groups)
        return divisions(evidence.queries, required_keywords(evidence), groups, judgement)

    def unlike(self, baseline: str, candidate: str) -> list[str]:
        """The ways in which two versions are not comparable, a sentence each."""
        return comparable.unlike(self.collection, baseline, candidate)
