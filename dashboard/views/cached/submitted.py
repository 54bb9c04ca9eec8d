"""Submissions of features: scored once for each state of their files, and kept as runs."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.submission import Features, scored
from dashboard.storage import digests, submissions
from dashboard.storage.collection import Collection
from dashboard.storage.findings import Findings
from dashboard.storage.placed import placing
from dashboard.storage.submissions import Submission
from dashboard.tables import RUN, DataError
from dashboard.views.cached.opened import opened, opened_as
from dashboard.views.view import View

PROTOCOL = "composed"


@dataclass(frozen=True)
class Submitted:
    """A submission in the state of its files: equal only while nobody writes them again."""

    submission: Submission
    state: str

    @property
    def name(self) -> str:
        """What it is called among the versions."""
        return self.submission.name


@dataclass(frozen=True, eq=False)
class Scored:
    """What became of a submission: its run of the annotated pairs, or why there is none.

    findings: what was repaired or left out. fingerprint: of the scores, which is all that counts.
    """

    run: pd.DataFrame
    problem: str
    findings: pd.DataFrame
    fingerprint: str


def submitted(view: View) -> tuple[Submitted, ...]:
    """The submissions of a view, each in the state that its files are in."""
    return tuple(_in_its_state(text) for text in getattr(view, "submissions", None) or ())


def versions(view: View) -> tuple[str, ...]:
    """All versions of a view: those of its collection, then its submissions."""
    return (*opened(view.collection).versions, *(each.name for each in submitted(view)))


def outcome(collection: Collection, text: str) -> Scored:
    """What becomes of the submission that a text names, such as `mine=gallery.npy,queries.npy`.

    Raises ValueError where the text names none, DataError where its files are not there.
    """
    return score(collection.name, collection.digest, _in_its_state(text))


def score(name: str, digest: str, given: Submitted) -> Scored:
    """The run of one submission; a refusal is kept, too, as the sentence for it.

    Kept by its files: the same ones under many names are scored once.
    """
    return _score(name, digest, given.submission.gallery, given.submission.queries, given.state)


@st.cache_resource(max_entries=32, show_spinner=False)
def _score(name: str, digest: str, gallery: str, queries: str, state: str) -> Scored:
    known, findings = opened_as(name, digest), Findings()
    try:
        run, warned = _run(known, gallery, queries, findings)
    except DataError as problem:
        return Scored(RUN.empty(), str(problem), findings.frame(), "")
    submissions.warn(findings, warned)
    mark = digests.of_table(run.astype({"query_id": "str"}), list(RUN.columns))
    return Scored(run, "", findings.frame(), mark)


def _run(
    known: Collection, gallery: str, queries: str, findings: Findings
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    known.check_evidence()
    with placing(known.folder):
        labels = PROTOCOLS[PROTOCOL].judge(known, None).qrels
    with (
        submissions.features(gallery, findings) as items,
        submissions.features(queries, findings) as asked,
    ):
        sides = Features(gallery, *items), Features(queries, *asked)
        return scored(*sides, labels, **submissions.held_against(known))


def _in_its_state(text: str) -> Submitted:
    named = Submission.of(text)
    return Submitted(named, submissions.state(named))
