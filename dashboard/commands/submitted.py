"""Submissions of features, as a call names them: `NAME=GALLERY.npy,QUERIES.npy`."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dashboard.commands.numbers import at_least_one
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.submission import DIMENSION, Features, scored
from dashboard.storage import submissions
from dashboard.storage.collection import Collection
from dashboard.storage.files.mapped import mapped_array
from dashboard.storage.files.vectors import read_ids
from dashboard.storage.findings import Findings
from dashboard.storage.submissions import FORM, Submission
from dashboard.tables import DataError


@dataclass(frozen=True)
class Extras:
    """What a call adds to the versions: submissions of features, and their dimension if it is
    another than the collection's or the protocol's."""

    submitted: Sequence[Submission] = ()
    dimension: int | None = None

    @classmethod
    def of(cls, call: Namespace) -> Extras:
        """What a call adds. Raises ValueError for a dimension of nothing."""
        if call.dimension is not None and not call.submission:
            raise ValueError("--dimension: of submitted features; add --submission or leave it out")
        return cls(tuple(call.submission or ()), call.dimension)


def add_submissions(parser: ArgumentParser) -> None:
    """The options of a call that takes features beside, or instead of, versions or runs."""
    text = "features for the protocol composed, ids beside them as .txt; again for more"
    parser.add_argument("--submission", type=submission, action="append", metavar=FORM, help=text)
    text = f"of submitted features; default: as the collection's versions, else {DIMENSION}"
    parser.add_argument("--dimension", type=at_least_one, metavar="D", help=text)


def submission(text: str) -> Submission:
    """What a call names, files anywhere. Raises ArgumentTypeError for any other form."""
    try:
        return Submission.of(text)
    except ValueError as problem:
        raise ArgumentTypeError(str(problem)) from problem


def submitted_runs(
    extras: Extras,
    protocol: Protocol,
    judgement: Judgement,
    complaints: Findings,
    collection: Collection | None = None,
) -> dict[str, pd.DataFrame]:
    """The run of each submission to a collection, or (None) to a file of judgements.

    Raises DataError for files that do not fit, ValueError for another protocol, or a name that is
    given twice or to a version.
    """
    if extras.submitted and not protocol.takes_features:
        raise ValueError(f"the protocol {protocol.name} does not score submitted features")
    against = submissions.held_against(collection) if collection else {}
    against |= {"dimension": extras.dimension} if extras.dimension else {}
    found: dict[str, pd.DataFrame] = {}
    for each in extras.submitted:
        if collection and each.name in collection.versions:
            raise ValueError(f"a submission is called {each.name!r} as a version is")
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
