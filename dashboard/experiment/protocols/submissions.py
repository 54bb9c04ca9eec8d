"""Submissions of features, scored as runs, once for each state of their files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.submission import Features, scored
from dashboard.experiment.collection.collections import collection_in
from dashboard.experiment.memory import remembered
from dashboard.storage.collection import digests
from dashboard.storage.collection.error_places import placing
from dashboard.storage.versions import submissions
from dashboard.storage.versions.submissions import FORM as FORM
from dashboard.storage.versions.submissions import LONGEST_NAME as LONGEST_NAME
from dashboard.storage.versions.submissions import Submission as Submission
from dashboard.tables import RUN, DataError, Findings

PROTOCOL = "composed"


@dataclass(frozen=True)
class Submitted:
    """A submission in one state of its files; two states are not equal.

    dimension: of its vectors, where that is another than the collection's versions share.
    """

    submission: Submission
    state: str
    dimension: int | None = None

    @classmethod
    def of(cls, submission: Submission, dimension: int | None = None) -> Submitted:
        """A submission in the state that its files are in now.

        Raises DataError where one is not there or leads out of the operator's folder.
        """
        return cls(submission, submissions.state(submission), dimension)

    @property
    def name(self) -> str:
        """Its name among the versions."""
        return self.submission.name


@dataclass(frozen=True, eq=False)
class Scored:
    """The outcome of a submission: its run of the annotated pairs, or the error.

    findings: what was repaired or left out. fingerprint: of the scores, which is all that counts.
    """

    run: pd.DataFrame
    refusal: DataError | None
    findings: pd.DataFrame
    fingerprint: str

    @property
    def problem(self) -> str:
        """The error in a sentence; empty where there is a run."""
        return str(self.refusal or "")


def offered() -> tuple[list[str], dict[str, str]] | None:
    """The arrays in the operator's folder that can be submitted, and those whose ids are missing,
    each with the name of that file; None where the operator names no folder."""
    if submissions.folder() is None:
        return None
    whole, lacking = submissions.offered()
    return whole, {name: submissions.ids_of(name) for name in lacking}


def score(folder: str, digest: str, submitted: Submitted) -> Scored:
    """The run of a submission to the collection in a folder; a refusal is remembered, too.

    Remembered by its files: the same ones under many names are scored once.
    """
    return _score(folder, digest, replace(submitted, submission=_unnamed(submitted.submission)))


def _unnamed(submission: Submission) -> Submission:
    return replace(submission, name="")


@remembered(32)
def _score(folder: str, digest: str, submitted: Submitted) -> Scored:
    collection, findings = collection_in(folder, digest), Findings()
    try:
        collection.check_evidence()
        with placing(collection.folder):
            labels = PROTOCOLS[PROTOCOL].judge(collection, None).qrels
        against = submissions.checks_of(collection)
        run = score_against(labels, submitted, against, findings)
    except DataError as problem:
        return Scored(RUN.empty(), problem, findings.frame(), "")
    mark = digests.of_table(run.astype({"query_id": "str"}), list(RUN.columns))
    return Scored(run, None, findings.frame(), mark)


def score_against(
    labels: pd.DataFrame, submitted: Submitted, against: Mapping[str, Any], findings: Findings
) -> pd.DataFrame:
    """The run of a submission: cosines of the labelled pairs, what was repaired in `findings`.

    labels: query_id, item_id, grade. against: what features are checked against, by the names of
    `evaluation.submission.scored`. Raises DataError naming the file and row that cannot be used.
    """
    named, anywhere = submitted.submission, submitted.submission.anywhere
    wanted = {**against, **({"dimension": submitted.dimension} if submitted.dimension else {})}
    with (
        submissions.features(named.gallery, findings, anywhere=anywhere) as items,
        submissions.features(named.queries, findings, anywhere=anywhere) as queries,
    ):
        sides = (
            Features(_file(named, "gallery"), *items),
            Features(_file(named, "queries"), *queries),
        )
        run, warnings = scored(*sides, labels, **wanted)
    submissions.warn(findings, warnings)
    return run


def _file(submission: Submission, side: str) -> str:
    """The name of a file in messages: below the operator's folder, or without its path."""
    name = str(getattr(submission, side))
    return Path(name).name if submission.anywhere else name
