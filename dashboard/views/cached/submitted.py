"""Submissions of features: scored once for each state of their files, and kept as runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.submission import DIMENSION, Features, scored
from dashboard.storage import digests, submissions
from dashboard.storage.collection import Collection
from dashboard.storage.findings import Findings
from dashboard.storage.submissions import Submission
from dashboard.storage.versions import width_of_all
from dashboard.tables import RUN, DataError
from dashboard.views.cached.opened import opened, opened_as

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


def submitted(view: Any) -> tuple[Submitted, ...]:
    """The submissions of a view, each in the state that its files are in."""
    return tuple(_in_its_state(text) for text in getattr(view, "submissions", None) or ())


def versions(view: Any) -> tuple[str, ...]:
    """All versions of a view: those of its collection, then its submissions."""
    return (*opened(view.collection).versions, *(each.name for each in submitted(view)))


def outcome(collection: Collection, text: str) -> Scored:
    """What becomes of the submission that a text names, such as `mine=gallery.npy,queries.npy`.

    Raises ValueError where the text names none, DataError where its files are not there.
    """
    return score(collection.name, collection.digest, _in_its_state(text))


@st.cache_resource(max_entries=32, show_spinner=False)
def score(name: str, digest: str, given: Submitted) -> Scored:
    """The run of one submission; a refusal is kept, too, as the sentence for it."""
    known, findings = opened_as(name, digest), Findings()
    try:
        run, warned = _run(known, given.submission, findings)
    except DataError as problem:
        return Scored(RUN.empty(), str(problem), findings.frame(), "")
    for sentence in warned:
        file, _, found = sentence.partition(": ")
        findings.warning(file, found, "features of length 1 for the collection's ids")
    mark = digests.of_table(run.astype({"query_id": "str"}), list(RUN.columns))
    return Scored(run, "", findings.frame(), mark)


def _run(
    known: Collection, of: Submission, findings: Findings
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    known.check_evidence()
    labels = PROTOCOLS[PROTOCOL].judge(known, None).qrels
    with (
        submissions.features(of.gallery, findings) as gallery,
        submissions.features(of.queries, findings) as queries,
    ):
        return scored(
            Features(of.gallery, *gallery),
            Features(of.queries, *queries),
            labels,
            width_of_all(known.models) or DIMENSION,
            items_known=known.items["item_id"].tolist(),
            queries_known=known.queries["query_id"].tolist(),
        )


def _in_its_state(text: str) -> Submitted:
    named = Submission.of(text)
    return Submitted(named, submissions.state(named))
