"""Submissions of features, as a call names them: `NAME=GALLERY.npy,QUERIES.npy`."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable

from dashboard.commands.numbers import at_least_one
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.submission import DIMENSION
from dashboard.experiment.submissions import Submitted
from dashboard.storage.submissions import FORM, Submission


def add_submissions(parser: ArgumentParser) -> None:
    """The options of a call that takes features beside, or instead of, versions or runs."""
    text = "features for the protocol composed, ids beside them as .txt; again for more"
    parser.add_argument("--submission", type=submission, action="append", metavar=FORM, help=text)
    text = f"of submitted features; default: as the collection's versions, else {DIMENSION}"
    parser.add_argument("--dimension", type=at_least_one, metavar="D", help=text)


def submission(text: str) -> Submission:
    """What a call names, files anywhere. Raises ArgumentTypeError for any other form."""
    try:
        return Submission.of(text, anywhere=True)
    except ValueError as problem:
        raise ArgumentTypeError(str(problem)) from problem


def submissions_of(
    call: Namespace, protocol: Protocol, versions: Iterable[str] = ()
) -> tuple[Submitted, ...]:
    """The submissions of a call, in the state that their files are in.

    Raises ValueError under a protocol that scores no features, for a name that is given twice or to
    one of the versions, and for a dimension of nothing; DataError for a file that is not there.
    """
    named = tuple(call.submission or ())
    if call.dimension is not None and not named:
        raise ValueError("--dimension: of submitted features; add --submission or leave it out")
    if named and not protocol.takes_features:
        raise ValueError(f"the protocol {protocol.name} does not score submitted features")
    taken = set(versions)
    for each in named:
        if each.name in taken:
            raise ValueError(f"a submission is called {each.name!r} as a version is")
        if sum(other.name == each.name for other in named) > 1:
            raise ValueError(f"two submissions are called {each.name!r}")
    return tuple(Submitted.of(each, call.dimension) for each in named)
