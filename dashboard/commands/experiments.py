"""The experiment that a call is about: which queries of which collection, judged how, with which
submissions of features (`NAME=GALLERY.npy,QUERIES.npy`) beside the versions."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable

from dashboard.commands.console import at_least_one, cosine, positive, share
from dashboard.evaluation.protocols import PROTOCOLS, Protocol, crossmodal, trec
from dashboard.evaluation.submission import DIMENSION
from dashboard.experiment import judging
from dashboard.experiment.collection.collections import Collection, groups_named, usual_queries
from dashboard.experiment.collection.near_duplicates import LEFT_OUT
from dashboard.experiment.experiment import NO_CUT, Experiment
from dashboard.experiment.protocols.submissions import FORM, Submission, Submitted
from dashboard.experiment.reviews.corrections import CORRECTED, GIVEN

OF_A_COLLECTION = (
    "runs", "groups", "threshold", "queries", "copies", "labels", "min_similarity",
)  # fmt: skip


def add_rules(parser: ArgumentParser) -> None:
    """Add the options for which queries count and how they are judged."""
    parser.add_argument("--protocol", default="", help="default: the collection's first, or trec")
    parser.add_argument("--metrics", default=None, metavar='"P@5 nDCG@10"')
    parser.add_argument("--queries", choices=("text", "item", "all"), help="default: texts")
    parser.add_argument("--scale", type=positive, metavar="N", help="trec: credit is grade ÷ N")
    text = "trec: the least grade that is relevant (1)"
    parser.add_argument("--level", "-l", type=positive, metavar="L", help=text)
    text = "near-duplicates (counted): left_out keeps the first of each group in a list"
    parser.add_argument("--copies", choices=("counted", LEFT_OUT), help=text)
    text = "labels as given, or with the reviewers' corrections"
    parser.add_argument("--labels", choices=(GIVEN, CORRECTED), help=text)
    text = "similarity threshold: remove results below it; P@K still divides by K"
    parser.add_argument("--min-similarity", type=cosine, metavar="S", help=text)


def add_keywords(parser: ArgumentParser, *, groups: bool = True) -> None:
    """Add the options for which keywords count."""
    if groups:
        parser.add_argument(
            "--groups", nargs="+", metavar="GROUP", help="default: the collection's"
        )
    parser.add_argument("--threshold", type=share, metavar="T", help="keyword match threshold")


def refuse_for_files(call: Namespace) -> None:
    """Raise ValueError where a call of plain files has an option that only a collection has.

    Under crossmodal, plain files take `--queries`: whether their queries are pictures or texts.
    """
    given = [name for name in OF_A_COLLECTION if getattr(call, name, None) is not None]
    if call.protocol == crossmodal.CROSSMODAL.name and call.queries != "all":
        given = [name for name in given if name != "queries"]
    if given:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise ValueError(f"{flags}: only a COLLECTION has that; leave it out with --qrels")


def graded(protocol: Protocol, call: Namespace) -> Protocol:
    """The protocol trec with the scale and the level of relevance of a call.

    Raises ValueError for any other protocol.
    """
    given = [name for name in ("scale", "level") if getattr(call, name) is not None]
    if not given:
        return protocol
    if protocol.name != trec.TREC.name:
        flag = given[0]
        raise ValueError(
            f"--{flag} is of the protocol trec; {protocol.name} has a {flag} of its own"
        )
    return trec.with_options(call.scale, call.level)


def protocol_named(name: str, known: Iterable[str] = ()) -> Protocol:
    """The protocol of that name; without a name the collection's first."""
    name = name or next(iter(known), "trec")
    if name not in PROTOCOLS:
        raise ValueError(f"no protocol {name!r}; there are {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]


def groups_of(call: Namespace, collection: Collection) -> list[str]:
    """The keyword groups of a call. Raises ValueError for one that the collection lacks."""
    return groups_named(collection, call.groups)


def threshold_of(call: Namespace, collection: Collection) -> float:
    """The least score of a keyword: the call's, or else the collection's own."""
    return collection.mapping_threshold if call.threshold is None else float(call.threshold)


def add_submissions(parser: ArgumentParser) -> None:
    """Add the options of calls that take features beside, or instead of, versions or runs."""
    text = "features for the protocol composed, ids beside them as .txt; again for more"
    parser.add_argument("--submission", type=submission, action="append", metavar=FORM, help=text)
    text = f"of submitted features; default: as the collection's versions, else {DIMENSION}"
    parser.add_argument("--dimension", type=at_least_one, metavar="D", help=text)


def submission(text: str) -> Submission:
    """The submission that a call names, its files anywhere. Raises ArgumentTypeError for another
    form."""
    try:
        return Submission.of(text, anywhere=True)
    except ValueError as problem:
        raise ArgumentTypeError(str(problem)) from problem


def submissions_of(
    call: Namespace, protocol: Protocol, versions: Iterable[str] = ()
) -> tuple[Submitted, ...]:
    """The submissions of a call, in the state that their files are in.

    Raises ValueError under a protocol that scores no features, for a name that stands twice or is a
    version's, and for a dimension without a submission; DataError for a missing file.
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


def experiment_of(call: Namespace, collection: Collection) -> Experiment:
    """The experiment of a call on an opened collection, with the defaults of the screens.

    Raises ValueError where no query is of the chosen kind, or a submission cannot stand beside the
    versions; DataError for a submission's missing file.
    """
    protocol = graded(protocol_named(call.protocol, collection.protocols), call)
    experiment = Experiment.of(
        collection,
        protocol=protocol.name,
        groups=groups_of(call, collection),
        mapping_threshold=threshold_of(call, collection),
        queries=call.queries or usual_queries(collection),
        min_similarity=NO_CUT if call.min_similarity is None else call.min_similarity,
        copies=call.copies or "counted",
        submissions=submissions_of(call, protocol, collection.versions),
        scale=call.scale,
        level=call.level,
        labels=call.labels or GIVEN,
    )
    collection.check_evidence()
    if judging.queries(experiment).empty and len(collection.queries):
        other = "item" if experiment.queries == "text" else "text"
        found = f"none of {len(collection.queries):,} queries is of this kind"
        raise ValueError(f"--queries {experiment.queries}: {found}; ask for --queries {other}")
    return experiment
