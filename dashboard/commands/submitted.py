"""Submissions of features, as a call names them: `NAME=GALLERY.npy,QUERIES.npy`."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.submission import Features, scored
from dashboard.storage import submissions
from dashboard.storage.collection import Collection
from dashboard.storage.files.mapped import mapped_array
from dashboard.storage.files.vectors import read_ids
from dashboard.storage.findings import Findings
from dashboard.storage.submissions import Submission
from dashboard.tables import DataError


def submission(text: str) -> Submission:
    """What a call names, files anywhere. Raises ArgumentTypeError for any other form."""
    try:
        return Submission.of(text)
    except ValueError as problem:
        raise ArgumentTypeError(str(problem)) from problem


def submitted_runs(
    submitted: Sequence[Submission],
    protocol: Protocol,
    judgement: Judgement,
    dimension: int | None,
    complaints: Findings,
    collection: Collection | None = None,
) -> dict[str, pd.DataFrame]:
    """The run of each submission to a collection, or (None) to a file of judgements.

    Raises DataError for files that do not fit, ValueError for another protocol or a name given
    twice.
    """
    if submitted and not protocol.takes_features:
        raise ValueError(f"the protocol {protocol.name} does not score submitted features")
    against = submissions.held_against(collection) if collection else {}
    against |= {"dimension": dimension} if dimension else {}
    found: dict[str, pd.DataFrame] = {}
    for each in submitted:
        if each.name in found:
            raise ValueError(f"two submissions are called {each.name!r}")
        sides = [_features(Path(name), complaints) for name in (each.gallery, each.queries)]
        found[each.name], warned = scored(*sides, judgement.qrels, **against)
        submissions.warn(complaints, warned)
    return found


def _features(path: Path, complaints: Findings) -> Features:
    beside = path.with_suffix(".txt")
    if not beside.is_file():
        wanted = f"the ids of {path.name}, one a line"
        raise DataError(beside.name, "no such file", wanted)
    return Features(path.name, read_ids(beside, beside.name, complaints), mapped_array(path))
